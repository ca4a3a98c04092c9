package proxy

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/adapters/bolt"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/slo"
)

// maxBeacon bounds a beacon, and maxCounts what it may tell of one objective, so
// that a client which counts wrongly, or lies, cannot spend a budget at once.
const (
	maxBeacon      = 64 << 10
	maxCounts      = 1_000_000
	maxCountsBelow = 1_000 // at the door, where anybody may send one
)

// budgets is where counts outlive the process.
type budgets struct {
	path string // of the open file; empty: none is
	file *bolt.Budgets
}

// openBudgets opens the file that a policy file names, and restores what is in
// it. The caller holds the lock. The file that was opened first stays the one: a
// reload that names another takes effect with the next start.
func (p *Proxy) openBudgets(file *config.File) error {
	switch {
	case file.SLO == nil || file.SLO.Store == config.InMemory:
		return nil
	case p.budgets.path == file.SLO.Store:
		return nil
	case p.budgets.file != nil:
		p.log.Warn("another file for budgets is used from the next start on", "file", file.SLO.Store)
		return nil
	}
	b, err := bolt.OpenBudgets(file.SLO.Store)
	if err != nil {
		return fmt.Errorf("slo.store: %w", err)
	}
	states, err := b.Load()
	if err != nil {
		_ = b.Close()
		return fmt.Errorf("slo.store: %w", err)
	}
	p.budgets = budgets{file.SLO.Store, b}
	p.restored = states
	return nil
}

// restoreBudgets gives objectives that have just been made what is kept of them.
func (p *Proxy) restoreBudgets() {
	if p.restored == nil {
		return
	}
	if err := p.set.Objectives().Restore(p.restored); err != nil {
		p.log.Warn("budgets", "error", err)
	}
	p.restored = nil
}

// saveBudgets writes what was counted.
func (p *Proxy) saveBudgets(states map[string][]byte) {
	p.mu.Lock()
	file := p.budgets.file
	p.mu.Unlock()
	if file == nil {
		return
	}
	if err := file.Save(states); err != nil {
		p.local.Info("budgets could not be saved; they are tried again", "error", err)
	}
}

func (p *Proxy) closeBudgets() {
	if b := p.budgets.file; b != nil {
		if err := b.Close(); err != nil {
			p.log.Error("the file of budgets", "error", err)
		}
	}
}

// beacon takes what clients tell of objectives: {"checkout": {"good": 10, "bad": 1}}.
// All of it counts or none.
func (p *Proxy) beacon(w http.ResponseWriter, r *http.Request, most uint64) {
	counts, err := readBeacon(http.MaxBytesReader(w, r.Body, maxBeacon), most)
	if err != nil {
		say(w, http.StatusBadRequest, err.Error())
		return
	}
	file := p.set.File()
	for name := range counts {
		if o := file.SLO.Objective(name); o == nil || o.Place != config.PlaceBeacon {
			say(w, http.StatusNotFound, fmt.Sprintf("the policy file has no objective %q at: beacon", name))
			return
		}
	}
	objectives := p.set.Objectives()
	for name, c := range counts {
		objectives.Beacon(name, c)
	}
	w.WriteHeader(http.StatusNoContent)
}

// beaconAtDoor is beacon where anybody may send one.
func (p *Proxy) beaconAtDoor(w http.ResponseWriter, r *http.Request, s *config.SLO) {
	client := clientOf(r.RemoteAddr)
	wait, ok := p.beacons.admit(time.Now(), client, s.BeaconRate, s.BeaconClient)
	if !ok {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
		say(w, http.StatusTooManyRequests, "more beacons than slo.beacon-rate or slo.beacon-client-rate takes: "+
			"count for longer, and send them together")
		p.local.Info("a beacon was refused", "client", client, "again after", wait)
		return
	}
	p.beacon(w, r, maxCountsBelow)
}

var errBeacon = errors.New(`give counts of objectives, such as {"checkout": {"good": 10, "bad": 1}}`)

func readBeacon(body io.Reader, most uint64) (map[string]slo.Counts, error) {
	var told map[string]struct{ Good, Bad uint64 }
	d := json.NewDecoder(body)
	d.DisallowUnknownFields()
	if err := d.Decode(&told); err != nil {
		return nil, errors.Join(errBeacon, err)
	}
	if _, err := d.Token(); err != io.EOF || len(told) == 0 {
		return nil, errBeacon
	}
	counts := make(map[string]slo.Counts, len(told))
	for name, c := range told {
		if c.Good > most || c.Bad > most {
			return nil, fmt.Errorf("%s: more than %d at a time; send them more often", name, most)
		}
		counts[name] = slo.Counts{Bad: c.Bad, Total: c.Good + c.Bad}
	}
	return counts, nil
}

// SLOView is what "seakeep slo" shows.
type SLOView struct {
	At         time.Time       `json:"at"`
	Service    string          `json:"service"`
	Observe    bool            `json:"observe,omitempty"`
	Frozen     string          `json:"drills_frozen,omitempty"`
	Retries    float64         `json:"retries"` // the share of their budgets that retries and hedges have
	Degrade    int             `json:"degrade"` // features off at least
	Objectives []ObjectiveView `json:"objectives"`
}

// ObjectiveView is one objective.
type ObjectiveView struct {
	Name       string     `json:"name"`
	Place      string     `json:"place"`
	Dependency string     `json:"dependency,omitempty"`
	Objective  float64    `json:"objective"`
	LatencyMS  float64    `json:"latency_ms,omitempty"`
	FreshMS    float64    `json:"freshness_ms,omitempty"`
	Calendar   string     `json:"calendar"` // rolling, week, month or quarter
	Begin      time.Time  `json:"begin"`    // of the window
	End        time.Time  `json:"end"`
	Since      time.Time  `json:"since"` // when counting began
	Good       uint64     `json:"good"`
	Bad        uint64     `json:"bad"`
	Ratio      *float64   `json:"ratio,omitempty"` // of good events; none without events
	Left       float64    `json:"left"`            // of the budget, by the events that were
	OfPeriod   float64    `json:"left_of_period"`  // by those that the whole period will have had
	Excluded   uint64     `json:"excluded,omitempty"`
	Alerts     []BurnView `json:"alerts"`
	MinEvents  uint64     `json:"min_events"` // in the long window, for an alert to fire
	MinErrors  uint64     `json:"min_errors"` // as of MinEvents
	Steps      int        `json:"steps"`      // of the policy that are taken
	Policy     []StepView `json:"policy"`
	Back       float64    `json:"back,omitempty"` // by which more must be left for a step to be taken back
	CurveBegin time.Time  `json:"curve_begin"`
	Curve      []float64  `json:"curve"` // what was left, at equal distances until now
}

// StepView is what happens from some amount of budget left on.
type StepView struct {
	Left    float64 `json:"left"` // 0: it is spent
	Freeze  bool    `json:"freeze_drills,omitempty"`
	Retries float64 `json:"retries"` // the share of their budgets that retries and hedges have
	Degrade int     `json:"degrade"` // features off at least
	Taken   bool    `json:"taken"`
}

// BurnView is an alert.
type BurnView struct {
	WindowS float64 `json:"window_s"`
	ShortS  float64 `json:"short_s"`
	Page    bool    `json:"page"`
	Factor  float64 `json:"factor"`
	Burn    float64 `json:"burn"`       // over the long window
	Now     float64 `json:"burn_short"` // over the short one
	Events  uint64  `json:"events"`     // in the long window
	Errors  uint64  `json:"errors"`     // of them
	Firing  bool    `json:"firing"`
}

// curvePoints is how many points a curve has.
const curvePoints = 120

// SLOViewOf reads the objectives of a set.
func SLOViewOf(set *seakeep.Set) SLOView {
	file, objectives := set.File(), set.Objectives()
	a := objectives.Acts()
	v := SLOView{At: time.Now().UTC(), Service: file.Service, Frozen: a.Freeze, Retries: a.Spare,
		Degrade: a.Level, Objectives: []ObjectiveView{}}
	if file.SLO != nil {
		v.Observe = file.SLO.Observe
	}
	for _, s := range objectives.Snapshot(curvePoints) {
		v.Objectives = append(v.Objectives, objectiveView(&s))
	}
	return v
}

func objectiveView(s *seakeep.ObjectiveSnapshot) ObjectiveView {
	c := s.Config
	at := func(i core.Instant) time.Time { return time.Unix(0, int64(i)).UTC() }
	v := ObjectiveView{Name: s.Objective.Name, Place: s.Objective.Place.String(),
		Dependency: s.Objective.Dependency, Objective: c.Objective, LatencyMS: millis(c.Latency),
		FreshMS: millis(c.Freshness), Calendar: c.Window.Calendar.String(), Begin: at(s.Snapshot.Begin),
		End: at(s.End), Since: at(s.Since), Good: s.Counts.Total - s.Counts.Bad, Bad: s.Counts.Bad,
		Left: s.Left, OfPeriod: s.LeftOfPeriod, Excluded: s.Excluded, Steps: s.Taken,
		Alerts: []BurnView{}, MinEvents: c.Guard.Events, MinErrors: c.Guard.Bad, Policy: []StepView{},
		Back: c.Policy.Back, CurveBegin: s.Begin.UTC(), Curve: s.Curve}
	if bad, ok := s.Counts.Ratio(); ok {
		good := 1 - bad
		v.Ratio = &good
	}
	for _, b := range s.Burns {
		v.Alerts = append(v.Alerts, BurnView{WindowS: b.Pair.Long.Seconds(), ShortS: b.Pair.Short.Seconds(),
			Page: b.Page, Factor: b.Factor, Burn: b.Long, Now: b.Short, Events: b.LongCounts.Total,
			Errors: b.LongCounts.Bad, Firing: b.Firing})
	}
	for i, step := range c.Policy.Steps {
		v.Policy = append(v.Policy, StepView{Left: step.Left, Freeze: step.Freeze,
			Retries: cmp.Or(step.Spare, 1), Degrade: step.Level, Taken: i < s.Taken})
	}
	return v
}

// beaconOf returns the objectives that a request at the door is a client's beacon for;
// nil: it is none.
func (p *Proxy) beaconOf(r *http.Request) *config.SLO {
	s := p.set.File().SLO
	if s == nil || s.Beacon == "" || r.Method != http.MethodPost || r.URL.Path != s.Beacon {
		return nil
	}
	return s
}
