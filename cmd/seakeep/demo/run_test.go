package demo

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"
)

// small is a run that shows the cascade in three seconds: 100 requests a second
// that each hold a worker for 2 s need 200 workers.
func small(t *testing.T, protect string) Options {
	t.Helper()
	rungs, err := ParseRungs(protect)
	if err != nil {
		t.Fatal(err)
	}
	o := Defaults(3 * time.Second)
	o.Rate, o.Pool, o.Protect = 300, 60, rungs
	o.Slow = []Slow{{"recommendations", Late, 2 * time.Second, time.Second / 4, 10 * time.Second}}
	return o
}

// tooLate is how late requests may be, in milliseconds, on a machine whose figures
// mean something. Servers are held up for longer than the users are.
const tooLate = 60

// run runs the demo on a machine that is not too busy for its figures, or
// skips the test: the other packages' tests run at the same time.
func run(t *testing.T, o Options) *Report {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var late float64
	for range 3 {
		r, err := Run(t.Context(), o, Screen{Out: io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		if late = r.Late; late < tooLate {
			return r
		}
	}
	t.Skipf("the machine is too busy: requests were made up to %.0f ms late", late)
	return nil
}

func success(t *testing.T, r *Report, name string) float64 {
	t.Helper()
	e := r.Endpoints[name]
	if e.Success == nil || e.Sent != e.OK+e.Fallback+e.Failed {
		t.Fatalf("%s: %+v", name, e)
	}
	return *e.Success
}

func TestOneSlowDependencyTakesTheOthersDown(t *testing.T) {
	r := run(t, small(t, "none"))
	for _, name := range names {
		if s := success(t, r, name); s > 0.8 {
			t.Errorf("%s succeeds in %.1f%%, although the pool should be full", name, s*100)
		}
		if len(r.Breakers[name]) > 0 || r.Retries[name] > 0 || r.Endpoints[name].Fallback > 0 {
			t.Errorf("%s is protected", name)
		}
	}
	if r.Pool.MaxBusy != 60 || r.Pool.Refused == 0 {
		t.Errorf("the pool: %+v", r.Pool)
	}
}

func TestTheLadderStopsIt(t *testing.T) {
	r := run(t, small(t, "all"))
	for _, name := range names {
		if s := success(t, r, name); s < 0.98 {
			t.Errorf("%s succeeds in only %.1f%%", name, s*100)
		}
	}
	slow := r.Endpoints["recommendations"]
	if float64(slow.Fallback) < 0.7*float64(slow.Sent) {
		t.Errorf("%d of %d recommendations come from the fallback", slow.Fallback, slow.Sent)
	}
	if r.Pool.MaxBusy >= 60 || r.Pool.Refused > 0 {
		t.Errorf("the pool: %+v", r.Pool)
	}
	changes := r.Breakers["recommendations"]
	if len(changes) == 0 || changes[0].To != "open" || changes[0].From != "closed" ||
		changes[0].At < 0.25 || !strings.HasSuffix(changes[0].Reason, "-rate") {
		t.Errorf("the breaker of recommendations: %+v", changes)
	}
	if to := r.CallsTo["recommendations"]; to > 0.8*r.CallsTo["pricing"] {
		t.Errorf("it is still called %.0f times a second", to)
	}
}

// Without a timeout a dependency that never answers keeps what it has taken,
// which the bulkhead bounds. Everything still ends when the run does.
func TestBulkheadAloneBoundsSilence(t *testing.T) {
	o := small(t, "bulkhead")
	o.For = 2 * time.Second
	o.Slow[0].Fault, o.Slow[0].Mean = Silent, 0
	r := run(t, o)
	for _, name := range names[:2] {
		if s := success(t, r, name); s < 0.98 {
			t.Errorf("%s succeeds in only %.1f%%", name, s*100)
		}
	}
	if e := r.Endpoints["recommendations"]; e.OK > e.Sent/10 || e.P50 != nil && e.OK == 0 {
		t.Errorf("recommendations: %+v", e)
	}
	if r.Pool.MaxBusy < 25 || r.Pool.MaxBusy >= 60 {
		t.Errorf("the pool: %+v", r.Pool)
	}
}

// A dependency that is down fails fast, and its failures hold no workers.
func TestDownIsLessBadThanSlow(t *testing.T) {
	o := small(t, "none")
	o.For = 2 * time.Second
	o.Slow[0].Fault, o.Slow[0].Mean = Down, 0
	r := run(t, o)
	for _, name := range names[:2] {
		if s := success(t, r, name); s < 0.98 {
			t.Errorf("%s succeeds in only %.1f%%", name, s*100)
		}
	}
	if s := success(t, r, "recommendations"); s > 0.02 {
		t.Errorf("recommendations succeeds in %.1f%%", s*100)
	}
}

func TestInterruptionGivesAReport(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(600*time.Millisecond, stop)
	o := small(t, "all")
	o.For = time.Minute
	o.Slow[0].Start = 500 * time.Millisecond
	var out bytes.Buffer
	began := time.Now()
	r, err := Run(ctx, o, Screen{Out: &out})
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	if !r.Interrupted || r.RanS < 0.5 || r.RanS > 5 || r.CountedS >= r.RanS {
		t.Errorf("interrupted %v after %vs, of which %vs count", r.Interrupted, r.RanS, r.CountedS)
	}
	for _, name := range names {
		success(t, r, name)
	}
	if !strings.Contains(out.String(), "recommendations answers in 2s instead of 20ms") {
		t.Errorf("printed %q", out.String())
	}
}

func TestRunRefusesBadOptions(t *testing.T) {
	o := Defaults(time.Second)
	o.Rate = 0
	if _, err := Run(t.Context(), o, Screen{Out: io.Discard}); err == nil {
		t.Error("no error")
	}
}
