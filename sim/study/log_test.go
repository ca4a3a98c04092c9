package study

import (
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

func TestLogCounts(t *testing.T) {
	l := NewLog(480 * time.Second) // slices of a second
	if l.width != time.Second {
		t.Fatalf("slices of %v", l.width)
	}
	at := func(ms int) core.Instant { return core.Instant(ms) * 1e6 }
	for _, e := range []core.Event{
		{At: at(100), Kind: core.CallStarted, Policy: "shop[0]>db"},
		{At: at(100), Kind: core.AttemptStarted, Policy: "shop[0]>db"},
		{At: at(1200), Kind: core.AttemptEnded, Policy: "shop[0]>db", Outcome: core.Timeout, Took: 1100e6},
		{At: at(1200), Kind: core.RetryScheduled, Policy: "shop[0]>db"},
		{At: at(1300), Kind: core.CallStarted, Policy: "shop[12]>db"},
		{At: at(1300), Kind: core.AttemptEnded, Policy: "shop[12]>db", Outcome: core.Success},
		{At: at(1500), Kind: core.RetryDenied, Policy: "shop[12]>db", Reason: core.BudgetExhausted},
		{At: at(1600), Kind: core.RetryDenied, Policy: "shop[12]>db", Reason: core.BudgetExhausted},
		{At: at(1600), Kind: core.RetryDenied, Policy: "shop[12]>db", Reason: core.AttemptsExhausted},
		{At: at(1700), Kind: core.CallRejected, Policy: "shop[12]>db", Reason: core.BulkheadFull},
		{At: at(1700), Kind: core.CallRejected, Policy: "shop[12]>db", Reason: core.BulkheadFull, Observed: true},
		{At: at(1800), Kind: core.CallRejected, Policy: "shop[12]>db", Reason: core.CircuitOpen},
		{At: at(1900), Kind: core.BreakerChanged, Policy: "shop[12]>db", From: "closed", To: "open",
			Reason: core.FailureRate},
		{At: at(2000), Kind: core.CallStarted, Policy: "shop[0]>db/read"},
	} {
		l.Observe(e)
	}
	if len(l.of) != 2 || l.of[0].by != "shop" || l.of[0].name != "db" || l.of[1].name != "db/read" {
		t.Fatalf("decisions of %+v", l.of)
	}
	d := l.of[0]
	want := bin{calls: 1, timeouts: 1, waited: 1100e6, retries: 1, denied: 2, deniedAt: 1500e6, full: 1,
		fullAt: 1700e6}
	if len(d.bins) != 2 || d.bins[1] != want {
		t.Errorf("second 1: %+v, want %+v", d.bins, want)
	}
	if s := d.sum(0, 9); s.calls != 2 || s.attempts != 1 || s.denied != 2 || s.full != 1 || s.waited != 1100e6 {
		t.Errorf("in all: %+v", s)
	}
	if len(d.changes) != 1 || d.changes[0].user != 12 || d.changes[0].at != 1900e6 || d.changes[0].to != "open" {
		t.Errorf("changes: %+v", d.changes)
	}
}

// A run has an instant after its last slice, and policies may be called so that
// no instance can be read off.
func TestLogTakesWhatComes(t *testing.T) {
	l := NewLog(time.Nanosecond)
	l.Observe(core.Event{At: 99, Kind: core.CallStarted, Policy: "plain"})
	l.Observe(core.Event{At: 99, Kind: core.CallStarted, Policy: ""})
	if len(l.of) == 0 || l.of[0].sum(0, 1000).calls == 0 {
		t.Errorf("%+v", l.of)
	}
}
