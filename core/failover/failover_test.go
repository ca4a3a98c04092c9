package failover

import (
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

const second = core.Instant(time.Second)

func mustNew(t testing.TB, c Config) *Failover {
	t.Helper()
	f, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		c    Config
		want string
	}{
		{Config{}, ""},
		{Config{Share: 1, Back: Back{Share: 1, Begin: 1}}, ""},
		{Config{Share: -0.1}, "Share: is -0.1; give a share such as 20%, at most 1"},
		{Config{Share: math.NaN()}, "Share: is NaN"},
		{Config{Window: time.Millisecond}, "Window: is 1ms; give a time such as 30s, from 10ms to 1h0m0s"},
		{Config{Calls: -1}, "Calls: is -1; give a number of calls such as 20, at most 1000000"},
		{Config{Back: Back{After: 25 * time.Hour}}, "Back.After: is 25h0m0s"},
		{Config{Back: Back{Begin: 2}}, "Back.Begin: is 2"},
		{Config{Back: Back{Step: -1}}, "Back.Step: is -1ns"},
		{Config{Back: Back{Calls: 1e7}}, "Back.Calls: is 10000000"},
		{Config{Back: Back{Share: 0.3}}, "Back.Share: is 0.3 and more than Share, 0.2; give less"},
	} {
		err := c.c.Validate()
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.c, err, c.want)
		}
		if _, made := New(c.c); (made == nil) != (err == nil) {
			t.Errorf("%+v: New says %v", c.c, made)
		}
		if f := mustNew(t, Config{}); (f.Reconfigure(c.c) == nil) != (err == nil) {
			t.Errorf("%+v: Reconfigure does not agree", c.c)
		}
	}
}

func TestNames(t *testing.T) {
	for s, want := range []string{"first", "second", "returning", "invalid"} {
		if State(s).String() != want {
			t.Errorf("state %d is called %s", s, State(s))
		}
	}
}

// However the draws fall and whatever calls bring: who stays is never diverted,
// nobody else is sent to the first within the wait, the share is one of the
// steps', and every call is counted at one of the two.
func TestPromises(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	var states [3]int
	for range 200 {
		c := Config{Share: 0.1 + 0.8*random.Float64(), Calls: 1 + random.IntN(10),
			Window: time.Duration(1+random.IntN(20)) * time.Second,
			Back: Back{After: time.Duration(1+random.IntN(20)) * time.Second,
				Begin: 0.01 + 0.5*random.Float64(), Step: time.Second, Calls: 1 + random.IntN(5)}}
		f, now, left, calls := mustNew(t, c), core.Instant(0), -core.Instant(math.MaxInt64/2), uint64(0)
		bad := random.Float64()
		for range 500 {
			now += core.Instant(random.Int64N(int64(time.Second)))
			if random.IntN(50) == 0 {
				bad = random.Float64() * float64(random.IntN(2))
			}
			stays, draw := random.IntN(5) == 0, random.Float64()
			p, _ := f.Admit(now, stays, draw)
			calls++
			s := f.Snapshot(now)
			states[s.State]++
			switch {
			case stays && p.Second(), s.State == First && p.Second():
				t.Fatalf("%+v: a call is diverted in %+v", c, s)
			case !stays && !p.Second() && now.Sub(left) < c.Back.After:
				t.Fatalf("%+v: a call to the first %v after it was left", c, now.Sub(left))
			case s.State == Returning && !stays && p.Second() != (draw >= s.Share):
				t.Fatalf("%+v: a draw of %v in %+v", c, draw, s)
			case s.State == Returning && !isStep(c.Back.Begin, s.Share):
				t.Fatalf("%+v: a share of %v", c, s.Share)
			case s.ToFirst+s.ToSecond != calls:
				t.Fatalf("%+v: %d calls in %+v", c, calls, s)
			}
			o := core.Success
			if random.Float64() < bad {
				o = core.Failure
			}
			if ch := f.Report(now, p, o); ch.To == Second {
				left = now
			}
		}
	}
	for s, n := range states {
		if n < 5000 {
			t.Errorf("only %d calls in state %v", n, State(s))
		}
	}
}

func isStep(begin, share float64) bool {
	for ; begin < 1; begin *= 2 {
		if begin == share {
			return true
		}
	}
	return false
}

// Of a first provider that is down for an hour, with ten calls a second, few
// calls learn of it: the 20 that tell, and those of the returns.
func TestFewCallsHearOfAnOutage(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	f, failed := mustNew(t, Config{}), 0
	for now := core.Instant(0); now < 3600*second; now += second / 10 {
		p, _ := f.Admit(now, false, random.Float64())
		if p.Second() {
			f.Report(now, p, core.Success)
			continue
		}
		failed++
		f.Report(now, p, core.Failure)
	}
	if s := f.Snapshot(3600 * second); failed > 20+2*s.Returns || s.Returns < 7 {
		t.Errorf("%d calls failed in %d returns", failed, s.Returns)
	}
}

// A share of failures between the two limits moves nothing back, and none back
// and forth.
func TestNoFlapping(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	f, changes := mustNew(t, Config{Share: 0.3, Back: Back{Share: 0.1, After: 10 * time.Second}}), 0
	count := func(ch Change) {
		if ch.Happened() {
			changes++
		}
	}
	bad := 0.5
	for now := core.Instant(0); now < 600*second; now += second / 20 {
		if now == 5*second {
			bad = 0.2
		}
		p, ch := f.Admit(now, false, random.Float64())
		count(ch)
		o := core.Success
		if !p.Second() && random.Float64() < bad {
			o = core.Timeout
		}
		count(f.Report(now, p, o))
	}
	// One to leave, and two for each try, whose waits double up to 80 s.
	if s := f.Snapshot(600 * second); changes > 1+2*(s.Returns+1) || s.Returns > 11 || s.State == First {
		t.Errorf("%d changes, %+v", changes, s)
	}
}

func TestConcurrently(t *testing.T) {
	f := mustNew(t, Config{Window: time.Hour, Back: Back{After: 10 * time.Millisecond, Step: 10 * time.Millisecond}})
	const each = 500
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(g), 1))
			for n := range each {
				now := core.Instant(n) * core.Instant(time.Millisecond)
				p, _ := f.Admit(now-core.Instant(g), g == 0, random.Float64())
				o := core.Success
				if n/100%2 == 1 {
					o = core.Failure
				}
				f.Report(now, p, o)
				f.Snapshot(now)
			}
		})
	}
	wg.Wait()
	if s := f.Snapshot(0); s.ToFirst+s.ToSecond != 8*each || s.ToSecond == 0 {
		t.Errorf("%+v", s)
	}
}

func TestNothingAllocates(t *testing.T) {
	f, now := mustNew(t, Config{}), core.Instant(0)
	n := testing.AllocsPerRun(1000, func() {
		now += core.Instant(time.Millisecond)
		p, _ := f.Admit(now, false, 0.5)
		f.Report(now, p, core.Success)
		f.Snapshot(now)
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAdmitReport(b *testing.B) {
	f := mustNew(b, Config{})
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		now := core.Instant(n) * 1000
		p, _ := f.Admit(now, false, 0.5)
		f.Report(now, p, core.Success)
	}
}
