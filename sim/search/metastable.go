package search

import (
	"errors"
	"fmt"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim"
)

// Phase is what became of a system after a trigger.
type Phase uint8

const (
	// Stable: back to normal within a twentieth of the watch, or at once.
	Stable Phase = iota
	// Slow: it came back, later.
	Slow
	// Stuck: it had not come back when the watch ended.
	Stuck
)

var phaseNames = [...]string{"stable", "slow", "stuck"}

// String returns the phase's name.
func (p Phase) String() string {
	if int(p) < len(phaseNames) {
		return phaseNames[p]
	}
	return "invalid"
}

// Watch says how a system's recovery is judged.
type Watch struct {
	// After is how long the system is watched after the trigger has ended.
	After time.Duration
	// Good is the share of requests that must be answered for it to count as
	// normal; 0 is 95 %.
	Good float64
}

const goodShare = 0.95

// Recovery is what became of one run.
type Recovery struct {
	Phase Phase
	// At is how long after the end of the trigger the last bad slice of time
	// ended; zero if none was bad.
	At      time.Duration
	Offered float64 // calls a second to the busiest service, in the last quarter of the watch
	Goodput float64 // answered requests a second, in the last quarter of the watch
}

// trigger returns the change that upsets the system: the first that is undone.
func trigger(s *config.Scenario) (int, error) {
	for i := range s.Changes {
		if s.Changes[i].Length > 0 {
			return i, nil
		}
	}
	return 0, errors.New("the scenario has no change with a `for`, which would be the trigger; " +
		"give one such as {at: 10s, for: 5s, client: users, rate: 1500/s}")
}

// Triggered returns the scenario with its trigger made so many times as big
// and so long, and watched for so long afterwards.
func Triggered(s *config.Scenario, size float64, length time.Duration, w Watch) (*config.Scenario, error) {
	k, err := trigger(s)
	if err != nil {
		return nil, err
	}
	c := Clone(s)
	t := &c.Changes[k]
	t.Length = length
	switch t.Kind {
	case config.SetRate:
		base := rateOf(c, t.Of)
		t.Rate = base + (t.Rate-base)*size
	case config.SetWork:
		t.Work = scaled(t.Work, size)
	case config.SetFails:
		t.Share = min(1, t.Share*size)
	}
	c.For = t.At + length + w.After
	c.Warmup = 0
	return c, nil
}

// Sizable reports whether the trigger has a size: something goes down in one
// way only.
func Sizable(s *config.Scenario) bool {
	k, err := trigger(s)
	if err != nil {
		return false
	}
	switch s.Changes[k].Kind {
	case config.SetRate, config.SetWork, config.SetFails:
		return true
	}
	return false
}

func rateOf(s *config.Scenario, client string) float64 {
	for _, c := range s.Clients {
		if c.Name == client {
			return c.Rate
		}
	}
	return 0
}

func scaled(l config.Latency, by float64) config.Latency {
	scale := func(d time.Duration) time.Duration { return time.Duration(float64(d) * by) }
	l.Floor, l.Mean, l.Median, l.Stall = scale(l.Floor), scale(l.Mean), scale(l.Median), scale(l.Stall)
	points, parts := l.Points, l.Parts // the original keeps its own
	l.Points, l.Parts = nil, nil
	for _, p := range points {
		p.Value = scale(p.Value)
		l.Points = append(l.Points, p)
	}
	for _, p := range parts {
		p.Latency = scaled(p.Latency, by)
		l.Parts = append(l.Parts, p)
	}
	return l
}

// Judge says what became of a run after its trigger, which ended at end.
func Judge(r *sim.Result, end time.Duration, w Watch) Recovery {
	good := w.Good
	if good == 0 {
		good = goodShare
	}
	n := int(r.For / r.Slice)
	last := end
	var answered, sent uint64
	for i := range n {
		var o sim.Outcomes
		for _, e := range r.Endpoints {
			if i < len(e.Slices) {
				o.Sent += e.Slices[i].Sent
				o.OK += e.Slices[i].Answered()
			}
		}
		from, to := time.Duration(i)*r.Slice, time.Duration(i+1)*r.Slice
		if o.Sent > 0 && float64(o.OK) < good*float64(o.Sent) && to > end && to < r.For-r.Slice {
			last = to
		}
		if from >= r.For-w.After/4 && to <= r.For-r.Slice {
			answered += o.OK
			sent += o.Sent
		}
	}
	waiting := uint64(0)
	for _, e := range r.Endpoints {
		waiting += e.Unended
	}
	rec := Recovery{At: last - end, Goodput: float64(answered) / (w.After / 4).Seconds()}
	rec.Offered = offered(r, w.After/4)
	switch {
	case sent > 0 && float64(answered) < good*float64(sent), sent == 0 && waiting > 0:
		rec.Phase = Stuck // also if all users of a closed loop wait for ever
	case rec.At > max(w.After/20, 2*r.Slice):
		rec.Phase = Slow
	}
	return rec
}

// offered is the highest rate of arrivals at any service late in the run.
func offered(r *sim.Result, window time.Duration) (most float64) {
	for _, s := range r.Services {
		n := len(s.Samples)
		k := n - 1
		for k > 0 && s.Samples[k].At > r.For-window {
			k--
		}
		if n > 1 && s.Samples[n-1].At > s.Samples[k].At {
			rate := float64(s.Samples[n-1].Arrived-s.Samples[k].Arrived) /
				(s.Samples[n-1].At - s.Samples[k].At).Seconds()
			most = max(most, rate)
		}
	}
	return most
}

// Recover makes one run with a trigger and judges it.
func Recover(s *config.Scenario, size float64, length time.Duration, w Watch) (Recovery, error) {
	c, err := Triggered(s, size, length, w)
	if err != nil {
		return Recovery{}, err
	}
	r, err := sim.Run(c, sim.Options{})
	if err != nil {
		return Recovery{}, err
	}
	k, _ := trigger(c)
	return Judge(r, c.Changes[k].At+length, w), nil
}

// Cell is one field of the map of triggers.
type Cell struct {
	Size   float64
	Length time.Duration
	Recovery
}

// Map tries every size of the trigger with every length.
func Map(s *config.Scenario, sizes []float64, lengths []time.Duration, w Watch) ([]Cell, error) {
	var out []Cell
	for _, size := range sizes {
		for _, length := range lengths {
			r, err := Recover(s, size, length, w)
			if err != nil {
				return nil, err
			}
			out = append(out, Cell{size, length, r})
		}
	}
	return out, nil
}

// Describe says in words what the trigger is; empty if there is none.
func Describe(s *config.Scenario) string {
	k, err := trigger(s)
	if err != nil {
		return ""
	}
	c := s.Changes[k]
	what := map[config.ChangeKind]string{config.SetWork: "slows down", config.SetFails: "fails",
		config.GoDown: "goes down", config.GoSilent: "does not answer", config.Restart: "restarts",
		config.CutNetwork: "is cut off", config.SetPolicy: "has another policy",
		config.SetCapacity: "has another capacity", config.SetAdmission: "lets in less"}[c.Kind]
	if c.Kind == config.SetRate {
		what = fmt.Sprintf("sends %.4g/s instead of %.4g/s", c.Rate, rateOf(s, c.Of))
	}
	return fmt.Sprintf("%s %s for %v", c.Of, what, c.Length)
}
