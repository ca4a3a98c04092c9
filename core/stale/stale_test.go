package stale

import (
	"math"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/seakeep/seakeep/core"
)

const sec = core.Instant(time.Second)

func TestValidateNamesFieldAndRemedy(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want []string // the start of each line; none: valid
	}{
		{Config{Stale: time.Minute}, nil},
		{Config{Fresh: time.Minute}, nil},
		{Config{Fresh: time.Minute, Stale: time.Minute, Entries: 5, Bytes: 6}, nil},
		{Config{}, []string{"Stale: is 0 and so is Fresh"}},
		{Config{Entries: 5}, []string{"Stale: is 0 and so is Fresh"}},
		{Config{Fresh: time.Minute, Stale: time.Second},
			[]string{"Stale: is 1s, less than Fresh (1m0s);"}},
		{Config{Fresh: -1, Stale: -2, Entries: -3, Bytes: -4},
			[]string{"Fresh: is -1ns;", "Stale: is -2ns;", "Entries: is -3;", "Bytes: is -4;"}},
	} {
		var got []string
		if err := c.cfg.Validate(); err != nil {
			got = strings.Split(err.Error(), "\n")
		}
		if len(got) != len(c.want) {
			t.Errorf("%+v: %d errors %q, want %d", c.cfg, len(got), got, len(c.want))
			continue
		}
		for i := range got {
			if !strings.HasPrefix(got[i], c.want[i]) {
				t.Errorf("%+v: %q, want it to begin %q", c.cfg, got[i], c.want[i])
			}
		}
	}
	if c, err := New(Config{}); err == nil || c != nil || !strings.HasPrefix(err.Error(), "stale: ") {
		t.Errorf("New of nothing is %v, %v", c, err)
	}
}

func TestDefaults(t *testing.T) {
	got := must(Config{Stale: time.Minute}).Snapshot(0)
	if got.MaxEntries != 1000 || got.MaxBytes != 64<<20 {
		t.Errorf("bounds are %d entries and %d bytes, want 1000 and 64 MiB", got.MaxEntries, got.MaxBytes)
	}
}

func TestAges(t *testing.T) {
	both := Config{Fresh: 10 * time.Second, Stale: 60 * time.Second}
	for _, c := range []struct {
		cfg  Config
		age  time.Duration
		want Status
	}{
		{both, 0, Fresh},
		{both, 10*time.Second - 1, Fresh},
		{both, 10 * time.Second, Stale},
		{both, 60*time.Second - 1, Stale},
		{both, 60 * time.Second, Miss},
		{both, math.MaxInt64, Miss},
		// Without Fresh even a new answer is only for when the call fails.
		{Config{Stale: time.Second}, 0, Stale},
		// Without Stale an answer is gone when it is no longer fresh.
		{Config{Fresh: time.Second}, time.Second - 1, Fresh},
		{Config{Fresh: time.Second}, time.Second, Miss},
	} {
		for _, origin := range []core.Instant{math.MinInt64, -5 * sec, 0, 1 << 60} {
			x := must(c.cfg)
			x.Store(origin, "k", "v", 1)
			v, age, got := x.Lookup(origin.Add(c.age), "k")
			if got != c.want || (got != Miss) != (v == "v") {
				t.Errorf("%+v, origin %d: at age %v it is %v %v, want %v",
					c.cfg, origin, c.age, v, got, c.want)
			}
			if got != Miss && age != c.age || got == Miss && age != 0 {
				t.Errorf("%+v, origin %d: age %v, want %v", c.cfg, origin, age, c.age)
			}
		}
	}
}

func TestTimeNeverGoesBack(t *testing.T) {
	x := must(Config{Stale: time.Minute})
	x.Lookup(50*sec, "other")
	x.Store(10*sec, "k", "v", 1) // a caller with an old reading of the clock
	if _, age, s := x.Lookup(55*sec, "k"); s != Stale || age != 5*time.Second {
		t.Errorf("%v, age %v; want it stored at the latest time known", s, age)
	}
	if _, age, _ := x.Lookup(0, "k"); age != 5*time.Second {
		t.Errorf("asked with an old clock the age is %v", age)
	}
}

func TestTheLeastRecentlyUsedGoesFirst(t *testing.T) {
	x := must(Config{Stale: time.Hour, Entries: 2})
	x.Store(1, "a", "A", 1)
	x.Store(2, "b", "B", 1)
	x.Lookup(3, "a")
	x.Store(4, "c", "C", 1)
	for key, want := range map[string]Status{"a": Stale, "b": Miss, "c": Stale} {
		if _, _, got := x.Lookup(5, key); got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	if got := x.Snapshot(5); got.Evicted != 1 || got.Entries != 2 {
		t.Errorf("%+v", got)
	}
}

func TestBytesCountValuesAndKeys(t *testing.T) {
	x := must(Config{Stale: time.Hour, Bytes: 20})
	x.Store(0, "key-1", 1, 5)
	x.Store(0, "key-2", 2, 5) // exactly full
	if got := x.Snapshot(0); got.Bytes != 20 || got.Entries != 2 || got.Evicted != 0 {
		t.Errorf("two that just fit: %+v", got)
	}
	x.Store(0, "key-2", 2, 6)
	if got := x.Snapshot(0); got.Bytes != 11 || got.Entries != 1 || got.Evicted != 1 {
		t.Errorf("one byte more: %+v", got)
	}
	x.Store(0, "key-2", 3, 1)
	if got := x.Snapshot(0); got.Bytes != 6 || got.Entries != 1 {
		t.Errorf("replaced by a smaller one: %+v", got)
	}
	x.Remove("key-2")
	x.Remove("key-2")
	if got := x.Snapshot(0); got.Bytes != 0 || got.Entries != 0 {
		t.Errorf("removed: %+v", got)
	}
}

func TestTooLargeIsNotStoredAndTheOldOneStays(t *testing.T) {
	x := must(Config{Stale: time.Hour, Bytes: 100})
	x.Store(0, "k", "old", 10)
	x.Store(5*sec, "k", "new", 100) // with its key it is 101
	x.Store(5*sec, "k", "huge", math.MaxInt64)
	v, age, s := x.Lookup(6*sec, "k")
	if v != "old" || age != 6*time.Second || s != Stale {
		t.Errorf("%v, age %v, %v", v, age, s)
	}
	if got := x.Snapshot(0); got.TooLarge != 2 || got.Evicted != 0 || got.Bytes != 11 {
		t.Errorf("%+v", got)
	}
}

func TestWhatNobodyAsksForDoesNotOutliveItsTime(t *testing.T) {
	x := must(Config{Stale: 10 * time.Second})
	for i := range 5 {
		x.Store(core.Instant(i)*sec, strings.Repeat("k", i+1), "v", 1)
	}
	x.Store(12*sec, "new", "v", 1) // those of 0, 1 and 2 are over
	if got := x.Snapshot(12 * sec); got.Entries != 3 || got.Evicted != 0 {
		t.Errorf("%+v", got)
	}
}

func TestReconfigureKeepsWhatFits(t *testing.T) {
	x := must(Config{Stale: 5 * time.Second})
	x.Store(0, "a", "A", 1)
	x.Store(0, "b", "B", 1)
	if err := x.Reconfigure(4*sec, Config{Stale: time.Hour}); err != nil {
		t.Fatal(err)
	}
	if _, age, s := x.Lookup(600*sec, "a"); s != Stale || age != 600*time.Second {
		t.Errorf("after stretching: %v, age %v", s, age)
	}
	if err := x.Reconfigure(600*sec, Config{Stale: time.Hour, Entries: 1}); err != nil {
		t.Fatal(err)
	}
	if _, _, s := x.Lookup(600*sec, "b"); s != Miss {
		t.Errorf("the one used longer ago is %v", s)
	}
	if err := x.Reconfigure(600*sec, Config{}); err == nil {
		t.Error("settings without any use are accepted")
	}
	if _, _, s := x.Lookup(600*sec, "a"); s != Stale {
		t.Errorf("after refused settings the answer is %v", s)
	}
}

func TestNegativeSizePanics(t *testing.T) {
	defer func() {
		if got := recover(); got != "stale: Store with a negative size" {
			t.Errorf("panic %v", got)
		}
	}()
	must(Config{Stale: 1}).Store(0, "k", "v", -1)
}

func TestNames(t *testing.T) {
	names := map[Status]string{Miss: "miss", Fresh: "fresh", Stale: "stale", 9: "invalid"}
	for s, want := range names {
		if got := s.String(); got != want {
			t.Errorf("status %d is %q, want %q", s, got, want)
		}
	}
}

// A key may be cut out of a large buffer. The cache must not keep that alive,
// because it does not count it.
func TestKeysAreCopied(t *testing.T) {
	buffer := strings.Repeat("k", 1000)
	x := must(Config{Stale: time.Hour})
	x.Store(0, buffer[:3], "v", 1)
	kept := x.m.used.next.key
	if kept != "kkk" || unsafe.StringData(kept) == unsafe.StringData(buffer) {
		t.Errorf("%q is a piece of the caller's buffer", kept)
	}
}

func TestLookingAndStoringAgainDoNotAllocate(t *testing.T) {
	x := must(Config{Stale: time.Hour})
	x.Store(0, "k", "v", 1)
	x.Store(0, "l", "v", 1)
	for name, f := range map[string]func(){
		"a hit":          func() { x.Lookup(1, "k"); x.Lookup(1, "l") },
		"a miss":         func() { x.Lookup(1, "m") },
		"Store":          func() { x.Store(1, "k", "v", 1) },
		"Lease and Done": func() { x.Lease(1, "k"); x.Done(1, "k") },
		"Snapshot":       func() { x.Snapshot(1) },
	} {
		if got := testing.AllocsPerRun(200, f); got != 0 {
			t.Errorf("%s allocates %v times", name, got)
		}
	}
}
