package search

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim"
)

// caller returns the open-loop client whose load is varied: the one that the
// trigger changes, or the first.
func caller(s *config.Scenario) (*config.Client, error) {
	name := ""
	if k, err := trigger(s); err == nil && s.Changes[k].Kind == config.SetRate {
		name = s.Changes[k].Of
	}
	for _, c := range s.Clients {
		if c.Users == 0 && (name == "" || c.Name == name) {
			return c, nil
		}
	}
	return nil, errors.New("the scenario has no client with a rate, whose load could be varied")
}

// AtLoad returns the scenario with another load; its trigger stays as it is.
func AtLoad(s *config.Scenario, rate float64) (*config.Scenario, error) {
	c := Clone(s)
	cl, err := caller(c)
	if err != nil {
		return nil, err
	}
	cl.Rate = rate
	return c, nil
}

// patient is how many times as long SafeLoad watches.
const patient = 5

// SafeLoad finds the highest load at which the system comes back from its
// trigger, within five times the watch: below it, it is never metastable for
// that trigger. The answer is within a hundredth of the load in use.
func SafeLoad(s *config.Scenario, w Watch) (*EdgeResult, error) {
	cl, err := caller(s)
	if err != nil {
		return nil, err
	}
	k, err := trigger(s)
	if err != nil {
		return nil, err
	}
	length := s.Changes[k].Length
	w.After *= patient // close to the edge a backlog goes slowly
	q := EdgeQuery{From: cl.Rate / 50, To: cl.Rate, Runs: 1, Within: 0.01, Present: cl.Rate}
	return Edge(q, func(rate float64, _ []uint64) ([]bool, error) {
		c, err := AtLoad(s, rate)
		if err != nil {
			return nil, err
		}
		r, err := Recover(c, 1, length, w)
		return []bool{r.Phase != Stuck}, err
	})
}

// RampPoint is one step of a load that goes up and comes down again.
type RampPoint struct {
	Load     float64 // requests a second
	Up, Down float64 // answered requests a second on the way up, and down
}

// mostSteps is as many as leave each of the steps, up and down, two slices of
// the run's time.
const mostSteps = 30

// Ramp raises the load in steps to the highest and lowers it again. Where the
// two ways differ, the system has two states at the same load. Changes of the
// scenario are left out.
func Ramp(s *config.Scenario, highest float64, steps int, hold time.Duration) ([]RampPoint, error) {
	if steps < 1 || steps > mostSteps {
		return nil, fmt.Errorf("a ramp of %d steps; give a number from 1 to %d", steps, mostSteps)
	}
	c := Clone(s)
	cl, err := caller(c)
	if err != nil {
		return nil, err
	}
	c.Changes, c.Warmup = nil, 0
	at := time.Duration(0)
	loads := make([]float64, 0, 2*steps)
	for i := range 2 * steps {
		k := i + 1
		if i >= steps {
			k = 2*steps - i
		}
		loads = append(loads, highest*float64(k)/float64(steps))
		c.Changes = append(c.Changes, config.Change{Kind: config.SetRate, Of: cl.Name, At: at,
			Rate: loads[i]})
		at += hold
	}
	c.For = at
	cl.Rate = loads[0]
	r, err := sim.Run(c, sim.Options{})
	if err != nil {
		return nil, err
	}
	points := make([]RampPoint, steps)
	for i, load := range loads {
		// The first half of a step is for the system to settle.
		from, to := time.Duration(i)*hold+hold/2, time.Duration(i+1)*hold
		g := goodput(r, from, to)
		if i < steps {
			points[i] = RampPoint{Load: load, Up: g}
		} else {
			points[2*steps-1-i].Down = g
		}
	}
	return points, nil
}

// goodput is how many requests made in an interval were answered, a second. An
// interval of two slices of time or more holds a whole one.
func goodput(r *sim.Result, from, to time.Duration) float64 {
	var n uint64
	from = max(0, min(from, to-2*r.Slice))
	first, last := int(math.Ceil(float64(from)/float64(r.Slice))), int(to/r.Slice)
	for _, e := range r.Endpoints {
		for i := first; i < min(last, len(e.Slices)); i++ {
			n += e.Slices[i].Answered()
		}
	}
	return float64(n) / (float64(last-first) * r.Slice.Seconds())
}

// WayOut is a cut of the load that ends a metastable state.
type WayOut struct {
	For   time.Duration // how long the load is cut
	To    float64       // to which share of normal at most; negative: no cut of this length is enough
	After Recovery      // what follows
}

// WaysOut lets the trigger happen, waits until the system is stuck, and finds
// for each length the mildest cut of load after which it comes back.
func WaysOut(s *config.Scenario, lengths []time.Duration, w Watch) ([]WayOut, error) {
	cl, err := caller(s)
	if err != nil {
		return nil, err
	}
	var out []WayOut
	for _, d := range lengths {
		way := WayOut{For: d, To: -1}
		low, high := 0.0, 1.0
		for range 6 {
			share := (low + high) / 2
			if way.To < 0 && low == 0 && high == 1 {
				share = 0
			}
			r, err := cut(s, cl, share, d, w)
			if err != nil {
				return nil, err
			}
			if r.Phase == Stuck {
				if share == 0 {
					break
				}
				high = share
				continue
			}
			way.To, way.After, low = share, r, share
		}
		out = append(out, way)
	}
	return out, nil
}

// settle is how long a stuck system is left alone before the load is cut.
const settle = 20 * time.Second

// cut makes a run in which the load is cut to a share for a time.
func cut(s *config.Scenario, cl *config.Client, share float64, d time.Duration, w Watch) (Recovery, error) {
	k, err := trigger(s)
	if err != nil {
		return Recovery{}, err
	}
	c := Clone(s)
	from := s.Changes[k].At + s.Changes[k].Length + settle
	c.Changes = append(c.Changes, config.Change{Kind: config.SetRate, Of: cl.Name, At: from, Length: d,
		Rate: max(cl.Rate*share, 1e-9)})
	c.For, c.Warmup = from+d+w.After, 0
	r, err := sim.Run(c, sim.Options{})
	if err != nil {
		return Recovery{}, err
	}
	return Judge(r, from+d, w), nil
}

// HasLoad reports whether there is a client whose load can be varied.
func HasLoad(s *config.Scenario) bool {
	_, err := caller(s)
	return err == nil
}

// Load returns the rate of that client; 0 if there is none.
func Load(s *config.Scenario) float64 {
	c, err := caller(s)
	if err != nil {
		return 0
	}
	return c.Rate
}
