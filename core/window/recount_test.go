package window

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// raw is one result as it came.
type raw struct {
	at           core.Instant
	failed, slow bool
}

func recount(all []raw, counts func(raw) bool) (c Counts) {
	for _, r := range all {
		if counts(r) {
			c.add(r.failed, r.slow)
		}
	}
	return c
}

// within reports whether each field of c is between those of a and b.
func (c Counts) within(a, b Counts) bool {
	in := func(x, lo, hi uint64) bool { return lo <= x && x <= hi }
	return in(c.Calls, a.Calls, b.Calls) && in(c.Failed, a.Failed, b.Failed) &&
		in(c.Slow, a.Slow, b.Slow) && in(c.SlowFailed, a.SlowFailed, b.SlowFailed)
}

// checker keeps all results and recounts them.
type checker struct {
	t   testing.TB
	c   Config
	w   *Window
	all []raw
}

func newChecker(t testing.TB, c Config) *checker { return &checker{t: t, c: c, w: New(c)} }

func (k *checker) record(r raw) {
	k.all = append(k.all, r)
	k.w.Record(r.at, r.failed, r.slow)
	k.check(r.at)
}

func (k *checker) reset(now core.Instant) {
	k.all = nil
	k.w.Reset(now)
	k.check(now)
}

func (k *checker) check(now core.Instant) {
	k.t.Helper()
	got := k.w.Counts(now)
	row := 0
	for _, r := range slices.Backward(k.all) {
		if !r.failed {
			break
		}
		row++
	}
	if k.w.InARow() != row {
		k.t.Fatalf("%+v: in a row %d, recounted %d", k.c, k.w.InARow(), row)
	}
	switch {
	case k.c.Calls > 0:
		last := k.all[max(0, len(k.all)-k.c.Calls):]
		if c := recount(last, func(raw) bool { return true }); got != c {
			k.t.Fatalf("%+v: %+v, recounted %+v", k.c, got, c)
		}
	case k.c.Consecutive > 0:
		if c := recount(k.all[len(k.all)-row:], func(raw) bool { return true }); got != c {
			k.t.Fatalf("%+v: %+v, recounted %+v", k.c, got, c)
		}
	default:
		n := k.c.Buckets
		if n == 0 {
			n = 10
		}
		width := k.c.Over / time.Duration(n)
		young := func(r raw) bool { return now.Sub(r.at) < width*time.Duration(n-1) }
		alive := func(r raw) bool { return now.Sub(r.at) < width*time.Duration(n) }
		lo, hi := recount(k.all, young), recount(k.all, alive)
		if n == 1 { // the one slice holds at least what came at this moment
			lo = recount(k.all, func(r raw) bool { return r.at == now })
		}
		if !got.within(lo, hi) {
			k.t.Fatalf("%+v @%v: %+v, want between %+v and %+v", k.c, time.Duration(now), got, lo,
				hi)
		}
	}
}

var recounted = []Config{
	{Calls: 1}, {Calls: 2}, {Calls: 7}, {Calls: 100}, {Consecutive: 3},
	{Over: time.Second}, {Over: time.Second, Buckets: 1}, {Over: time.Second, Buckets: 2},
	{Over: 997 * time.Millisecond, Buckets: 7}, {Over: time.Millisecond, Buckets: 1000},
}

// TestCountsEqualARecount is the property that a counter kept up to date must
// have: at any time it is what counting the raw results anew would give.
func TestCountsEqualARecount(t *testing.T) {
	for i, c := range recounted {
		rng := rand.New(rand.NewPCG(uint64(i), 7))
		k := newChecker(t, c)
		now := core.Instant(rng.Int64() - rng.Int64())
		unit := max(c.Over/40, 1)
		for range 10_000 {
			switch x := rng.IntN(1000); {
			case x < 700:
				k.record(raw{now, rng.IntN(3) == 0, rng.IntN(4) == 0})
			case x < 990:
				now = now.Add(time.Duration(rng.Int64N(int64(unit)*3 + 1)))
				k.check(now)
			case x < 997:
				now = now.Add(c.Over / time.Duration(1+rng.IntN(3)))
			case x < 999:
				now = now.Add(c.Over * 5)
			default:
				k.reset(now)
			}
			if len(k.all) > 600 {
				k.all = slices.Delete(k.all, 0, 300) // older than any window here needs
			}
		}
	}
}

func FuzzCountsEqualARecount(f *testing.F) {
	f.Add(uint8(2), []byte{0, 1, 2, 3, 0x84, 0x90, 0xff})
	f.Add(uint8(5), []byte{3, 0x81, 3, 0x99, 2, 0xfe, 1})
	f.Fuzz(func(t *testing.T, which uint8, steps []byte) {
		c := recounted[int(which)%len(recounted)]
		k := newChecker(t, c)
		now := core.Instant(-1e9)
		for _, s := range steps {
			switch {
			case s == 0xff:
				k.reset(now)
			case s >= 0x80:
				now = now.Add(time.Duration(s&0x7f) * max(c.Over/64, 1))
				k.check(now)
			default:
				k.record(raw{now, s&1 != 0, s&2 != 0})
			}
		}
	})
}

func TestConfigErrorsNameTheField(t *testing.T) {
	for _, c := range []struct {
		c    Config
		want string
	}{
		{Config{}, "Over: no window is set; give"},
		{Config{Calls: 1, Over: time.Second}, "Over: more than one window is set; keep one"},
		{Config{Calls: -1}, "Calls: is -1; give 1 to 100000"},
		{Config{Calls: 100_001}, "Calls: is 100001; give"},
		{Config{Over: time.Microsecond}, "Over: is 1µs; give 1ms to"},
		{Config{Over: -time.Second}, "Over: is -1s; give"},
		{Config{Over: 25 * time.Hour}, "Over: is 25h0m0s; give"},
		{Config{Consecutive: -2}, "Consecutive: is -2; give"},
		{Config{Over: time.Second, Buckets: -1}, "Buckets: is -1; give"},
		{Config{Over: time.Second, Buckets: 1001}, "Buckets: is 1001; give"},
		{Config{Calls: 5, Buckets: 2}, "Buckets: cuts a window of time; leave it out"},
	} {
		err := c.c.Validate()
		if err == nil || !strings.HasPrefix(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: got %v, want one error that begins %q", c.c, err, c.want)
		}
	}
	for _, c := range recounted {
		if err := c.Validate(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for name, f := range map[string]func(){
		"New":       func() { New(Config{}) },
		"NewRecent": func() { NewRecent(1) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.HasPrefix(text, "window: ") {
					t.Errorf("%s: panic %q, want one that begins with the package", name, text)
				}
			}()
			f()
			t.Errorf("%s: no panic", name)
		}()
	}
}
