package idempotency

import (
	"fmt"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// The whole table of the package's documentation, in every state, for the same
// request and for another, before its time is over and at its very end.
func TestEveryDecision(t *testing.T) {
	conf := Config{TTL: 60, Longest: 10}.WithDefaults()
	same, other := claim("k", "a", "new"), claim("k", "b", "new")
	same.Instead = "old"
	for _, c := range []struct {
		state       State
		until       core.Instant
		same, other core.Reason // at 5
	}{
		{Fresh, 0, core.NoReason, core.NoReason},
		{Running, 6, core.KeyBusy, core.KeyReused},
		{Running, 5, core.NoReason, core.KeyReused}, // unknown by now, and same takes over
		{Done, 6, core.KeyReplayed, core.KeyReused},
		{Done, 5, core.NoReason, core.NoReason},
		{NotStored, 6, core.KeyNotStored, core.KeyReused},
		{NotStored, 5, core.NoReason, core.NoReason},
		{Unknown, 6, core.NoReason, core.KeyReused},
		{Unknown, 5, core.NoReason, core.NoReason},
		{Running, -55, core.NoReason, core.NoReason}, // hung, unknown, over
	} {
		name := fmt.Sprintf("%v until %d", c.state, c.until)
		r := Record{Claim: claim("k", "a", "old"), State: c.state, Until: c.until}
		next, reason := r.Admit(5, conf, same)
		if reason != c.same {
			t.Errorf("%s: the same request gets %v, want %v", name, reason, c.same)
		}
		if reason == core.NoReason && (next.State != Running || next.Owner != "new" ||
			next.Until != 15 || next.Instead != "") {
			t.Errorf("%s: the claim is %+v", name, next)
		}
		if _, reason := r.Admit(5, conf, other); reason != c.other {
			t.Errorf("%s: another request gets %v, want %v", name, reason, c.other)
		}
	}
	// Whoever does not name the run takes nothing over.
	r := Record{Claim: claim("k", "a", "old"), State: Unknown, Until: 9}
	for _, instead := range []string{"", "older"} {
		c := claim("k", "a", "new")
		c.Instead = instead
		if _, reason := r.Admit(5, conf, c); reason != core.KeyUnknown {
			t.Errorf("instead of %q: %v", instead, reason)
		}
	}
}

// Every end in every state: only a run that is under way, or given up for lost,
// can still end, and only by its own word.
func TestEveryEnd(t *testing.T) {
	conf := Config{TTL: 60, RunAgainAfter: 20, EntryBytes: 3}.WithDefaults()
	for state := Fresh; state <= Unknown; state++ {
		for end := Fresh; end <= Unknown; end++ {
			if end == Running {
				continue
			}
			for _, owner := range []string{"run", "else"} {
				r := Record{Claim: claim("k", "a", "run"), State: state, Until: 9}
				if state == Fresh {
					r = Record{}
				}
				next, changed := r.Report(5, conf, owner, Ending{end, []byte("ok")})
				want := owner == "run" && (state == Running || state == Unknown)
				if changed != want {
					t.Errorf("%v, %v by %s: changed %v", state, end, owner, changed)
				}
				if !changed && next.State != state || changed && next.State != end {
					t.Errorf("%v, %v by %s: becomes %v", state, end, owner, next.State)
				}
				until := map[State]core.Instant{Done: 65, NotStored: 65, Unknown: 25, Fresh: 0}[end]
				if changed && next.Until != until {
					t.Errorf("%v, %v: until %d, want %d", state, end, next.Until, until)
				}
				if hasAnswer := string(next.Answer) == "ok"; hasAnswer != (changed && end == Done) {
					t.Errorf("%v, %v by %s: the answer is %q", state, end, owner, next.Answer)
				}
			}
		}
	}
	r := Record{Claim: claim("k", "a", "run"), State: Running, Until: 9}
	if next, _ := r.Report(5, conf, "run", Ending{Done, []byte("long")}); next.State != NotStored || next.Answer != nil {
		t.Errorf("an answer above EntryBytes becomes %v with %q", next.State, next.Answer)
	}
}

func TestOrphans(t *testing.T) {
	conf := Config{TTL: 60}.WithDefaults()
	for state := Fresh; state <= Unknown; state++ {
		r := Record{Claim: claim("k", "a", "run"), State: state, Until: 9}
		got := r.Orphaned(5, conf)
		if state != Running && (got.State != state || got.Until != 9) {
			t.Errorf("%v becomes %v until %d", state, got.State, got.Until)
		}
		if state == Running && (got.State != Unknown || got.Until != 65) {
			t.Errorf("a running one becomes %v until %d", got.State, got.Until)
		}
	}
}

func TestReportOfNoEndPanics(t *testing.T) {
	s := memory(t, Config{})
	for _, state := range []State{Running, Unknown + 1} {
		func() {
			defer func() {
				if got := recover(); got != "idempotency: Report of a run that has not ended" {
					t.Errorf("%v: %v", state, got)
				}
			}()
			_, _ = s.Report(0, claim("k", "a", "run"), Ending{State: state})
		}()
		if _, reason, _ := s.Admit(0, claim(state.String(), "a", "run")); reason != core.NoReason {
			t.Errorf("after the panic: %v", reason) // and the lock is free, or this hangs
		}
	}
}

func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		Fresh.String(): "fresh", Running.String(): "running", Done.String(): "done",
		NotStored.String(): "not-stored", Unknown.String(): "unknown", State(9).String(): "invalid",
		Fate(0).String(): "default", Keep.String(): "keep", Doubt.String(): "doubt",
		Forget.String(): "forget", Fate(9).String(): "invalid",
	} {
		if got != want {
			t.Errorf("name %q, want %q", got, want)
		}
	}
}

// A key is the same whatever happened to others, and answers do not leak to
// those who send something else.
func TestF188DifferentBody(t *testing.T) {
	s := memory(t, Config{TTL: time.Hour})
	at := func(now core.Instant, request string, want core.Reason, answer string) {
		t.Helper()
		r, reason, err := s.Admit(now, claim("k", request, fmt.Sprint("run", now)))
		if reason != want || string(r.Answer) != answer || err != nil {
			t.Errorf("at %d %s gets %v %q %v, want %v %q", now, request, reason, r.Answer, err, want, answer)
		}
	}
	at(0, `{"a":1}`, core.NoReason, "")
	at(1, `{"a":2}`, core.KeyReused, "")
	at(2, `{"a":1}`, core.KeyBusy, "")
	if kept, _ := s.Report(3, Claim{Key: "k", Owner: "run0"}, Ending{Done, []byte("201")}); !kept {
		t.Fatal("the answer is not kept")
	}
	at(4, `{"a":2}`, core.KeyReused, "")
	at(5, `{"a":1}`, core.KeyReplayed, "201")
}

// Success and definite refusal are kept, "come back later" is not, and what is
// neither is for the owner to choose.
func TestF192Fates(t *testing.T) {
	all := Fates{ServerErrors: Doubt, Unanswered: Forget}
	for status, want := range map[int]Fate{
		200: Keep, 201: Keep, 204: Keep, 302: Keep, 304: Keep,
		400: Keep, 402: Keep, 403: Keep, 404: Keep, 409: Keep, 410: Keep, 422: Keep,
		401: Forget, 407: Forget, 408: Forget, 421: Forget, 425: Forget, 429: Forget, 503: Forget,
		500: Keep, 501: Keep, 502: Keep, 504: Keep, 599: Keep,
	} {
		if got := (Fates{}).Of(status); got != want {
			t.Errorf("by default %d is %v, want %v", status, got, want)
		}
		if status >= 500 && status != 503 {
			want = Doubt
		}
		if got := all.Of(status); got != want {
			t.Errorf("with a choice %d is %v, want %v", status, got, want)
		}
	}
	if (Fates{}).NoAnswer() != Doubt || all.NoAnswer() != Forget {
		t.Error("the fate without an answer is not what was chosen")
	}
}
