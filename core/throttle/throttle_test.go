package throttle

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

const second = core.Instant(time.Second)

func mustNew(t testing.TB, c Config) *Throttle {
	t.Helper()
	x, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// told returns a throttle that was told of so many requests, and accepts.
func told(t testing.TB, c Config, requests, accepts int) *Throttle {
	x := mustNew(t, c)
	for n := range requests {
		x.Report(0, core.Critical, n < accepts)
	}
	return x
}

func (t *Throttle) refusal(now core.Instant) float64 {
	return t.Snapshot(now).Classes[core.Critical.Index()].Refusal
}

// Below the minimum nothing is refused, however bad it looks, and a rate is
// one over the whole window, not over the age of the oldest request.
func TestF083LowTraffic(t *testing.T) {
	x := told(t, Config{}, 3, 0)
	if p := x.refusal(0); p != 0 {
		t.Errorf("three failures of three refuse %v", p)
	}
	if p := told(t, Config{Minimum: 1}, 3, 0).refusal(0); p != 0.75 {
		t.Errorf("without a minimum they refuse %v, want 0.75", p)
	}
	for range 1000 {
		if !x.Admit(0, core.Critical, 0) {
			t.Fatal("a request is refused below the minimum")
		}
	}
	// Four requests within two seconds are four in the window of a minute.
	y := mustNew(t, Config{Window: time.Minute, Minimum: 5})
	for n := range core.Instant(4) {
		y.Report(n*second/2, core.Critical, false)
	}
	if c := y.Snapshot(2 * second).Classes[core.Critical.Index()]; c.Requests != 4 || c.Refusal != 0 {
		t.Errorf("four requests are %+v", c)
	}
	// In flight requests are not held against a backend that has just been met.
	z := mustNew(t, Config{Minimum: 1})
	for range 100 {
		if !z.Admit(0, core.Critical, 0) {
			t.Fatal("a request is refused before the first answer")
		}
	}
}

// The formula, over a sliding window in which what was refused here counts.
func TestF084Formula(t *testing.T) {
	for _, row := range []struct {
		requests, accepts int
		want              float64
	}{{100, 40, 20.0 / 101}, {100, 50, 0}, {100, 100, 0}, {100, 0, 0.99}, {0, 0, 0}} {
		x := told(t, Config{Cap: 0.99, Minimum: 1}, row.requests, row.accepts)
		if p := x.refusal(0); math.Abs(p-row.want) > 1e-15 {
			t.Errorf("%d of %d accepted refuse %v, want %v", row.accepts, row.requests, p, row.want)
		}
		if p := x.refusal(30 * second); p != 0 {
			t.Errorf("a window later %v is refused", p)
		}
	}
	// (100, 0) would be 100/101; the cap, which must be below 1, is what shows.
	if p := float64(100) / 101; p <= mostCap {
		t.Error("the cap does not show")
	}
	x := told(t, Config{}, 100, 40)
	if before := x.refusal(0); x.Admit(0, core.Critical, 0) || x.refusal(0) <= before {
		t.Error("a request that is refused here does not count")
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, accepts := range []int{0, 10, 25, 40, 49} {
		refused := 0
		x := told(t, Config{}, 100, accepts)
		for range 10_000 {
			if !x.Check(0, core.Critical, random.Float64()) {
				refused++
			}
		}
		if got, want := float64(refused)/10_000, x.refusal(0); math.Abs(got-want) > 0.02 {
			t.Errorf("%v of the draws are refused, want %v", got, want)
		}
	}
}

// A cap keeps requests coming through a dead backend, and they find out when
// it is alive again.
func TestF085FullStop(t *testing.T) {
	const window = 10
	x := told(t, Config{Cap: 0.8, Window: window * time.Second}, 1000, 0)
	if p := x.refusal(0); p != 0.8 {
		t.Errorf("a dead backend is refused %v", p)
	}
	random := rand.New(rand.NewPCG(1, 2))
	through := 0
	for range 1000 {
		if x.Admit(0, core.Critical, random.Float64()) {
			through++
		}
	}
	if through < 170 || through > 230 {
		t.Errorf("%d of 1000 get through a dead backend, want 200 or so", through)
	}
	// Healthy again, under the demand of before: the share begins to fall after
	// W/K and is gone after (W/K)(1 + ln 1/(1-Cap)), which is 1.3 windows here
	// and, without a cap, as long as the outage's last windows make it.
	y := mustNew(t, Config{Cap: 0.8, Window: window * time.Second})
	back := func(now core.Instant) bool { return now >= 20*window*second }
	var falls, gone core.Instant
	for n := range core.Instant(100 * window * 23) {
		now := n * second / 100
		if y.Admit(now, core.Critical, random.Float64()) {
			y.Report(now, core.Critical, back(now))
		}
		switch p := y.refusal(now); {
		case back(now) && p < 0.8 && falls == 0:
			falls = now - 20*window*second
		case back(now) && p == 0 && gone == 0:
			gone = now - 20*window*second
		}
	}
	if w := window * second; falls < w*35/100 || falls > w*60/100 || gone < w || gone > w*15/10 {
		t.Errorf("the share begins to fall after %v and is gone after %v of %v",
			time.Duration(falls), time.Duration(gone), time.Duration(w))
	}
}

func TestAccepted(t *testing.T) {
	want := map[core.Result]bool{
		{Outcome: core.Success}:                               true,
		{Outcome: core.Failure, Cause: core.ServerError}:      true,
		{Outcome: core.Failure, Cause: core.BadAnswer}:        true,
		{Outcome: core.Failure, Cause: core.Unknown}:          true,
		{Outcome: core.Failure, Cause: core.Unsent}:           false,
		{Outcome: core.Failure, Cause: core.Reset}:            false,
		{Outcome: core.Failure, Cause: core.BadGateway}:       false,
		{Outcome: core.Timeout, Cause: core.TimedOut}:         false,
		{Outcome: core.Overloaded, Cause: core.Unavailable}:   false,
		{Outcome: core.Overloaded, Cause: core.TooMany}:       false,
		{Outcome: core.Overloaded, NoRetry: true}:             false,
		{Outcome: core.Overloaded, RetryAfter: 3 * time.Hour}: false,
	}
	for r, accepted := range want {
		if Accepted(r) != accepted {
			t.Errorf("%v by %v is accepted: %v", r.Outcome, r.Cause, !accepted)
		}
	}
}

func TestValidate(t *testing.T) {
	bad := []struct {
		c     Config
		field string
	}{
		{Config{K: 0.99}, "K"}, {Config{K: -1}, "K"}, {Config{K: 1001}, "K"},
		{Config{K: math.NaN()}, "K"}, {Config{K: math.Inf(1)}, "K"},
		{Config{Window: 9 * time.Millisecond}, "Window"}, {Config{Window: -1}, "Window"},
		{Config{Window: time.Hour + 1}, "Window"},
		{Config{Cap: 0.991}, "Cap"}, {Config{Cap: 1}, "Cap"}, {Config{Cap: -0.1}, "Cap"},
		{Config{Cap: math.NaN()}, "Cap"},
		{Config{Minimum: -1}, "Minimum"}, {Config{Minimum: 1_000_001}, "Minimum"},
	}
	for _, row := range bad {
		x, err := New(row.c)
		if err == nil || x != nil || !strings.HasPrefix(err.Error(), row.field+": is ") ||
			!strings.Contains(err.Error(), "; give ") {
			t.Errorf("%+v: %v", row.c, err)
		}
		y := mustNew(t, Config{})
		if y.Reconfigure(0, row.c) == nil || y.m.cfg != (Config{}).Filled() {
			t.Errorf("%+v is put to use", row.c)
		}
	}
	all := Config{K: -1, Window: -1, Cap: -1, Minimum: -1}.Validate()
	var joined interface{ Unwrap() []error }
	if !errors.As(all, &joined) || len(joined.Unwrap()) != 4 {
		t.Errorf("four mistakes give %v", all)
	}
	for _, c := range []Config{{}, {K: 1}, {K: 1000}, {Window: time.Hour}, {Window: 10 * time.Millisecond},
		{Cap: 0.99}, {Cap: 1e-9}, {Minimum: 1}, {Minimum: 1_000_000}, Config{}.Filled()} {
		if err := c.Validate(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestMisusePanics(t *testing.T) {
	x := mustNew(t, Config{})
	for name, use := range map[string]func(core.Criticality){
		"Admit":  func(c core.Criticality) { x.Admit(0, c, 0) },
		"Check":  func(c core.Criticality) { x.Check(0, c, 0) },
		"Report": func(c core.Criticality) { x.Report(0, c, true) },
	} {
		for _, class := range []core.Criticality{core.Sheddable - 1, core.CriticalPlus + 1} {
			func() {
				defer func() {
					if r := recover(); r != "throttle: no such criticality" {
						t.Errorf("%s of class %d: %v", name, class, r)
					}
				}()
				use(class)
			}()
		}
	}
}
