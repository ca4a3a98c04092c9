package seakeep

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/fault"
)

// notes keeps the events that an observer hears.
type notes struct {
	mu   sync.Mutex
	list []core.Event
}

func (n *notes) Observe(e core.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, e)
}

func (n *notes) of(k core.EventKind) (list []core.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, e := range n.list {
		if e.Kind == k {
			list = append(list, e)
		}
	}
	return list
}

// hurtable is a policy of which everything may be hurt.
func hurtable(t *testing.T, c Config, observer core.Observer) *Policy {
	t.Helper()
	c.Name = "d"
	c.More = &More{Faults: &fault.Config{Name: "d", Allow: true, Share: 1}, Draw: func() float64 { return 0.5 },
		Observer: observer}
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func begin(t *testing.T, p *Policy, r fault.Rule) {
	t.Helper()
	if r.Name == "" {
		r.Name = "f"
	}
	if r.Share == 0 {
		r.Share = 1
	}
	if err := p.Faults().Start(r, true); err != nil {
		t.Fatal(err)
	}
}

func ok(context.Context) (string, error) { return "ok", nil }

func TestFaultsHurtFunctions(t *testing.T) {
	for _, row := range []struct {
		hurt fault.Hurt
		want core.Result
		is   error
		took time.Duration
	}{
		{fault.Hurt{Kind: fault.Latency, Delay: time.Second}, core.Result{Outcome: core.Success}, nil, time.Second},
		{fault.Hurt{Kind: fault.Latency, Delay: 3 * time.Second},
			core.Result{Outcome: core.Timeout, Cause: core.TimedOut}, context.DeadlineExceeded, 2 * time.Second},
		{fault.Hurt{Kind: fault.Error, Status: 500}, core.Result{Outcome: core.Failure, Cause: core.ServerError}, nil, 0},
		{fault.Hurt{Kind: fault.Error, Status: 503}, core.Result{Outcome: core.Overloaded, Cause: core.Unavailable}, nil, 0},
		{fault.Hurt{Kind: fault.Error, GRPC: 14}, core.Result{Outcome: core.Failure, Cause: core.Unavailable}, nil, 0},
		{fault.Hurt{Kind: fault.Refused}, core.Result{Outcome: core.Failure, Cause: core.Unsent}, syscall.ECONNREFUSED, 0},
		{fault.Hurt{Kind: fault.Reset}, core.Result{Outcome: core.Failure, Cause: core.Reset}, syscall.ECONNRESET, 0},
		{fault.Hurt{Kind: fault.NoAnswer}, core.Result{Outcome: core.Timeout, Cause: core.TimedOut},
			context.DeadlineExceeded, 2 * time.Second},
		{fault.Hurt{Kind: fault.SlowBody, Delay: time.Second, Bytes: 1}, core.Result{Outcome: core.Success}, nil, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			heard := &notes{}
			p := hurtable(t, Config{Timeout: Timeout{Request: 2 * time.Second}}, heard)
			begin(t, p, fault.Rule{Hurt: row.hurt})
			var report Report
			start := time.Now()
			_, err := Do(With(t.Context(), Call{Report: &report}), p, ok)
			if took := time.Since(start); took != row.took {
				t.Errorf("%+v takes %v", row.hurt, took)
			}
			if a := report.Attempts; len(a) != 1 || a[0].Result != row.want || a[0].Faults != "f" {
				t.Errorf("%+v is told as %+v", row.hurt, a)
			}
			if (err == nil) != (row.want.Outcome == core.Success) || row.is != nil && !errors.Is(err, row.is) {
				t.Errorf("%+v gives %v", row.hurt, err)
			}
			if e := heard.of(core.FaultInjected); len(e) != 1 || e[0].Key != "f" || e[0].Policy != "d" ||
				e[0].Detail != row.hurt.Kind.String() || e[0].Took != row.hurt.Delay && row.hurt.Kind == fault.Latency {
				t.Errorf("%+v is the event %+v", row.hurt, e)
			}
			if s := p.Faults().Snapshot(); s.Active != 0 {
				t.Errorf("%+v leaves %d hurt", row.hurt, s.Active)
			}
		})
	}
}

// The composition is written down, the delay lies within the attempt's limit,
// and who leaves during it is no failure.
func TestF167Composition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := hurtable(t, Config{Timeout: Timeout{Total: 50 * time.Millisecond}}, nil)
		begin(t, p, fault.Rule{Hurt: fault.Hurt{Kind: fault.Latency, Delay: 100 * time.Millisecond}})
		start := time.Now()
		if _, err := Do(t.Context(), p, ok); !errors.Is(err, context.DeadlineExceeded) ||
			time.Since(start) != 50*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		p := hurtable(t, Config{}, nil)
		begin(t, p, fault.Rule{Hurt: fault.Hurt{Kind: fault.Latency, Delay: 100 * time.Millisecond}})
		begin(t, p, fault.Rule{Name: "e", Hurt: fault.Hurt{Kind: fault.Error, Status: 503}})
		start := time.Now()
		var failed *FaultError
		if _, err := Do(t.Context(), p, ok); !errors.As(err, &failed) || failed.Hurt.Status != 503 ||
			failed.By != "f,e" || time.Since(start) != 100*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		ctx, cancel := context.WithCancel(t.Context())
		var report Report
		go func() {
			time.Sleep(10 * time.Millisecond)
			cancel()
		}()
		_, err := Do(With(ctx, Call{Report: &report}), p, ok)
		if err != context.Canceled || report.Attempts[0].Result.Outcome != core.Cancelled {
			t.Errorf("%v, %+v", err, report)
		}
	})
}

// Half of a thousand callers leave during their delay; nobody counts as hurt in
// the end.
func TestF164ReleasedWhenCallersLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := hurtable(t, Config{}, nil)
		begin(t, p, fault.Rule{Hurt: fault.Hurt{Kind: fault.Latency, Delay: 100 * time.Millisecond}})
		var group sync.WaitGroup
		for n := range 1000 {
			group.Go(func() {
				ctx := t.Context()
				if n%2 == 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, 50*time.Millisecond)
					defer cancel()
				}
				_, _ = Do(ctx, p, ok)
			})
		}
		group.Wait()
		if s := p.Faults().Snapshot(); s.Active != 0 || s.Rules[0].Hurt+s.Rules[0].Spared != 1000 || s.Rules[0].Hurt != 100 {
			t.Errorf("%+v", s)
		}
	})
}

// "Cut after" does not wait for silence: the function is busy all the time.
func TestF168BusyFunction(t *testing.T) {
	for name, pause := range map[string]time.Duration{"busy": 10 * time.Millisecond, "silent": time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			p := hurtable(t, Config{}, nil)
			begin(t, p, fault.Rule{Hurt: fault.Hurt{Kind: fault.Reset, Delay: 2 * time.Second}})
			start := time.Now()
			_, err := Do(t.Context(), p, func(ctx context.Context) (string, error) {
				for {
					select {
					case <-ctx.Done():
						return "", ctx.Err()
					case <-time.After(pause):
					}
				}
			})
			if !errors.Is(err, syscall.ECONNRESET) || time.Since(start) != 2*time.Second {
				t.Errorf("%s: %v after %v", name, err, time.Since(start))
			}
		})
	}
}

// A rule lets go of whoever hangs, and of who waits, when it ends: by itself,
// or by hand.
func TestFaultsLetGo(t *testing.T) {
	for name, stop := range map[string]func(f *Faults){"by itself": nil, "by hand": func(f *Faults) {
		time.Sleep(3 * time.Second)
		f.Stop("f")
	}} {
		for _, hurt := range []fault.Hurt{{Kind: fault.NoAnswer}, {Kind: fault.Latency, Delay: time.Minute}} {
			synctest.Test(t, func(t *testing.T) {
				heard := &notes{}
				p := hurtable(t, Config{}, heard)
				begin(t, p, fault.Rule{Hurt: hurt, For: 5 * time.Second})
				want := 5 * time.Second
				if stop != nil {
					want = 3 * time.Second
					go stop(p.Faults())
				}
				start := time.Now()
				_, err := Do(t.Context(), p, ok)
				if took := time.Since(start); took != want {
					t.Errorf("%s: %v lets go after %v", name, hurt.Kind, took)
				}
				if (hurt.Kind == fault.NoAnswer) != errors.Is(err, syscall.ECONNRESET) {
					t.Errorf("%s: %v gives %v", name, hurt.Kind, err)
				}
				if e := heard.of(core.FaultChanged); len(e) != 2 || e[1].To != "off" || e[1].At.Sub(e[0].At) != want {
					t.Errorf("%s: %+v", name, e)
				}
			})
		}
	}
}

// A rule ends with an event of its own, at its time, if nobody calls at all.
func TestFaultsEndUnasked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := &notes{}
		p := hurtable(t, Config{}, heard)
		begin(t, p, fault.Rule{Hurt: fault.Hurt{Kind: fault.Refused}, For: time.Second})
		begin(t, p, fault.Rule{Name: "g", Hurt: fault.Hurt{Kind: fault.Refused}, For: 2 * time.Second})
		time.Sleep(3 * time.Second)
		synctest.Wait()
		e := heard.of(core.FaultChanged)
		if len(e) != 4 || e[2].Key != "f" || e[3].Key != "g" || e[3].At.Sub(e[2].At) != time.Second || !p.Faults().Idle() {
			t.Errorf("%+v", e)
		}
	})
}

// With half of the calls failing the fault ends by itself.
func TestFaultsAbort(t *testing.T) {
	p, err := New(Config{Name: "d", More: &More{Faults: &fault.Config{Name: "d", Allow: true, Share: 1,
		Abort: fault.Abort{Success: 0.9}}}})
	if err != nil {
		t.Fatal(err)
	}
	begin(t, p, fault.Rule{Hurt: fault.Hurt{Kind: fault.Error, Status: 500}, Share: 0.5})
	failed := 0
	for range 100 {
		if _, err := Do(t.Context(), p, ok); err != nil {
			failed++
		}
	}
	if s := p.Faults().Snapshot(); s.Rules[0].Over == "" || failed > 20 || failed < 3 {
		t.Errorf("%d failed; %+v", failed, s.Rules)
	}
}
