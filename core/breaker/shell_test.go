package breaker

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// TestTheFastPathIsTheMachine runs the breaker beside its bare machine.
func TestTheFastPathIsTheMachine(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 4))
		c := fullConfig
		if seed%2 == 1 {
			c.Ramp = 0
		}
		b := mustNew(t, c)
		var m machine
		m.init(c, 1)
		now := core.Instant(rng.Int64() / 2)
		var open []Permit
		for i := range 4000 {
			now = now.Add(time.Duration(rng.IntN(8)) * time.Millisecond)
			var got, want Change
			switch x := rng.IntN(100); {
			case x < 55 || len(open) == 0 && x < 95:
				var p, q Permit
				p, got = b.Admit(now)
				q, want = m.admit(now)
				if p != q {
					t.Fatalf("seed %d step %d: permit %+v, machine %+v", seed, i, p, q)
				}
				open = append(open, p) // refused ones too
			case x < 95:
				j := rng.IntN(len(open))
				o := core.Outcome(1 + rng.IntN(6))
				if now/core.Instant(2*time.Second)%2 == 0 {
					o = success
				}
				got = b.Report(now, open[j], o, 0)
				if open[j].OK() {
					want = m.report(now, open[j], o, 0)
				}
				open = slices.Delete(open, j, j+1)
			case x < 99:
				if d, e := b.RetryAfter(now), m.retryAfter(now); d != e {
					t.Fatalf("seed %d step %d: retry after %v, machine %v", seed, i, d, e)
				}
			case rng.IntN(20) == 0:
				to := Mode(rng.IntN(3))
				got, want = b.Force(now, to), m.force(now, to)
			case rng.IntN(20) == 0:
				got, want = b.Reset(now), m.reset(now)
			}
			if got != want {
				t.Fatalf("seed %d step %d: change %+v, machine %+v", seed, i, got, want)
			}
			if rng.IntN(10) == 0 {
				if s, u := b.Snapshot(now), m.snapshot(now); !reflect.DeepEqual(s, u) {
					t.Fatalf("seed %d step %d: snapshot\n%+v machine\n%+v", seed, i, s, u)
				}
			}
		}
	}
}

// When a report has shown that the open time is over, an older reading of the
// clock does not shut the gate again.
func TestTheGateFollowsTheLatestReading(t *testing.T) {
	r := newRig(t, consecutive(1, time.Second, 1))
	old := r.admitted(0)
	r.run(0, failure)
	r.refused(ms(900), core.CircuitOpen)
	r.tell(ms(1000), old, success, 0)
	r.trial(ms(900))
}

// TestManyGoroutines lets real goroutines use one breaker, then checks what
// must hold in any order: the changes make one unbroken chain of legal edges,
// and there are never more trials than allowed.
func TestManyGoroutines(t *testing.T) {
	c := fullConfig
	c.Trials.Wait = time.Hour // no trial is lost here
	b := mustNew(t, c)
	var clock, trials, tooMany atomic.Int64
	var mu sync.Mutex
	var changes []Change
	note := func(ch Change) {
		if ch.Happened() {
			mu.Lock()
			changes = append(changes, ch)
			mu.Unlock()
		}
	}
	var wg sync.WaitGroup
	for g := range uint64(8) {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(g, 5))
			for range 3000 {
				now := core.Instant(clock.Add(int64(300 * time.Microsecond)))
				p, ch := b.Admit(now)
				note(ch)
				if p.Trial() && trials.Add(1) > int64(c.Trials.AtOnce) {
					tooMany.Add(1)
				}
				o := success
				if now/core.Instant(time.Second)%2 == 1 && rng.IntN(3) > 0 {
					o = failure
				}
				if p.Trial() {
					trials.Add(-1) // before the report: the next one may start within it
				}
				note(b.Report(core.Instant(clock.Load()), p, o, 0))
			}
		})
	}
	wg.Wait()
	slices.SortFunc(changes, func(x, y Change) int { return int(x.Seq) - int(y.Seq) })
	state := Closed
	for i, ch := range changes {
		if ch.Seq != uint64(i)+2 || ch.From != state ||
			!slices.Contains(legal[ch.edge], ch.Reason) {
			t.Fatalf("change %d: %+v after %v", i, ch, state)
		}
		state = ch.To
	}
	if len(changes) < 4 || tooMany.Load() > 0 {
		t.Errorf("%d changes, %d times too many trials", len(changes), tooMany.Load())
	}
}

func TestHotPathsDoNotAllocate(t *testing.T) {
	closed, open := mustNew(t, benchConfig), tripped(t)
	half := tripped(t)
	now := core.Instant(0)
	for name, f := range map[string]func(){
		"closed": func() {
			now = now.Add(time.Millisecond)
			for i, o := range []core.Outcome{success, success, success, failure, ignored} {
				p, _ := closed.Admit(now)
				closed.Report(now, p, o, time.Duration(i)*66*time.Millisecond)
			}
		},
		"open": func() { open.Admit(0); open.RetryAfter(0) },
		"half-open": func() {
			p, _ := half.Admit(ms(60000))
			half.Admit(ms(60000))
			half.Report(ms(60000), p, ignored, 0)
		},
	} {
		if n := testing.AllocsPerRun(1000, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if s := closed.Snapshot(now); s.State != Closed || s.Window.Calls < 4000 {
		t.Errorf("the closed one is %v with %+v", s.State, s.Window)
	}
}
