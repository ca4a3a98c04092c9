package explore

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim/search"
)

// MetastableQuestion is what `seakeep sim metastable` was asked.
type MetastableQuestion struct {
	Scenario *config.Scenario
	Sizes    []float64       // of the trigger, as multiples of the scenario's
	Lengths  []time.Duration // of the trigger
	Watch    time.Duration   // how long it is watched afterwards
	Cuts     []time.Duration // how long the load is cut, to get out
	Steps    int             // of the ramp
}

// MetastableAnswer is what became of it all.
type MetastableAnswer struct {
	Scenario string        `json:"scenario"`
	Trigger  string        `json:"trigger"`
	WatchS   float64       `json:"watch_s"`
	Map      []MapCell     `json:"map"`
	SafeLoad *SafeLoad     `json:"safe_load,omitempty"`
	Ramp     []RampStep    `json:"ramp,omitempty"`
	WaysOut  []WayOut      `json:"ways_out,omitempty"`
	Switches []SwitchState `json:"switches"`

	sizes   []float64
	lengths []time.Duration
}

// MapCell is one size and length of the trigger.
type MapCell struct {
	Size      float64 `json:"size"`
	LengthS   float64 `json:"length_s"`
	Phase     string  `json:"phase"`
	RecoverdS float64 `json:"recovered_after_s"`
	Goodput   float64 `json:"goodput"`
	Offered   float64 `json:"offered"`
}

// SafeLoad is the load below which the system always came back.
type SafeLoad struct {
	Load   float64 `json:"load"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	InUse  float64 `json:"in_use"`
	Always bool    `json:"always"` // it came back at every load that was tried
	Never  bool    `json:"never"`
}

// RampStep is one load, on the way up and on the way down.
type RampStep struct {
	Load float64 `json:"load"`
	Up   float64 `json:"goodput_up"`
	Down float64 `json:"goodput_down"`
}

// WayOut is a cut of the load that ended the state.
type WayOut struct {
	ForS      float64 `json:"for_s"`
	To        float64 `json:"to_share"` // -1: no cut of this length was enough
	Recovered float64 `json:"recovered_after_s"`
}

// SwitchState is what a change of settings made of the trigger.
type SwitchState struct {
	Name      string  `json:"name"`
	Phase     string  `json:"phase"`
	Recovered float64 `json:"recovered_after_s"`
	Goodput   float64 `json:"goodput"`
}

// Metastable asks all of it.
func Metastable(q MetastableQuestion) (*MetastableAnswer, error) {
	if !search.Sizable(q.Scenario) {
		q.Sizes = []float64{1} // rows that must be the same would look like a finding
	}
	w := search.Watch{After: q.Watch}
	a := &MetastableAnswer{Scenario: q.Scenario.Name, WatchS: q.Watch.Seconds(), sizes: q.Sizes,
		lengths: q.Lengths}
	cells, err := search.Map(q.Scenario, q.Sizes, q.Lengths, w)
	if err != nil {
		return nil, err
	}
	a.Trigger = search.Describe(q.Scenario)
	stuck := false
	for _, c := range cells {
		stuck = stuck || c.Phase == search.Stuck
		a.Map = append(a.Map, MapCell{c.Size, c.Length.Seconds(), c.Phase.String(),
			c.At.Seconds(), c.Goodput, c.Offered})
	}
	switches, err := search.TrySwitches(q.Scenario, w)
	if err != nil {
		return nil, err
	}
	for _, s := range switches {
		a.Switches = append(a.Switches, SwitchState{s.Name, s.Phase.String(), s.At.Seconds(),
			s.Goodput})
	}
	if !search.HasLoad(q.Scenario) {
		return a, nil
	}
	return a, a.loads(q, w, stuck)
}

// loads asks what only a client with a rate can answer.
func (a *MetastableAnswer) loads(q MetastableQuestion, w search.Watch, stuck bool) error {
	safe, err := search.SafeLoad(q.Scenario, w)
	if err != nil {
		return err
	}
	rate := search.Load(q.Scenario)
	a.SafeLoad = &SafeLoad{Load: safe.Edge, Low: safe.Low, High: safe.High, InUse: rate,
		Always: !safe.Flipping && safe.AtTo, Never: !safe.Flipping && !safe.AtTo}
	ramp, err := search.Ramp(q.Scenario, 1.5*rate, q.Steps, max(q.Watch/4, 10*time.Second))
	if err != nil {
		return err
	}
	for _, p := range ramp {
		a.Ramp = append(a.Ramp, RampStep{p.Load, p.Up, p.Down})
	}
	if !stuck {
		return nil
	}
	ways, err := search.WaysOut(q.Scenario, q.Cuts, w)
	if err != nil {
		return err
	}
	for _, o := range ways {
		a.WaysOut = append(a.WaysOut, WayOut{o.For.Seconds(), o.To, o.After.At.Seconds()})
	}
	return nil
}

// JSON writes the answer for programs.
func (a *MetastableAnswer) JSON(w io.Writer) error { return writeJSON(w, a) }

var marks = map[string]string{"stable": ".", "slow": "o", "stuck": "#"}

// Text writes the answer for people.
func (a *MetastableAnswer) Text(w io.Writer) error {
	fmt.Fprintf(w, "%s: after the trigger (%s) the system is watched for %.0f s.\n\n",
		a.Scenario, a.Trigger, a.WatchS)
	fmt.Fprintf(w, "Size of the trigger against its length:   %s\n\n",
		". stable   o slow to recover   # stuck")
	fmt.Fprintf(w, "%8s ", "")
	for _, l := range a.lengths {
		fmt.Fprintf(w, "%7s", l)
	}
	fmt.Fprintln(w)
	for i := len(a.sizes) - 1; i >= 0; i-- {
		fmt.Fprintf(w, "%7.2fx ", a.sizes[i])
		for k := range a.lengths {
			fmt.Fprintf(w, "%7s", marks[a.Map[i*len(a.lengths)+k].Phase])
		}
		fmt.Fprintln(w)
	}
	a.textLoads(w)
	fmt.Fprintf(w, "\nWhat would end it, put to use before the trigger:\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range a.Switches {
		fate := fmt.Sprintf("back to normal %.1f s after the trigger", s.Recovered)
		switch s.Phase {
		case "stuck":
			fate = fmt.Sprintf("stuck, %.1f/s answered", s.Goodput)
		case "stable":
			fate = "stable"
		}
		fmt.Fprintf(t, "  %s\t%s\n", s.Name, fate)
	}
	return t.Flush()
}

func (a *MetastableAnswer) textLoads(w io.Writer) {
	if s := a.SafeLoad; s != nil {
		switch {
		case s.Always:
			fmt.Fprintf(w, "\nIt comes back at every load up to the one in use, %.4g/s.\n", s.InUse)
		case s.Never:
			fmt.Fprintf(w, "\nIt comes back at no load down to %.3g/s.\n", s.InUse/50)
		default:
			fmt.Fprintf(w, "\nIt comes back at loads up to %.4g/s; in use are %.4g/s.\n", s.Load,
				s.InUse)
		}
	}
	if len(a.Ramp) > 0 {
		fmt.Fprintf(w, "\nLoad up, and down again (answered requests a second):\n")
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintf(t, "load\tup\tdown\t\n")
		for _, p := range a.Ramp {
			mark := ""
			if p.Up-p.Down > 0.1*p.Load {
				mark = "  two states"
			}
			fmt.Fprintf(t, "%.4g/s\t%.1f\t%.1f\t%s\n", p.Load, p.Up, p.Down, mark)
		}
		_ = t.Flush()
	}
	if len(a.WaysOut) > 0 {
		fmt.Fprintf(w, "\nTo get out once it is stuck, the load must be cut:\n")
		for _, o := range a.WaysOut {
			if o.To < 0 {
				fmt.Fprintf(w, "  for %.4g s: no cut is enough\n", o.ForS)
				continue
			}
			fmt.Fprintf(w, "  for %.4g s: to %.0f %% of normal or less\n", o.ForS, 100*o.To)
		}
	}
}
