package telemetry

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/core"
)

// page is a log that is read while it is written.
type page struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buf.Write(b)
}

// take returns the lines written since the last time.
func (p *page) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := p.buf.String()
	p.buf.Reset()
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func (p *page) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(p, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

func TestLogger(t *testing.T) {
	for _, c := range []struct {
		e     core.Event
		calls bool
		want  string
	}{
		{core.Event{Kind: core.BreakerChanged, Policy: "pricing", From: "closed", To: "open", Reason: core.FailureRate},
			false, `level=WARN msg="breaker changed" policy=pricing from=closed to=open reason=failure-rate`},
		{core.Event{Kind: core.EndpointChanged, Policy: "pricing", Key: "http://a", From: "up", To: "ejected", Detail: "latency"},
			false, `level=WARN msg="endpoint changed" policy=pricing from=up to=ejected key=http://a why=latency`},
		{core.Event{Kind: core.FailoverChanged, Policy: "pay", From: "first", To: "second", Detail: "other",
			Reason: core.FailureRate, Observed: true}, false, `level=WARN msg="failover changed" policy=pay from=first ` +
			`to=second reason=failure-rate why=other observed=true`},
		{core.Event{Kind: core.LimitChanged, Policy: "shop", From: "40", To: "36"}, false,
			`level=INFO msg="limit changed" policy=shop from=40 to=36`},
		{core.Event{Kind: core.ShedChanged, Policy: "shop", From: "sheddable/0", To: "critical/12"}, false,
			`level=WARN msg="shedding changed" policy=shop from=sheddable/0 to=critical/12`},
		{core.Event{Kind: core.ShedChanged, From: "critical/3", To: "critical/12"}, false, ""},
		{core.Event{Kind: core.CallRejected, Policy: "pricing", Reason: core.CircuitOpen}, false, ""},
		{core.Event{Kind: core.CallRejected, Policy: "pricing", Reason: core.CircuitOpen}, true,
			`level=INFO msg="a call was refused" policy=pricing reason=circuit-open`},
		{core.Event{Kind: core.FallbackAnswered, Policy: "pricing", Detail: "cache"}, true,
			`level=INFO msg="a fallback answers" policy=pricing by=cache`},
		{core.Event{Kind: core.RetryDenied, Policy: "pricing", Reason: core.BudgetExhausted}, true,
			`level=INFO msg="a failure stands" policy=pricing reason=budget-exhausted`},
		{core.Event{Kind: core.RetryDenied, Reason: core.NotRetryable}, true, ""},
		{core.Event{Kind: core.RequestRefused, Policy: "shop", Reason: core.Shed, Criticality: core.Sheddable}, true,
			`level=INFO msg="a request was refused" policy=shop reason=shed criticality=sheddable`},
		{core.Event{Kind: core.CallEnded}, true, ""},
	} {
		p := &page{}
		NewLogger(p.logger(), LogOptions{Calls: c.calls}).Observe(c.e)
		if got := p.take(); len(got) != 1 || got[0] != c.want {
			t.Errorf("%v: %q, want %q", c.e.Kind, got, c.want)
		}
	}
}

// TestStorm: a storm of one kind is ten lines a second and a count, and hides no
// other kind.
func TestStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &page{}
		l := NewLogger(p.logger(), LogOptions{Calls: true})
		for range 1000 {
			l.Observe(core.Event{Kind: core.CallRejected, Policy: "pricing", Reason: core.CircuitOpen})
		}
		l.Observe(core.Event{Kind: core.BreakerChanged, Policy: "pricing", From: "open", To: "half-open"})
		if got := p.take(); len(got) != 11 || !strings.Contains(got[10], "breaker changed") {
			t.Errorf("%d lines: %q", len(got), got)
		}
		time.Sleep(2 * time.Second) // the storm is over, and still its count is told
		if got := p.take(); len(got) != 1 || got[0] != `level=INFO msg="more of these" lines=990 like="a call was refused"` {
			t.Errorf("%q", got)
		}
		l.Flush()
		if got := p.take(); got[0] != "" {
			t.Errorf("%q", got)
		}
	})
}
