package slo

import (
	"sync"

	"github.com/seakeep/seakeep/core"
)

// SLO counts the events of one objective. It is safe for use by many
// goroutines. Make one with New.
//
// Each event does Report once; Sweep is called every few seconds and says what
// has changed.
type SLO struct {
	mu   sync.Mutex
	last core.Instant // the latest time told, because the machine's never goes back
	m    machine
}

// New returns an objective that has counted nothing.
func New(now core.Instant, c Config) (*SLO, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &SLO{last: now, m: newMachine(now, c)}, nil
}

// Report counts one event.
func (s *SLO) Report(now core.Instant, good bool) {
	c := Counts{Total: 1}
	if !good {
		c.Bad = 1
	}
	s.Add(now, c)
}

// Add counts events that were counted elsewhere. More bad ones than there are in
// all count as all.
func (s *SLO) Add(now core.Instant, c Counts) {
	c.Bad = min(c.Bad, c.Total)
	s.mu.Lock()
	s.m.add(s.clamp(now), c)
	s.mu.Unlock()
}

// Change is an alert that begins or ends to fire, or steps of the policy that
// are taken or given back.
type Change struct {
	Alert    bool    // of Burn; otherwise of the policy
	Burn     Burn    // Burn.Firing says which way
	From, To int     // how many steps are taken
	Left     float64 // of the budget of the period, where steps changed
	Seq      uint64  // rises by one with each change, from 1
}

// Burn is how fast a pair's windows burn.
type Burn struct {
	Pair
	Factor                  float64 // beyond which both must be
	Long, Short             float64
	LongCounts, ShortCounts Counts
	Firing                  bool
}

// Sweep works out what has changed, and returns when to call it again.
func (s *SLO) Sweep(now core.Instant) (changes []Change, next core.Instant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now = s.clamp(now)
	changes = s.m.sweep(now)
	return changes, now.Add(finest)
}

// Reconfigure changes the settings while the objective is in use. What was
// counted stays; whoever changes what a good event is makes a new objective.
func (s *SLO) Reconfigure(now core.Instant, c Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m.reconfigure(s.clamp(now), c)
	return nil
}

// Snapshot is an objective at one moment. All numbers are finite.
type Snapshot struct {
	Config       Config // filled
	Begin, End   core.Instant
	Since        core.Instant // when counting began
	Counts       Counts       // in the window
	Left         float64      // of the budget, by the events that were; below 0: overspent
	LeftOfPeriod float64      // by those that a whole period will have had
	Excluded     uint64       // events in maintenance, since the start
	Burns        []Burn       // of each alert
	Taken        int          // steps of the policy
	Acts         Step         // what these ask for together; its Left is the last one's
}

// Snapshot returns the objective as it is at now.
func (s *SLO) Snapshot(now core.Instant) Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &s.m
	now = s.clamp(now)
	out := Snapshot{Config: m.cfg, Since: m.since, Counts: m.period(now), Excluded: m.excluded,
		Taken: m.level, Acts: m.acts()}
	out.Begin, out.End = m.cfg.Window.Bounds(now)
	out.Left, out.LeftOfPeriod = m.left(now, out.Counts)
	for i, p := range m.cfg.Alerts {
		b := m.judge(now, p)
		b.Firing = m.firing[i] // as Sweep has told
		out.Burns = append(out.Burns, b)
	}
	return out
}

// Curve returns how the budget of the window of now was spent: what was left at
// so many times, from 2 to 720, at equal distances from begin to now. It begins
// with all of it, and ends with what is left by the events that were.
func (s *SLO) Curve(now core.Instant, points int) (begin core.Instant, left []float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now = s.clamp(now)
	return s.m.curve(now, min(max(points, 2), slices))
}

// clamp returns the latest time told so far: two goroutines may read the clock
// in one order and take the lock in the other, and a clock may be put back.
func (s *SLO) clamp(now core.Instant) core.Instant {
	s.last = max(s.last, now)
	return s.last
}
