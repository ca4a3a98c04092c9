package idempotency

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Ten thousand keys come to a store for a thousand. What it holds stays within
// its bounds, no run loses its claim, and a key is never run without one.
func TestF193Bounds(t *testing.T) {
	const most = 1000
	s := memory(t, Config{TTL: 24 * time.Hour, Entries: most, EntryBytes: 100, Bytes: 400 * most})
	answer := []byte(strings.Repeat("x", 100))
	began := 0
	for i := range 10 * most {
		name := fmt.Sprint("k", i)
		_, reason, _ := s.Admit(core.Instant(i), claim(name, "a", name))
		switch {
		case reason == core.NoReason && i < most:
			began++
		case reason != core.KeysExhausted || i < most:
			t.Fatalf("key %d: %v", i, reason)
		}
		if i < most && i%2 == 0 {
			if kept, _ := s.Report(core.Instant(i), Claim{Key: name, Owner: name}, Ending{Done, answer}); !kept {
				t.Fatalf("the answer of %d is not kept", i)
			}
		}
	}
	got := s.Snapshot(core.Instant(10 * most))
	if began != most || got.Entries != most || got.Running != most/2 || got.Full != 9*most || got.Bytes > 400*most {
		t.Errorf("%d began; %+v", began, got)
	}
	for i := range most {
		name := fmt.Sprint("k", i)
		want := core.KeyReplayed
		if i%2 == 1 {
			want = core.KeyBusy
		}
		if _, reason, _ := s.Admit(core.Instant(10*most), claim(name, "a", "late")); reason != want {
			t.Fatalf("key %d afterwards: %v, want %v", i, reason, want)
		}
	}
}

func TestF193TTL(t *testing.T) {
	s := memory(t, Config{})
	day := core.Instant(24 * time.Hour)
	_, _, _ = s.Admit(-7, claim("k", "a", "first"))
	_, _ = s.Report(0, Claim{Key: "k", Owner: "first"}, Ending{State: Done})
	for at, want := range map[core.Instant]core.Reason{
		day - core.Instant(time.Second): core.KeyReplayed, day - 1: core.KeyReplayed} {
		if _, reason, _ := s.Admit(at, claim("k", "a", "again")); reason != want {
			t.Errorf("at %d: %v, want %v", at, reason, want)
		}
	}
	if _, reason, _ := s.Admit(day, claim("k", "a", "again")); reason != core.NoReason {
		t.Errorf("at the end of the ttl: %v", reason)
	}
}

// The loser of a race for a key sees the winner's claim, or its answer: of many
// who come at once exactly one runs, time and again.
func TestF187LostRace(t *testing.T) {
	const keys, workers = 200, 16
	s := memory(t, Config{Entries: keys})
	var clock, ran, busy, replayed atomic.Int64
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for k := range keys {
				c := claim(fmt.Sprint("k", k), "a", fmt.Sprint("run", w, ".", k))
				r, reason, err := s.Admit(core.Instant(clock.Add(1)), c)
				switch {
				case err != nil:
					t.Error(err)
				case reason == core.NoReason:
					ran.Add(1)
					if kept, _ := s.Report(core.Instant(clock.Add(1)), c, Ending{Done, []byte(c.Owner)}); !kept {
						t.Error("the winner's answer is not kept")
					}
				case reason == core.KeyBusy:
					busy.Add(1)
				case reason == core.KeyReplayed && string(r.Answer) == r.Owner:
					replayed.Add(1)
				default:
					t.Errorf("%v %+v", reason, r)
				}
			}
		})
	}
	wg.Wait()
	if ran.Load() != keys || ran.Load()+busy.Load()+replayed.Load() != keys*workers {
		t.Errorf("%d ran, %d found it busy, %d got the answer", ran.Load(), busy.Load(), replayed.Load())
	}
	if got := s.Snapshot(0); got.Running != 0 || got.Entries != keys {
		t.Errorf("afterwards %+v", got)
	}
}

// A clock that goes back does not bring a key back to life.
func TestTimeNeverGoesBack(t *testing.T) {
	s := memory(t, Config{TTL: 10})
	_, _, _ = s.Admit(0, claim("k", "a", "r1"))
	_, _ = s.Report(0, Claim{Key: "k", Owner: "r1"}, Ending{State: Done})
	s.Sweep(10)
	if _, reason, _ := s.Admit(5, claim("k", "a", "r2")); reason != core.NoReason {
		t.Errorf("a key whose time was over is %v", reason)
	}
	if got := s.Snapshot(0); got.Entries != 1 || got.Running != 1 {
		t.Errorf("%+v", got)
	}
}

func TestUnsettledIsBounded(t *testing.T) {
	s := memory(t, Config{})
	for i := range 5 {
		c := claim(fmt.Sprint(i), "a", "r")
		c.Name = "POST /pay " + c.Key
		_, _, _ = s.Admit(0, c)
		_, _ = s.Report(0, c, Ending{State: Unknown})
	}
	if got := s.Unsettled(1, 3); len(got) != 3 || got[0].Name == "" || got[0].State != Unknown {
		t.Errorf("%+v", got)
	}
	for _, r := range s.Unsettled(1, 99) {
		if kept, _ := s.Report(1, r.Claim, Ending{State: Fresh}); !kept {
			t.Errorf("%s is not settled", r.Name)
		}
	}
	if got := s.Snapshot(1); got.Entries != 0 || got.Bytes != 0 {
		t.Errorf("%+v", got)
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want []string // the start of each line; none: valid
	}{
		{Config{}, nil},
		{Config{TTL: time.Hour, RunAgainAfter: time.Hour, Longest: time.Minute, Entries: 1, EntryBytes: 1, Bytes: 1}, nil},
		{Config{TTL: -1, RunAgainAfter: -2, Longest: -3, Entries: -4, EntryBytes: -5, Bytes: -6},
			[]string{"TTL: is -1ns; give", "RunAgainAfter: is -2ns; give", "Longest: is -3ns; give",
				"Entries: is -4; give", "EntryBytes: is -5; give", "Bytes: is -6; give"}},
		{Config{RunAgainAfter: 25 * time.Hour}, []string{"RunAgainAfter: is 25h0m0s, more than TTL (24h0m0s)"}},
	} {
		var got []string
		if err := c.cfg.Validate(); err != nil {
			got = strings.Split(err.Error(), "\n")
		}
		if len(got) != len(c.want) {
			t.Errorf("%+v: %q, want %q", c.cfg, got, c.want)
			continue
		}
		for i := range got {
			if !strings.HasPrefix(got[i], c.want[i]) {
				t.Errorf("%+v: %q, want it to begin %q", c.cfg, got[i], c.want[i])
			}
		}
	}
	if s, err := NewMemory(Config{TTL: -1}); s != nil || err == nil || !strings.HasPrefix(err.Error(), "idempotency: TTL") {
		t.Errorf("NewMemory: %v, %v", s, err)
	}
	s := memory(t, Config{Entries: 1})
	if err := s.Reconfigure(Config{Entries: -1}); err == nil || s.m.cfg.Entries != 1 {
		t.Errorf("a refused Reconfigure: %v", err)
	}
}

func TestLookingUpDoesNotAllocate(t *testing.T) {
	s := memory(t, Config{Entries: 2})
	done, busy, full := claim("done", "a", "r"), claim("busy", "a", "r"), claim("full", "a", "r")
	_, _, _ = s.Admit(0, done)
	_, _ = s.Report(0, done, Ending{State: Done})
	_, _, _ = s.Admit(0, busy)
	for name, f := range map[string]func(){
		"a replay":            func() { _, _, _ = s.Admit(1, done) },
		"a busy key":          func() { _, _, _ = s.Admit(1, busy) },
		"a full store":        func() { _, _, _ = s.Admit(1, full) },
		"a report":            func() { _, _ = s.Report(1, busy, Ending{State: Unknown}) },
		"a report of nothing": func() { _, _ = s.Report(1, full, Ending{State: Unknown}) },
		"Snapshot":            func() { s.Snapshot(1) },
	} {
		if got := testing.AllocsPerRun(100, f); got != 0 {
			t.Errorf("%s allocates %v times", name, got)
		}
	}
}

func BenchmarkAdmitReport(b *testing.B) {
	s := memory(b, Config{TTL: time.Microsecond})
	c := claim("k", "a", "r")
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		now := core.Instant(n) * 2000
		_, _, _ = s.Admit(now, c)
		_, _ = s.Report(now, c, Ending{State: Done})
	}
}

func BenchmarkReplay(b *testing.B) {
	s := memory(b, Config{})
	c := claim("k", "a", "r")
	_, _, _ = s.Admit(0, c)
	_, _ = s.Report(0, c, Ending{State: Done})
	b.ReportAllocs()
	for b.Loop() {
		_, _, _ = s.Admit(1, c)
	}
}
