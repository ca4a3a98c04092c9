package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/curves"
	"github.com/seakeep/seakeep/cmd/seakeep/lab"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim"
)

// parsed reads a world as the simulator does.
func parsed(t *testing.T, s *stage, from, to time.Duration) *config.Scenario {
	t.Helper()
	d := config.Draft{Name: "scenario.yaml", Data: []byte(s.scenario(from, to)),
		Open: func(string) ([]byte, error) { return []byte(policyText(s.options.Protect)), nil }}
	world, err := d.Parse()
	if err != nil {
		t.Fatal(err)
	}
	return world
}

// The world of the API is that of docs/demo-and-simulation.md, with whatever rungs.
func TestWorldIsTheScenarioFile(t *testing.T) {
	for _, protect := range []string{"all", "none", "timeout,retry"} {
		o := long(t, protect)
		figures := func(s *config.Scenario) string {
			s.Warmup = 3 * time.Second
			r, err := sim.Run(s, sim.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("%+v", r)
		}
		s := &stage{options: o, rec: newRecorder(nil)}
		if figures(parsed(t, s, 0, o.For)) != figures(simulated(t, o)) {
			t.Errorf("with %s they differ", protect)
		}
	}
}

// Every order and every option makes a scenario that can be read.
func TestWorldCanBeRead(t *testing.T) {
	o := Defaults(time.Minute)
	o.Queue = 0
	o.Slow = append(o.Slow, Slow{"pricing", Down, 0, 12 * time.Second, 9 * time.Second},
		Slow{"inventory", Silent, 0, 30 * time.Second, time.Second})
	s := &stage{options: o, rec: newRecorder(nil)}
	for k, slow := range []*Slow{{Name: "pricing", Mean: floor}, nil, {Name: "pricing", Fault: Silent},
		{Name: "pricing", Fault: Down}, {Name: "pricing", Mean: usual}, nil} {
		s.orders.add(order{time.Duration(k)*4*time.Second + 123456789, "pricing", slow})
	}
	for from := range time.Duration(30) {
		world := parsed(t, s, from*time.Second, from*time.Second+foreseen)
		if world.Service("checkout").Queue.Rule != config.Refuse {
			t.Error("there is a queue")
		}
	}
}

// What the simulator foretells of the demo is what is measured afterwards.
func TestPredictedIsMeasured(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	why := predictedIsMeasured(t)
	if why != "" {
		why = predictedIsMeasured(t)
	}
	if why != "" {
		t.Skip(why)
	}
}

// predictedIsMeasured returns why there is nothing to compare.
func predictedIsMeasured(t *testing.T) (why string) {
	o := Defaults(time.Minute)
	o.Rate, o.Admin, o.Stay, o.Slow = 300, "127.0.0.1:0", true, nil
	s, err := newStage(o)
	defer s.stop()
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ran := make(chan *Report, 1)
	go func() { ran <- s.play(ctx, Screen{Out: &strings.Builder{}}) }()
	defer func() { end(); <-ran }()
	until(t, "a second has passed", func() bool { return s.rec.clock.Now() > time.Second })
	if err := s.orderSlow([]byte(`{"name": "recommendations", "latency": "500ms"}`)); err != nil {
		t.Fatal(err)
	}
	told, err := s.world(nil) // before any of it has happened
	if err != nil {
		t.Fatal(err)
	}
	w := told.(*worldView)
	w.World.Sets = []string{"for=10s"} // of two minutes, so that the race detector lives to see it
	runs := foretold(t, w.World)
	const last = 5 // seconds
	until(t, "it has happened", func() bool { return s.rec.clock.Now() > (last+settling+1)*time.Second })
	got, err := s.measured(url.Values{"over": {"15m"}})
	if err != nil {
		t.Fatal(err)
	}
	m := got.(*measuredView)
	if m.FromMS != w.FromMS || len(w.Slow) != 1 || len(m.Curves.Busy) < last {
		t.Fatalf("from %v and %v; %d spells, %d steps", m.FromMS, w.FromMS, len(w.Slow), len(m.Curves.Busy))
	}
	for _, late := range m.LateMS[:last] {
		if late == nil || *late > tooLate {
			return "the machine is too busy: requests were made late"
		}
	}
	near := func(what string, off float64, of func(*curves.Curves) []*float64) {
		t.Helper()
		real, all := sumOf(of(m.Curves)[:last]), []float64(nil)
		for _, r := range runs {
			all = append(all, sumOf(of(r)[:last]))
		}
		if low, high := slices.Min(all), slices.Max(all); real < low-off || real > high+off {
			t.Errorf("%s: %.1f, foretold were %.1f to %.1f", what, real, low, high)
		}
	}
	near("busy workers, added up", 12, func(c *curves.Curves) []*float64 { return c.Busy })
	for i, name := range names {
		near(name+": success", 0.3, func(c *curves.Curves) []*float64 { return c.Endpoints[i].Success })
		near(name+": fallback", 0.5, func(c *curves.Curves) []*float64 { return c.Endpoints[i].Fallback })
		near(name+": calls", 60, func(c *curves.Curves) []*float64 { return c.Endpoints[i].Calls })
		near(name+": open", 0.6, func(c *curves.Curves) []*float64 { return c.Endpoints[i].Open })
	}
	if open := sumOf(m.Curves.Endpoints[2].Open[:last]); open < 2 {
		t.Errorf("the breaker of recommendations was open for %.1f of %d seconds", open, last)
	}
	return ""
}

// foretold makes ten runs of a world, by the engine of the page.
func foretold(t *testing.T, w lab.World) (runs []*curves.Curves) {
	t.Helper()
	for seed := range uint64(10) {
		question, err := json.Marshal(lab.Question{Op: "predict", World: w, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		var a struct {
			Curves *curves.Curves
			Error  string
		}
		if err := json.Unmarshal(new(lab.Lab).Answer(question), &a); err != nil || a.Curves == nil {
			t.Fatal(err, a.Error)
		}
		runs = append(runs, a.Curves)
	}
	return runs
}

func sumOf(values []*float64) (sum float64) {
	for _, v := range values {
		if v != nil {
			sum += *v
		}
	}
	return sum
}

func TestMeasuredRefuses(t *testing.T) {
	s := &stage{rec: newRecorder(nil)}
	for _, over := range []string{"x", "0s", "16m"} {
		if _, err := s.measured(url.Values{"over": {over}}); err == nil {
			t.Errorf("%s is taken", over)
		}
	}
}

// A taken port is told, or another is found.
func TestListen(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if _, err := listen(taken.Addr().String(), false); err == nil ||
		!strings.Contains(err.Error(), "is taken by another program; give another address, or 127.0.0.1:0") {
		t.Errorf("%v", err)
	}
	l, err := listen(taken.Addr().String(), true)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if off := l.Addr().(*net.TCPAddr).Port - taken.Addr().(*net.TCPAddr).Port; off < 1 || off > spares {
		t.Errorf("%v instead of %v", l.Addr(), taken.Addr())
	}
	if _, err := listen("no-such-host.invalid:1", true); err == nil {
		t.Error("nowhere is an address")
	}
}
