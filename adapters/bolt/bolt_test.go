package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/idempotency"
)

// open opens a store for a test, with a clock that begins now.
func open(tb testing.TB, path string, c idempotency.Config) *Store {
	tb.Helper()
	s, err := Open(path, c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

func fileFor(tb testing.TB) string { return filepath.Join(tb.TempDir(), "keys.db") }

func claim(key, request, owner string) idempotency.Claim {
	var f idempotency.Fingerprint
	copy(f[:], request)
	return idempotency.Claim{Key: key, Name: "POST /orders " + key, Fingerprint: f, Owner: owner}
}

func now() core.Instant { return core.Instant(time.Now().UnixNano()) }

// expect fails unless a claim gets this reason, and this answer.
func expect(tb testing.TB, s *Store, at core.Instant, c idempotency.Claim, want core.Reason, answer string) {
	tb.Helper()
	r, reason, err := s.Admit(at, c)
	if err != nil || reason != want || string(r.Answer) != answer {
		tb.Errorf("%s gets %v %q %v, want %v %q", c.Owner, reason, r.Answer, err, want, answer)
	}
}

func TestWhatIsStoredOutlivesTheProcess(t *testing.T) {
	path := fileFor(t)
	s := open(t, path, idempotency.Config{})
	start := now()
	for i, state := range []idempotency.State{idempotency.Done, idempotency.NotStored, idempotency.Unknown, idempotency.Fresh} {
		c := claim(state.String(), "a", fmt.Sprint("run", i))
		expect(t, s, start, c, core.NoReason, "")
		if kept, err := s.Report(start, c, idempotency.Ending{State: state, Answer: []byte("201")}); !kept || err != nil {
			t.Errorf("%v: %v %v", state, kept, err)
		}
	}
	running := claim("running", "a", "dies")
	expect(t, s, start, running, core.NoReason, "")
	expect(t, s, start, running, core.KeyBusy, "")
	before := s.Snapshot()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, path, idempotency.Config{TTL: time.Hour})
	after := s.Snapshot()
	if before.Entries != 4 || before.Running != 1 || before.Unknown != 1 || before.Began != 5 || before.Refused != 1 {
		t.Errorf("before %+v", before)
	}
	if after.Entries != 4 || after.Running != 0 || after.Unknown != 2 || after.Bytes != before.Bytes {
		t.Errorf("before %+v\nafter %+v", before, after)
	}
	at := now()
	expect(t, s, at, claim("done", "a", "x"), core.KeyReplayed, "201")
	expect(t, s, at, claim("done", "b", "x"), core.KeyReused, "")
	expect(t, s, at, claim("not-stored", "a", "x"), core.KeyNotStored, "")
	expect(t, s, at, claim("unknown", "a", "x"), core.KeyUnknown, "")
	expect(t, s, at, claim("running", "a", "x"), core.KeyUnknown, "")
	expect(t, s, at, claim("fresh", "a", "x"), core.NoReason, "")
	// An operator settles one.
	found, err := s.Unsettled(at, 10)
	if err != nil || len(found) != 2 || found[1].Name != "POST /orders unknown" {
		t.Fatalf("%+v %v", found, err)
	}
	if some, err := s.Unsettled(at, 1); len(some) != 1 || err != nil {
		t.Errorf("of two, one: %+v %v", some, err)
	}
	if kept, err := s.Report(at, found[1].Claim, idempotency.Ending{State: idempotency.Fresh}); !kept || err != nil {
		t.Error(kept, err)
	}
	expect(t, s, at, claim("unknown", "a", "y"), core.NoReason, "")
	// The dead run's key is unknown for the new ttl, counted from the opening.
	expect(t, s, at.Add(59*time.Minute), claim("running", "a", "x"), core.KeyUnknown, "")
	expect(t, s, at.Add(time.Hour), claim("running", "a", "x"), core.NoReason, "")
}

// The store in a file and the one in memory are the same store: any sequence of
// steps has the same answers.
func TestAgreesWithMemory(t *testing.T) {
	configs := []idempotency.Config{
		{TTL: 60, Longest: 9, Entries: 3, EntryBytes: 9, Bytes: 840},
		{TTL: 40, Longest: 50, RunAgainAfter: 9, Entries: 30},
	}
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 1))
		path := fileFor(t)
		file := open(t, path, configs[seed%2])
		memory, err := idempotency.NewMemory(configs[seed%2])
		if err != nil {
			t.Fatal(err)
		}
		at := now() + core.Instant(time.Hour) // beyond what Open has seen
		for step := range 400 {
			at += core.Instant(r.IntN(4))
			c := claim(fmt.Sprint("k", r.IntN(5)), string('a'+rune(r.IntN(8)/7)), fmt.Sprint("r", r.IntN(3)))
			var got, want string
			switch r.IntN(5) {
			case 0, 1:
				if r.IntN(3) == 0 {
					c.Instead = fmt.Sprint("r", r.IntN(3))
				}
				a, b, err1 := file.Admit(at, c)
				x, y, err2 := memory.Admit(at, c)
				got, want = fmt.Sprint(a, b, err1), fmt.Sprint(x, y, err2)
			case 2, 3:
				states := []idempotency.State{idempotency.Done, idempotency.Done, idempotency.NotStored, idempotency.Unknown, 0}
				e := idempotency.Ending{State: states[r.IntN(5)], Answer: bytes.Repeat([]byte("x"), r.IntN(14))}
				a, err1 := file.Report(at, c, e)
				x, err2 := memory.Report(at, c, e)
				got, want = fmt.Sprint(a, err1), fmt.Sprint(x, err2)
			case 4:
				if err := file.Sweep(at); err != nil {
					t.Fatal(err)
				}
				got, want = fmt.Sprintf("%+v", file.Snapshot()), fmt.Sprintf("%+v", memory.Snapshot(at))
			}
			if got != want {
				t.Fatalf("seed %d, step %d: the file says %s\nmemory %s", seed, step, got, want)
			}
		}
		counted := file.Snapshot()
		_ = file.Close()
		if again := open(t, path, configs[seed%2]).Snapshot(); again.Entries != counted.Entries || again.Bytes != counted.Bytes {
			t.Errorf("counted %+v, in the file %+v", counted, again)
		}
	}
}

// Of many that come at once for a key exactly one gets the claim.
func TestF187LostRace(t *testing.T) {
	const keys, workers = 30, 12
	s := open(t, fileFor(t), idempotency.Config{})
	var ran, busy, replayed atomic.Int64
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for k := range keys {
				c := claim(fmt.Sprint("k", k), "a", fmt.Sprint("run", w, ".", k))
				r, reason, err := s.Admit(now(), c)
				switch {
				case err != nil:
					t.Error(err)
				case reason == core.NoReason:
					ran.Add(1)
					e := idempotency.Ending{State: idempotency.Done, Answer: []byte(c.Owner)}
					if kept, err := s.Report(now(), c, e); !kept || err != nil {
						t.Errorf("the winner's answer: %v %v", kept, err)
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
	if ran.Load() != keys || busy.Load()+replayed.Load() != keys*(workers-1) {
		t.Errorf("%d ran, %d busy, %d replayed", ran.Load(), busy.Load(), replayed.Load())
	}
	if got := s.Snapshot(); got.Entries != keys || got.Running != 0 || got.Began != keys ||
		got.Replayed != uint64(replayed.Load()) || got.Refused != uint64(busy.Load()) {
		t.Errorf("%+v", got)
	}
}

func TestSweepManyRecords(t *testing.T) {
	s := open(t, fileFor(t), idempotency.Config{TTL: time.Minute})
	start := now()
	var wg sync.WaitGroup
	for w := range 50 {
		wg.Go(func() {
			for i := range 50 {
				c := claim(fmt.Sprint(w, ".", i), "a", "r")
				_, _, _ = s.Admit(start, c)
				_, _ = s.Report(start, c, idempotency.Ending{State: idempotency.Done})
			}
		})
	}
	wg.Wait()
	if got := s.Snapshot(); got.Entries != 2500 {
		t.Fatalf("%+v", got)
	}
	if err := s.Sweep(start.Add(time.Minute) - 1); err != nil || s.Snapshot().Entries != 2500 {
		t.Errorf("too early: %v %+v", err, s.Snapshot())
	}
	if err := s.Sweep(start.Add(time.Minute)); err != nil || s.Snapshot().Entries != 0 || s.Snapshot().Bytes != 0 {
		t.Errorf("at the end: %v %+v", err, s.Snapshot())
	}
}

func TestOneProcessAtATime(t *testing.T) {
	path := fileFor(t)
	open(t, path, idempotency.Config{})
	if _, err := Open(path, idempotency.Config{}); err == nil || !strings.Contains(err.Error(), "open in another process") {
		t.Errorf("the second Open: %v", err)
	}
}

func TestClosedStore(t *testing.T) {
	s := open(t, fileFor(t), idempotency.Config{})
	expect(t, s, now(), claim("k", "a", "r"), core.NoReason, "")
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	_, _, err1 := s.Admit(now(), claim("k", "a", "r"))
	_, _, err2 := s.Admit(now(), claim("k2", "a", "r"))
	_, err3 := s.Report(now(), claim("k", "a", "r"), idempotency.Ending{})
	_, err4 := s.Unsettled(now(), 1)
	for i, err := range []error{err1, err2, err3, err4, s.Sweep(now())} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("call %d of a closed store: %v", i, err)
		}
	}
}

// A flush that fails is told to all who wait for it, and counted.
func TestFailuresAreToldAndCounted(t *testing.T) {
	s := open(t, fileFor(t), idempotency.Config{})
	c := claim("k", "a", "r")
	expect(t, s, now(), c, core.NoReason, "")
	if err := s.db.Close(); err != nil { // the disk is gone
		t.Fatal(err)
	}
	if kept, err := s.Report(now(), c, idempotency.Ending{State: idempotency.Done}); kept || err == nil {
		t.Errorf("the end is stored nowhere: %v %v", kept, err)
	}
	if got := s.Snapshot(); got.Failed != 1 || got.Running != 1 {
		t.Errorf("%+v", got)
	}
}

// Whoever lets unknown keys go says when, and that holds for the dead too.
func TestOrphansMayRunAgain(t *testing.T) {
	path := fileFor(t)
	c := idempotency.Config{RunAgainAfter: time.Minute}
	s := open(t, path, c)
	expect(t, s, now(), claim("k", "a", "dies"), core.NoReason, "")
	_ = s.Close()
	before := now()
	s = open(t, path, c)
	expect(t, s, before.Add(time.Minute)-1, claim("k", "a", "x"), core.KeyUnknown, "")
	expect(t, s, now().Add(time.Minute), claim("k", "a", "x"), core.NoReason, "")
}

func TestMisuse(t *testing.T) {
	s := open(t, fileFor(t), idempotency.Config{})
	for _, key := range []string{"", strings.Repeat("k", maxKey+1)} {
		if _, _, err := s.Admit(now(), claim(key, "a", "r")); err == nil {
			t.Errorf("a key of %d bytes is accepted", len(key))
		}
	}
	expect(t, s, now(), claim(strings.Repeat("k", maxKey), "a", "r"), core.NoReason, "")
	if err := s.Reconfigure(idempotency.Config{TTL: -1}); err == nil {
		t.Error("a wrong config is accepted")
	}
	if err := s.Reconfigure(idempotency.Config{Entries: 1}); err != nil {
		t.Error(err)
	}
	expect(t, s, now(), claim("k", "a", "r"), core.KeysExhausted, "")
	defer func() {
		if got := recover(); got != "bolt: Report of a run that has not ended" {
			t.Errorf("%v", got)
		}
	}()
	_, _ = s.Report(now(), claim("k", "a", "r"), idempotency.Ending{State: idempotency.Running})
}
