package telemetry

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/call"
)

const ms = time.Millisecond

// lines returns what a Metrics has, without what is zero.
func lines(m *Metrics) (all []string) {
	m.Collect(func(s Sample) {
		if s.Timing != nil || s.Value != 0 {
			all = append(all, s.String())
		}
	})
	return all
}

func expect(t *testing.T, m *Metrics, want ...string) {
	t.Helper()
	got := lines(m)
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("%s is not in\n%s", line, strings.Join(got, "\n"))
		}
	}
}

// oneCall is the events of a call that is refused once and then answered.
func oneCall(m *Metrics, name string) {
	m.Observe(core.Event{Kind: core.CallStarted, Policy: name, Left: 400 * ms})
	m.Observe(core.Event{Kind: core.CallQueued, Policy: name})
	m.Observe(core.Event{Kind: core.AttemptStarted, Policy: name, Took: 3 * ms})
	m.Observe(core.Event{Kind: core.AttemptEnded, Policy: name, Outcome: core.Timeout,
		Cause: core.TimedOut, Took: 250 * ms})
	m.Observe(core.Event{Kind: core.RetryScheduled, Policy: name, Cause: core.TimedOut})
	m.Observe(core.Event{Kind: core.AttemptStarted, Policy: name, Attempt: 1})
	m.Observe(core.Event{Kind: core.AttemptEnded, Policy: name, Attempt: 1, Outcome: core.Success, Took: 20 * ms})
	m.Observe(core.Event{Kind: core.CallEnded, Policy: name, Outcome: core.Success, Took: 280 * ms})
}

func TestCall(t *testing.T) {
	m := New(Options{})
	oneCall(m, "pricing/quote")
	m.Observe(core.Event{Kind: core.CallStarted, Policy: "pricing"})
	const p = `{dependency="pricing",operation="quote"`
	expect(t, m,
		`seakeep_calls_total`+p+`,outcome="success"} 1`,
		`seakeep_call_duration_seconds`+p+`,outcome="success"} count 1 sum 0.28`,
		`seakeep_attempts_total`+p+`,kind="first",outcome="timeout"} 1`,
		`seakeep_attempts_total`+p+`,kind="retry",outcome="success"} 1`,
		`seakeep_attempt_duration_seconds`+p+`,outcome="timeout"} count 1 sum 0.25`,
		`seakeep_attempt_failures_total`+p+`,cause="timeout"} 1`,
		`seakeep_retries_total`+p+`,cause="timeout"} 1`,
		`seakeep_deadline_exceeded_total`+p+`,hop="call",phase="attempt"} 1`,
		`seakeep_deadline_remaining_seconds`+p+`,hop="call"} count 1 sum 0.4`,
		`seakeep_bulkhead_wait_seconds`+p+`} count 1 sum 0.003`,
		`seakeep_calls_queued_total`+p+`} 1`,
		`seakeep_calls_in_flight{dependency="pricing"} 1`)
}

// TestEveryKind sends an event of every kind and wants each to reach a metric,
// so that a new kind cannot be forgotten. Starts are counted at their ends.
func TestEveryKind(t *testing.T) {
	for k := core.CallStarted; k.String() != "invalid"; k++ {
		m := New(Options{})
		before := len(lines(m))
		m.Observe(core.Event{Kind: k, Policy: "pricing", Outcome: core.Success, Took: ms, From: "up", To: "ejected"})
		if len(lines(m)) == before {
			t.Errorf("%v: no metric has heard of it", k)
		}
	}
}

func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		reason core.Reason
		last   core.Outcome
		want   string
	}{
		{core.NoReason, core.Success, "success"},
		{core.AttemptsExhausted, core.Failure, "failure"},
		{core.CircuitOpen, 0, "rejected"},
		{core.CallerCancelled, 0, "cancelled"},
		{core.CallerCancelled, core.Failure, "cancelled"},
		{core.DeadlineExceeded, core.Cancelled, "timeout"},
		{core.DeadlineExceeded, 0, "rejected"},
		{core.NotRetryable, core.Ignored, "ignored"},
	} {
		if got := callOutcomeWord(int(CallOutcome(c.reason, c.last))); got != c.want {
			t.Errorf("%v after %v is %s, want %s", c.reason, c.last, got, c.want)
		}
	}
}

func TestDoor(t *testing.T) {
	m := New(Options{})
	ended := func(o core.Outcome, detail string) {
		m.Observe(core.Event{Kind: core.RequestAdmitted, Policy: "shop", Took: 2 * ms, Left: 100 * ms})
		m.Observe(core.Event{Kind: core.RequestEnded, Policy: "shop", Outcome: o, Took: 20 * ms, Detail: detail})
	}
	ended(core.Success, "")
	ended(core.Ignored, "")
	ended(core.Success, "late")
	ended(core.Failure, "")
	ended(core.Timeout, "late")
	refused := core.Event{Kind: core.RequestRefused, Policy: "shop", Reason: core.Shed,
		Criticality: core.Sheddable, Left: -1}
	m.Observe(refused)
	refused.Reason, refused.Took = core.DeadlineExceeded, ms
	m.Observe(refused)
	refused.Reason = core.CallerCancelled
	m.Observe(refused)
	refused.Reason, refused.Observed = core.BulkheadFull, true
	m.Observe(refused)
	m.Observe(core.Event{Kind: core.RequestRefused, Policy: "idempotency", Key: "k", Reason: core.KeyReplayed})
	m.Observe(core.Event{Kind: core.RequestRefused, Policy: "idempotency", Key: "k", Detail: "key-store-failed"})
	m.Observe(core.Event{Kind: core.LimitChanged, From: "9", To: "10"})
	m.Observe(core.Event{Kind: core.RecoveryChanged, From: "100%", To: "30%", Reason: core.Operator})
	m.Observe(core.Event{Kind: core.DegradeChanged, From: "2", To: "1"})
	expect(t, m,
		`seakeep_requests_total{criticality="critical",outcome="success"} 2`,
		`seakeep_requests_good_total{criticality="critical"} 2`,
		`seakeep_requests_total{criticality="sheddable",outcome="refused"} 2`,
		`seakeep_requests_total{criticality="sheddable",outcome="cancelled"} 1`,
		`seakeep_shed_total{criticality="sheddable",reason="shed"} 1`,
		`seakeep_requests_observed_total{criticality="sheddable",reason="bulkhead-full"} 1`,
		`seakeep_deadline_exceeded_total{hop="serve",phase="queue"} 1`,
		`seakeep_deadline_exceeded_total{hop="serve",phase="work"} 2`,
		`seakeep_request_wait_seconds{criticality="critical"} count 5 sum 0.01`,
		`seakeep_idempotency_total{result="key-replayed"} 1`,
		`seakeep_idempotency_total{result="key-store-failed"} 1`,
		`seakeep_concurrency_limit_changes_total{direction="up"} 1`,
		`seakeep_recovery_changes_total{by="operator"} 1`,
		`seakeep_degrade_changes_total{direction="down",by="policy"} 1`)
	if slices.Contains(lines(m), `seakeep_shed_total{criticality="sheddable",reason="caller-cancelled"} 1`) {
		t.Error("who leaves is taken for somebody who was turned away")
	}
}

// TestNothingFromOutside floods a Metrics with names that nobody has written
// into a policy file.
func TestNothingFromOutside(t *testing.T) {
	m := New(Options{Policies: 10})
	for i := range 1000 {
		word := fmt.Sprint("made up ", i)
		for _, e := range []core.Event{
			{Kind: core.CallEnded, Key: word, Outcome: core.Success},
			{Kind: core.BreakerChanged, Key: word, From: word, To: word},
			{Kind: core.FallbackAnswered, Detail: word},
			{Kind: core.FaultInjected, Key: word, Detail: word},
			{Kind: core.FaultChanged, Key: word, To: word},
			{Kind: core.EndpointChanged, Key: word, From: "up", To: "ejected, unhealthy", Detail: word},
			{Kind: core.FailoverChanged, From: word, To: word, Detail: word},
			{Kind: core.RequestRefused, Policy: "idempotency", Key: word, Detail: word},
			{Kind: core.ResolveFailed, Key: word, Detail: word},
		} {
			if e.Policy == "" {
				e.Policy = fmt.Sprintf("policy-%d", i)
			}
			m.Observe(e)
		}
	}
	all := lines(m)
	if len(all) > 11*13 {
		t.Errorf("%d series", len(all))
	}
	for _, line := range all {
		if strings.Contains(line, "made up") {
			t.Error(line)
		}
	}
	expect(t, m, `seakeep_calls_total{dependency="other",outcome="success"} 990`)
}

// looked is a source with a breaker in a state.
type looked struct {
	at    core.Instant
	state breaker.State
}

func (l *looked) ReadState(s *State) {
	s.At = l.at
	p := PolicyState{Snapshot: call.Snapshot{Name: "pricing", Breaker: &breaker.Snapshot{State: l.state}}}
	s.Policies = append(s.Policies, p)
	p.Name, p.Shared = "pricing/quote", call.RungBreaker
	s.Policies = append(s.Policies, p)
}

// TestTimeInState opens a breaker between two looks, for less time than is
// between them.
func TestTimeInState(t *testing.T) {
	second := func(n int) core.Instant { return core.Instant(n) * core.Instant(time.Second) }
	l := &looked{at: second(100)}
	m := New(Options{})
	m.Watch(l)
	m.Observe(core.Event{Kind: core.BreakerChanged, Policy: "pricing", At: second(103), Seq: 2,
		From: "closed", To: "open", Reason: core.FailureRate})
	m.Observe(core.Event{Kind: core.BreakerChanged, Policy: "pricing", At: second(108), Seq: 4,
		From: "half-open", To: "closed", Reason: core.TrialsPassed})
	m.Observe(core.Event{Kind: core.BreakerChanged, Policy: "pricing", At: second(107), Seq: 3,
		From: "open", To: "half-open", Reason: core.OpenElapsed}) // overtaken
	l.at = second(110)
	expect(t, m,
		`seakeep_breaker_state{dependency="pricing",state="closed"} 1`,
		`seakeep_breaker_state_seconds_total{dependency="pricing",state="open"} 5`,
		`seakeep_breaker_state_seconds_total{dependency="pricing",state="closed"} 5`,
		`seakeep_breaker_transitions_total{dependency="pricing",from="open",to="half-open",reason="open-elapsed"} 1`)
	for _, line := range lines(m) {
		if strings.Contains(line, `operation="quote",state`) {
			t.Errorf("%s: the operation shares its dependency's breaker", line)
		}
	}
	// A reload begins another breaker, whose changes are numbered anew.
	l.state, l.at = breaker.Open, second(120)
	lines(m)
	l.at = second(125)
	expect(t, m, `seakeep_breaker_state_seconds_total{dependency="pricing",state="open"} 10`)
}

func TestBuckets(t *testing.T) {
	for d, want := range map[time.Duration]int{-1: 0, 0: 0, 5 * ms: 0, 5*ms + 1: 1, 10 * time.Second: 13,
		11 * time.Second: 14} {
		if got := bucketOf(d); got != want {
			t.Errorf("%v is in bucket %d, want %d", d, got, want)
		}
	}
	for d, want := range map[time.Duration]int{0: fineLowest, time.Second: 0, time.Second + 1: 1,
		2 * time.Second: 8, 500 * ms: -8, time.Hour: 80, 1: fineLowest} {
		if got := fineBucket(d); got != want {
			t.Errorf("%v is in fine bucket %d, want %d", d, got, want)
		}
	}
	m := New(Options{Native: true})
	oneCall(m, "pricing")
	m.Collect(func(s Sample) {
		if s.Name == "seakeep_call_duration_seconds" && s.Timing.Fine[fineBucket(280*ms)] != 1 {
			t.Errorf("%+v", s.Timing)
		}
	})
}

func TestExemplars(t *testing.T) {
	m := New(Options{})
	oneCall(m, "pricing")
	asked := 0
	for range 3 {
		m.Exemplify(Span{"pricing", CallTimed, core.Success, 280 * ms}, func() string { asked++; return "abc" })
	}
	m.Collect(func(s Sample) {
		if s.Name == "seakeep_call_duration_seconds" &&
			(len(s.Timing.Exemplars) != 1 || s.Timing.Exemplars[0].Trace != "abc" || asked != 1) {
			t.Errorf("%+v, asked %d times", s.Timing.Exemplars, asked)
		}
	})
}
