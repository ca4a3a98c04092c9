package demo

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// recorded is a stage that was never started, with figures by hand.
func recorded(t *testing.T, protect string) *stage {
	t.Helper()
	o := small(t, protect)
	o.For, o.Rate = 20*time.Second, 600
	o.Slow[0].Start, o.Slow[0].Length = 3*time.Second, 12*time.Second
	s := &stage{options: o, rec: newRecorder(spans(o.Slow, o.For)),
		checkout: &checkout{pool: newPool(o.Pool, o.Queue)}}
	s.checkout.pool.state = poolState{busy: 31, maxBusy: 58, waiting: 2, refused: 7}
	s.rec.clock.StartAt(1000)
	for i := range names {
		s.dependencies[i] = newDependency(i, o, s.rec)
	}
	var err error
	if s.file, err = policy(o.Protect); err != nil {
		t.Fatal(err)
	}
	return s
}

// fill records what could have happened.
func fill(s *stage) {
	planned := func(endpoint int, at time.Duration, e ending, took time.Duration) {
		a := arrival{at, endpoint}
		s.rec.sent(a, 12*time.Millisecond)
		s.rec.ended(a, e, took)
	}
	for i := range 1000 {
		at := 3*time.Second + time.Duration(i)*10*time.Millisecond
		planned(0, at, answered, time.Duration(20+i/20)*time.Millisecond)
		planned(2, at, fellBack, 3*time.Millisecond)
	}
	planned(0, 15*time.Second, failed, patience) // after the window: not counted
	planned(0, 14*time.Second, failed, patience)
	planned(2, 14*time.Second, answered, 900*time.Millisecond)
	s.rec.of[0].countedCalls.Store(2400)
	s.rec.of[2].countedRetries.Store(12)
	s.rec.of[2].retries.Store(13)
	for i, change := range []core.Event{
		{From: "closed", To: "open", Reason: core.SlowRate, At: 4_200_001_000, Seq: 1},
		{From: "half-open", To: "closed", Reason: core.TrialsPassed, At: 9_300_001_000, Seq: 3},
		{From: "open", To: "half-open", Reason: core.OpenElapsed, At: 9_200_001_000, Seq: 2},
	} {
		change.Kind, change.Policy = core.BreakerChanged, names[2]
		s.rec.Observe(change)
		if i == 0 {
			s.rec.Observe(core.Event{Kind: core.CallStarted, Policy: names[2]})
		}
	}
}

func TestReportAsJSON(t *testing.T) {
	s := recorded(t, "all")
	fill(s)
	var out bytes.Buffer
	if err := s.report(20 * time.Second).WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.json", out.String())
}

func TestReportAsTable(t *testing.T) {
	var out strings.Builder
	for _, protect := range []string{"all", "timeout,retry", "none"} {
		s := recorded(t, protect)
		fill(s)
		r := s.report(20 * time.Second)
		if protect == "none" {
			r = s.report(2500 * time.Millisecond)
			r.Interrupted, r.Skipped, r.Late = true, 3, 312
		}
		if err := r.WriteTable(&out, "seakeep demo"); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(out.String()) {
		if len(line) > 81 {
			t.Errorf("is wider than a terminal: %s", line)
		}
	}
	golden(t, "report.txt", out.String())
}

// The names that scripts rely on. They hold also where nothing was measured.
func TestReportHasAllKeysEvenWithoutFigures(t *testing.T) {
	var out bytes.Buffer
	if err := recorded(t, "none").report(time.Second).WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var r map[string]any
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		e := r["endpoints"].(map[string]any)[name].(map[string]any)
		for _, key := range []string{"sent", "ok", "fallback", "failed"} {
			if e[key] != 0.0 {
				t.Errorf("%s of %s is %v", key, name, e[key])
			}
		}
		for _, key := range []string{"success", "p50_ms", "p99_ms"} {
			if v, ok := e[key]; !ok || v != nil {
				t.Errorf("%s of %s is %v, want null: there is no such figure", key, name, v)
			}
		}
		if list, ok := r["breakers"].(map[string]any)[name].([]any); !ok || len(list) != 0 {
			t.Errorf("the breaker of %s is not an empty list", name)
		}
	}
	pool := r["pool"].(map[string]any)
	if pool["size"] != 60.0 || pool["max_busy"] != 58.0 {
		t.Errorf("the pool is %v", pool)
	}
}
