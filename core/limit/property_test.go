package limit

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/race"
)

var all = []Algorithm{Knee, Fixed, AIMD, Vegas, Gradient2, Envoy}

// ends holds samples that no sane driver reports.
var ends = []Sample{
	{}, {RTT: math.MaxInt64, InFlight: math.MaxInt32}, {RTT: math.MinInt64, InFlight: -5},
	{RTT: 1}, {Dropped: true, RTT: math.MaxInt64}, {InFlight: math.MaxInt32},
}

func randomConfig(r *rand.Rand) Config {
	c := Config{Algorithm: all[r.IntN(len(all))], Min: 1 + r.IntN(20), Samples: 1 + r.IntN(12),
		Window: time.Duration(1+r.IntN(100)) * time.Millisecond}
	c.Max = c.Min + r.IntN(200)
	c.Initial = c.Min + r.IntN(c.Max-c.Min+1)
	if r.IntN(3) == 0 {
		c.Slow = time.Duration(1+r.IntN(50)) * time.Millisecond
	}
	return c
}

func randomSample(r *rand.Rand, limit int) Sample {
	if r.IntN(200) == 0 {
		return ends[r.IntN(len(ends))]
	}
	return Sample{RTT: time.Duration(r.ExpFloat64() * 1e7), InFlight: 1 + r.IntN(limit+2), Dropped: r.IntN(40) == 0}
}

// sane returns what must hold of a limit at any time, or "".
func sane(l *Limit, c Config, now core.Instant) string {
	s := l.Snapshot(now)
	switch {
	case s.Limit < c.Min || s.Limit > c.Max || s.Limit != l.Limit():
		return "the limit is out of bounds"
	case math.IsNaN(s.Gradient) || s.Gradient < 0:
		return "the gradient is no number"
	case s.Baseline < 0 || s.Latency < 0:
		return "a latency is negative"
	case s.Why == "":
		return "the move has no reason"
	case l.m.v.next.settle < 0 || now < l.latest:
		return "the next window lies in the past"
	}
	return ""
}

// Whatever is reported, a limit stays within its bounds, says when it has
// changed, and the same samples give the same answers.
func TestRandomLives(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 3))
		c := randomConfig(r)
		a, b := must(c, seed), must(c, seed)
		now, last, changes := core.Instant(r.Int64()), a.Limit(), uint64(0)
		for i := range 3000 {
			now = now.Add(time.Duration(r.ExpFloat64() * 2e6))
			if r.IntN(500) == 0 {
				now = now.Add(time.Duration(r.Int64N(int64(time.Hour))))
			}
			s := randomSample(r, last)
			n, changed := a.Report(now, s)
			if m, too := b.Report(now, s); m != n || too != changed {
				t.Fatalf("seed %d, sample %d: %d, %v and %d, %v of the same samples", seed, i, n, changed, m, too)
			}
			if changed != (n != last) {
				t.Fatalf("seed %d, sample %d: from %d to %d, changed %v", seed, i, last, n, changed)
			}
			if changed {
				changes++
			}
			last = n
			if wrong := sane(a, c, now); wrong != "" {
				t.Fatalf("seed %d, sample %d: %s: %+v of %+v", seed, i, wrong, a.Snapshot(now), c)
			}
		}
		if got := a.Snapshot(now); got.Changes != changes || got.Samples != 3000 {
			t.Fatalf("seed %d: %+v, want %d changes", seed, got, changes)
		}
	}
}

// The clock's origin means nothing.
func TestAnyOrigin(t *testing.T) {
	for _, a := range all {
		c := Config{Algorithm: a, Initial: 20}
		var want []int
		for _, origin := range []core.Instant{0, -1 << 62, 1 << 61, -5 * ms} {
			l := must(c, 1)
			r := rand.New(rand.NewPCG(1, 4))
			var got []int
			for i := range 4000 {
				s := Sample{RTT: time.Duration(r.ExpFloat64() * 1e7), InFlight: 20}
				n, _ := l.Report(origin+core.Instant(i)*ms, s)
				got = append(got, n)
			}
			if want == nil {
				want = got
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("%v: origin %d, sample %d: %d, want %d", a, origin, i, got[i], want[i])
				}
			}
		}
	}
}

// A caller with an old reading of the clock changes nothing about time.
func TestTimeNeverGoesBack(t *testing.T) {
	for _, a := range all {
		early, late := must(Config{Algorithm: a, Initial: 20}, 1), must(Config{Algorithm: a, Initial: 20}, 1)
		for i := range 3000 {
			now := core.Instant(i) * ms
			s := Sample{RTT: time.Duration(i%17) * time.Millisecond, InFlight: 20}
			late.Report(now, s)
			early.Snapshot(now)
			early.Report(now-core.Instant(i%7)*ms, s)
			if early.Limit() != late.Limit() {
				t.Fatalf("%v: sample %d: %d and %d", a, i, early.Limit(), late.Limit())
			}
		}
	}
}

// traffic fills the limit for a while: as many requests are under way as may,
// and each takes so long.
func (f *feeder) traffic(rtt, long time.Duration) {
	for end := f.now.Add(long); f.now < end; {
		n := f.l.Limit()
		f.now = f.now.Add(rtt / time.Duration(n))
		f.l.Report(f.now, Sample{RTT: rtt, InFlight: n})
	}
}

// kinds are the things that can happen.
var kinds = []func(*feeder){
	func(f *feeder) { f.traffic(100*time.Millisecond, time.Second) },
	func(f *feeder) { f.traffic(time.Second, 3*time.Second) },
	func(f *feeder) { // health checks
		for range 30 {
			f.now += 100 * ms
			f.l.Report(f.now, Sample{RTT: time.Millisecond, InFlight: 1})
		}
	},
	func(f *feeder) { f.now = f.now.Add(time.Minute); f.rtt(100, 1) },
	func(f *feeder) {
		for range 100 {
			f.sample(Sample{Dropped: true, InFlight: f.l.Limit()})
		}
	},
}

// Wherever four things of any kinds lead, ordinary traffic leads out again:
// nothing is measured or tried for ever, and no limit is stuck that binds while
// latency is good.
func TestNoDeadEnds(t *testing.T) {
	stride := 1
	if race.Enabled {
		stride = 17 // slow, and on one goroutine
	}
	for _, a := range []Algorithm{Knee, Vegas, Gradient2, Envoy} {
		patience := 120 // seconds
		if a == Vegas || a == Gradient2 {
			patience = 1200 // 30 windows for each of the limit, and an average over 600 windows
		}
		for path := 0; path < 5*5*5*5; path += stride {
			f := feed(Config{Algorithm: a, Min: 1, Max: 40, Initial: 20})
			for i, n := 0, path; i < 4; i, n = i+1, n/5 {
				kinds[n%5](f)
			}
			waited := 0
			for ; f.l.Limit() < 40 && waited < patience; waited++ {
				f.traffic(100*time.Millisecond, time.Second)
			}
			if f.l.Limit() < 40 {
				t.Fatalf("%v: path %d: stuck: %+v", a, path, f.l.Snapshot(f.now))
			}
		}
	}
}

func FuzzReport(f *testing.F) {
	f.Add(uint64(1), []byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09"))
	f.Add(uint64(5), []byte("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"))
	f.Add(uint64(9), []byte("\xff\x10\xff\x10\xff\x10\xff\x10\xff\x10\xff\x10\xff\x10"))
	f.Fuzz(func(t *testing.T, seed uint64, in []byte) {
		c := randomConfig(rand.New(rand.NewPCG(seed, 5)))
		l := must(c, seed)
		now := core.Instant(seed)
		for i := 0; i+1 < len(in); i += 2 {
			now = now.Add(time.Duration(in[i]) * time.Duration(in[i]) * 20 * time.Microsecond)
			s := Sample{RTT: time.Duration(in[i+1]) * time.Millisecond, InFlight: int(in[i] % 64), Dropped: in[i+1] == 7}
			if in[i+1] == 255 {
				s = ends[int(in[i])%len(ends)]
			}
			l.Report(now, s)
			if wrong := sane(l, c, now); wrong != "" {
				t.Fatalf("%s: %+v", wrong, l.Snapshot(now))
			}
		}
	})
}
