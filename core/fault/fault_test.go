package fault

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

const (
	ms     = core.Instant(time.Millisecond)
	second = core.Instant(time.Second)
)

// open lets everything be hurt.
var open = Config{Name: "d", Allow: true, Share: 1, Concurrent: 1_000_000}

func mustNew(t *testing.T, c Config, seed uint64) *Injector {
	t.Helper()
	j, err := New(0, c, seed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func (j *Injector) begin(t *testing.T, rules ...Rule) *Injector {
	t.Helper()
	for _, r := range rules {
		if err := j.Start(0, r, true); err != nil {
			t.Fatal(err)
		}
	}
	return j
}

func refused(name string, share float64) Rule {
	return Rule{Name: name, Share: share, Hurt: Hurt{Kind: Refused}}
}

func delay(name string, share float64, d time.Duration) Rule {
	return Rule{Name: name, Share: share, Hurt: Hurt{Kind: Latency, Delay: d}}
}

// A delayed request counts as hurt until its delay is over, and not for as long
// as it lives; whoever leaves during the delay counts no more either.
func TestF164ActiveCount(t *testing.T) {
	c := open
	c.Concurrent = 1
	j := mustNew(t, c, 1).begin(t, delay("slow", 1, 100*time.Millisecond))
	a := j.Admit(0, Target{})
	if a.Wait != 100*time.Millisecond {
		t.Fatalf("the first waits %v", a.Wait)
	}
	j.Release(a) // at 100ms; the stream itself goes on for an hour
	if b := j.Admit(200*ms, Target{}); b.Wait != 100*time.Millisecond {
		t.Errorf("the second waits %v", b.Wait)
	} else {
		j.Release(b)
	}
	j = mustNew(t, open, 1).begin(t, delay("slow", 1, 100*time.Millisecond))
	for n := range 1000 {
		in := j.Admit(core.Instant(n)*ms, Target{})
		j.Release(in) // half of them at their end, half when their caller leaves: the same
	}
	if s := j.Snapshot(second); s.Active != 0 || s.Rules[0].Hurt != 1000 {
		t.Errorf("%+v", s)
	}
}

// hits returns the numbers of the requests that a rule hurts.
func hits(j *Injector, n int, name string) (list []int) {
	for i := range n {
		in := j.Admit(0, Target{})
		j.Release(in)
		if named(in.By, name) {
			list = append(list, i)
		}
	}
	return list
}

// There is one draw a rule and request, and each rule has a stream of its own.
func TestF165DoubleDraw(t *testing.T) {
	for _, row := range []struct{ share, want, off float64 }{{0.5, 5000, 150}, {0.1, 1000, 90}, {1, 10_000, 0}} {
		for seed := range uint64(5) {
			n := len(hits(mustNew(t, open, seed).begin(t, refused("a", row.share)), 10_000, "a"))
			if math.Abs(float64(n)-row.want) > row.off {
				t.Errorf("seed %d: a share of %v hurts %d of 10000", seed, row.share, n)
			}
		}
	}
	alone := hits(mustNew(t, open, 7).begin(t, refused("abort", 0.3)), 1000, "abort")
	beside := hits(mustNew(t, open, 7).begin(t, delay("slow", 0.5, time.Second), refused("abort", 0.3)),
		1000, "abort")
	if fmt.Sprint(alone) != fmt.Sprint(beside) {
		t.Error("another rule changes which requests are hurt")
	}
	if other := hits(mustNew(t, open, 8).begin(t, refused("abort", 0.3)), 1000, "abort"); fmt.Sprint(other) ==
		fmt.Sprint(alone) {
		t.Error("another seed changes nothing")
	}
	// Two rules at a half are independent: a quarter has both.
	both := 0
	j := mustNew(t, open, 3).begin(t, refused("a", 0.5), delay("b", 0.5, time.Second))
	for range 10_000 {
		in := j.Admit(0, Target{})
		j.Release(in)
		if in.By == "a,b" {
			both++
		}
	}
	if both < 2350 || both > 2650 {
		t.Errorf("%d of 10000 have both", both)
	}
}

func TestF167Stacking(t *testing.T) {
	j := mustNew(t, open, 1).begin(t, delay("a", 1, 100*time.Millisecond), delay("b", 1, 200*time.Millisecond))
	if in := j.Admit(0, Target{}); in.Wait != 300*time.Millisecond {
		t.Errorf("100 and 200 are %v", in.Wait)
	}
	j = mustNew(t, open, 1).begin(t, Rule{Name: "e", Share: 1, Hurt: Hurt{Kind: Error, Status: 503}},
		delay("a", 1, 100*time.Millisecond))
	if in := j.Admit(0, Target{}); in.Wait != 100*time.Millisecond || in.Blow.Status != 503 {
		t.Errorf("%+v", in)
	}
}

// The three shapes of a delay.
func TestLatencyShapes(t *testing.T) {
	draw := func(h Hurt) (mean, deviation float64, low, high time.Duration) {
		low = math.MaxInt64
		j := mustNew(t, open, 1).begin(t, Rule{Name: "x", Share: 1, Hurt: h})
		sum, squares := 0.0, 0.0
		const n = 10_000
		for range n {
			in := j.Admit(0, Target{})
			j.Release(in)
			low, high = min(low, in.Wait), max(high, in.Wait)
			v := in.Wait.Seconds()
			sum += v
			squares += v * v
		}
		mean = sum / n
		return mean, math.Sqrt(squares/n - mean*mean), low, high
	}
	mean, dev, low, high := draw(Hurt{Kind: Latency, Delay: time.Second})
	if mean != 1 || dev != 0 || low != time.Second || high != time.Second {
		t.Errorf("fixed: %v %v %v %v", mean, dev, low, high)
	}
	mean, dev, low, high = draw(Hurt{Kind: Latency, Delay: time.Second, Jitter: 500 * time.Millisecond})
	if math.Abs(mean-1) > 0.01 || math.Abs(dev-0.2887) > 0.01 || low < time.Second/2 || high > 3*time.Second/2 {
		t.Errorf("uniform: %v %v %v %v", mean, dev, low, high)
	}
	mean, dev, low, high = draw(Hurt{Kind: Latency, Delay: time.Second, Jitter: 100 * time.Millisecond, Normal: true})
	if math.Abs(mean-1) > 0.01 || math.Abs(dev-0.1) > 0.005 || low > 800*time.Millisecond || high < 1200*time.Millisecond {
		t.Errorf("normal: %v %v %v %v", mean, dev, low, high)
	}
	if _, _, low, _ = draw(Hurt{Kind: Latency, Delay: 0, Jitter: time.Second}); low != 0 {
		t.Errorf("a wait of %v", low)
	}
}

func TestResult(t *testing.T) {
	for h, want := range map[Hurt]core.Result{
		{Kind: Refused}:             {Outcome: core.Failure, Cause: core.Unsent},
		{Kind: Reset}:               {Outcome: core.Failure, Cause: core.Reset},
		{Kind: NoAnswer}:            {Outcome: core.Timeout, Cause: core.TimedOut},
		{Kind: Error, Status: 500}:  {Outcome: core.Failure, Cause: core.ServerError},
		{Kind: Error, Status: 502}:  {Outcome: core.Failure, Cause: core.BadGateway},
		{Kind: Error, Status: 503}:  {Outcome: core.Overloaded, Cause: core.Unavailable},
		{Kind: Error, Status: 429}:  {Outcome: core.Overloaded, Cause: core.TooMany},
		{Kind: Error, Status: 404}:  {Outcome: core.Ignored, Cause: core.ClientError},
		{Kind: Error, GRPC: 2}:      {Outcome: core.Failure, Cause: core.Unknown},
		{Kind: Error, GRPC: 14}:     {Outcome: core.Failure, Cause: core.Unavailable},
		{Kind: Error, GRPC: 8}:      {Outcome: core.Overloaded, Cause: core.TooMany},
		{Kind: Error, GRPC: 4}:      {Outcome: core.Timeout, Cause: core.TimedOut},
		{Kind: Error, GRPC: 13}:     {Outcome: core.Failure, Cause: core.ServerError},
		{Kind: Error, GRPC: 3}:      {Outcome: core.Ignored, Cause: core.ClientError},
		{Kind: Latency, Delay: 1}:   {},
		{Kind: Bandwidth, Bytes: 1}: {},
	} {
		if got := h.Result(); got != want {
			t.Errorf("%+v means %+v", h, got)
		}
	}
}

// A rule that an operator forgets has an end; there are as many as there may be;
// and one that is over makes room.
func TestEverythingIsBounded(t *testing.T) {
	c := open
	j := mustNew(t, c, 1)
	for n := range maxRules {
		if err := j.Start(0, refused(fmt.Sprint("r", n), 0.01), false); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Start(0, refused("more", 0.01), true); !errors.Is(err, ErrRefused) {
		t.Errorf("one more: %v", err)
	}
	j.Stop(second, "r5")
	if err := j.Start(second, refused("more", 0.01), false); err != nil {
		t.Error(err)
	}
	if s := j.Snapshot(second); len(s.Rules) != maxRules {
		t.Errorf("%d rules", len(s.Rules))
	}
	if next := j.Sweep(second); next != core.Instant(defaultFor) {
		t.Errorf("the next ends at %v", next)
	}
	if next := j.Sweep(second + core.Instant(defaultFor)); next != core.Never || !j.Idle() {
		t.Errorf("they have not ended: %v", next)
	}
	if j.Admit(second, Target{}).By != "" { // time never goes back
		t.Error("it hurts after its end")
	}
}

func TestHolds(t *testing.T) {
	j := mustNew(t, open, 1).begin(t, Rule{Name: "hang", Share: 1, For: time.Second, Hurt: Hurt{Kind: NoAnswer}},
		delay("slow", 1, time.Second))
	in := j.Admit(0, Target{})
	if !j.Holds(second-1, in, NoAnswer) || j.Holds(second, in, NoAnswer) || !j.Holds(second, in, Latency) {
		t.Error("a rule holds after its end, or not before it")
	}
	j.Stop(second, "slow")
	if j.Holds(second, in, Latency) {
		t.Error("a stopped rule holds")
	}
}
