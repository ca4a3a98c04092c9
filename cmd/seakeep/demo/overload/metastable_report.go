package overload

import (
	"fmt"
	"io"
	"strings"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// MetastableReport is what the demo of a metastable failure measured. Its names
// in JSON are a promise to scripts.
type MetastableReport struct {
	Capacity    float64         `json:"capacity"`
	Rate        float64         `json:"rate"`
	SpikeRate   float64         `json:"spike_rate"`
	SpikeAtS    float64         `json:"spike_at_s"`
	SpikeForS   float64         `json:"spike_for_s"`
	ForS        float64         `json:"for_s"`
	RanS        float64         `json:"ran_s"`
	Seed        uint64          `json:"seed"`
	Interrupted bool            `json:"interrupted"`
	Variants    []VariantReport `json:"variants"`
	Holds       []live.Hold     `json:"holds"`

	options MetastableOptions
}

// VariantReport is one way to stand in front of the program.
type VariantReport struct {
	Name  string `json:"name"`
	About string `json:"about"`
	life
	Goodput   []uint64    `json:"goodput"` // of the requests that were due in each second
	QueueS    []float64   `json:"queue_s"` // the wait in the program, at the end of each second
	Attempts  uint64      `json:"attempts"`
	Levers    []string    `json:"levers"`
	Predicted *Prediction `json:"predicted"` // null: there is no simulation of it
	LateMS    float64     `json:"late_ms"`
	Skipped   uint64      `json:"skipped"`

	seconds  []second
	expected []second // predicted
	recovers bool
}

// Prediction is what the simulator says.
type Prediction struct {
	life
	Goodput []uint64 `json:"goodput"`
}

func newMetastableReport(o MetastableOptions) *MetastableReport {
	return &MetastableReport{Capacity: o.Machine.Capacity(), Rate: o.Rate, SpikeRate: o.Spike.Rate,
		SpikeAtS: o.Spike.At.Seconds(), SpikeForS: o.Spike.For.Seconds(), ForS: o.For.Seconds(),
		Seed: o.Seed, Variants: []VariantReport{}, Holds: []live.Hold{}, options: o}
}

func (r *MetastableReport) add(v variant, o *outcome, waits []float64) {
	r.RanS = max(r.RanS, live.Round(o.ran.Seconds(), 3))
	seconds := during(o.seconds, o.ran)
	n := VariantReport{Name: v.name, About: v.about, life: lifeOf(seconds), Goodput: goodput(seconds),
		QueueS: append([]float64{}, waits...), Attempts: o.tried, Levers: []string{}, LateMS: o.lateMS,
		Skipped: o.skipped, seconds: seconds, recovers: v.recovers}
	for _, l := range v.levers {
		if l.at > o.ran {
			break
		}
		n.Levers = append(n.Levers, fmt.Sprintf("%v: %v", live.Short(l.at), l))
	}
	r.Variants = append(r.Variants, n)
}

// Predict adds what the simulator says of each variant.
func (r *MetastableReport) Predict() (err error) {
	for i := range r.Variants {
		v := &r.Variants[i]
		if v.expected, err = predict(r.options.variants[i], r.options); err != nil {
			return err
		}
		if v.expected != nil {
			v.Predicted = &Prediction{lifeOf(v.expected), goodput(v.expected)}
		}
	}
	return nil
}

// judge says of each variant whether it kept what it promises.
func (r *MetastableReport) judge() {
	if r.Interrupted {
		return // what has not happened may still come
	}
	for i := range r.Variants {
		v := &r.Variants[i]
		promise, against := v.Name+": is down for good after the spike", []string(nil)
		if v.recovers {
			promise = v.Name + ": is well again before the run ends"
		}
		if v.down() == v.recovers {
			against = append(against, v.story())
		}
		r.Holds = append(r.Holds, live.Judged(promise, against))
	}
}

// story tells what happened in a few words.
func (l life) story() string {
	switch {
	case l.Collapse == nil:
		return "never goes down"
	case l.Recovery == nil:
		return fmt.Sprintf("goes down at %ds and stays there", *l.Collapse)
	}
	return fmt.Sprintf("goes down at %ds, is back at %ds", *l.Collapse, *l.Recovery)
}

// WriteJSON writes the report as one object.
func (r *MetastableReport) WriteJSON(w io.Writer) error { return live.WriteJSON(w, r) }

// Held reports whether all held that was promised.
func (r *MetastableReport) Held() bool { return live.AllHeld(r.Holds) }

// headline says what runs.
func (r *MetastableReport) headline() string {
	return fmt.Sprintf("A program that does %.0f/s and gets %.0f/s, and %.0f/s from %.0fs to %.0fs.\n"+
		"Its clients wait a second and ask %d times. %.0f seconds, all variants at once.\n",
		r.Capacity, r.Rate, r.SpikeRate, r.SpikeAtS, r.SpikeAtS+r.SpikeForS, attempts, r.ForS)
}

// WriteText writes the strips of all variants, and what held.
func (r *MetastableReport) WriteText(w io.Writer) error {
	var b strings.Builder
	if r.Interrupted {
		fmt.Fprintf(&b, "\nStopped after %.1fs.\n", r.RanS)
	}
	wide := (len(r.longest()) + stripWidth - 1) / stripWidth
	fmt.Fprintf(&b, "\n%-14s%s\n", "", r.ruler(max(wide, 1)))
	late, skipped := 0.0, uint64(0)
	for i := range r.Variants {
		v := &r.Variants[i]
		late, skipped = max(late, v.LateMS), skipped+v.Skipped
		fmt.Fprintf(&b, "%-14s%s\n", v.Name, strip(v.seconds, max(wide, 1)))
		if v.expected != nil {
			fmt.Fprintf(&b, "%14s%s\n", "simulated  ", strip(v.expected, max(wide, 1)))
		}
		fmt.Fprintf(&b, "%14s%s", "", strings.TrimLeft(live.Wrapped(v.About+": "+v.tale(),
			strings.Repeat(" ", 14), 80), " "))
	}
	b.WriteString("\n# nearly all are answered in time, + half of them, - some, . next to none\n")
	if len(r.Holds) > 0 {
		b.WriteString("\n" + live.Verdicts(r.Holds))
	}
	b.WriteString(live.Excuse(late, skipped))
	_, err := io.WriteString(w, b.String())
	return err
}

// tale is the story, beside the simulator's and the operator's.
func (v *VariantReport) tale() string {
	text := v.story()
	if len(v.Levers) > 0 {
		text += "; by hand, " + strings.Join(v.Levers, ", ")
	}
	if v.Predicted != nil {
		text += "; simulated, it " + v.Predicted.story()
	}
	return text
}

func (r *MetastableReport) longest() (all []second) {
	for i := range r.Variants {
		if s := r.Variants[i].seconds; len(s) > len(all) {
			all = s
		}
	}
	return all
}
