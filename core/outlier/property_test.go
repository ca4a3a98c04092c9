package outlier

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Whatever happens, no more are out after an ejection than may be, and who is
// out comes back within Cap and an interval of its time.
func TestNeverTooManyAndNeverForEver(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 8))
		n := 1 + r.IntN(64)
		c := Config{MaxOut: MaxOut{Share: r.Float64()}}.Filled()
		d, now := detector(t, n, c), core.Instant(0)
		most := int(c.MaxOut.Share*float64(n) + 1e-9)
		since := make([]core.Instant, n)
		for range 4000 {
			now = now.Add(time.Duration(r.IntN(100)) * time.Millisecond)
			d.Report(now, r.IntN(n), 0, ends[r.IntN(len(ends))])
			if r.IntN(500) == 0 {
				now = now.Add(time.Minute)
			}
			d.Sweep(now)
			out := 0
			for i, e := range d.Snapshot(now) {
				if !e.Out {
					since[i] = now
					continue
				}
				out++
				if now.Sub(since[i]) > c.Cap+c.Interval+time.Minute {
					t.Fatalf("seed %d: host %d is out since %v at %v", seed, i, since[i], now)
				}
			}
			if out > most {
				t.Fatalf("seed %d: %d of %d are out, %d may be", seed, out, n, most)
			}
		}
	}
}

func TestNothingIsAllocated(t *testing.T) {
	d, now := detector(t, 20, Config{}), core.Instant(0)
	if n := testing.AllocsPerRun(2000, func() {
		now = now.Add(100 * time.Millisecond) // some of them sweep
		d.Report(now, int(now/7)%20, time.Millisecond, good2xx)
		d.Sweep(now)
		_ = d.Ejected()
	}); n != 0 {
		t.Errorf("allocates %v times", n)
	}
}

func TestManyGoroutines(t *testing.T) {
	d := detector(t, 8, Config{Interval: 10 * time.Millisecond, Base: 20 * time.Millisecond})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 9))
			for k := range 3000 {
				now := core.Instant(k) * core.Instant(time.Millisecond) / 4
				d.Report(now, r.IntN(8), time.Duration(r.IntN(1e6)), ends[r.IntN(len(ends))])
				switch r.IntN(50) {
				case 0:
					d.Use(now, r.Uint64()&255)
				case 1:
					d.Restarted(now, r.IntN(8))
				case 2:
					d.Snapshot(now)
				case 3:
					d.Apart(now, r.Uint64())
				}
			}
		})
	}
	wg.Wait()
	d.Use(0, 255)
	for i, e := range d.Snapshot(0) {
		if e.Times > 16 || e.Out && e.Rule == NoRule {
			t.Errorf("host %d: %+v", i, e)
		}
	}
}

func TestMisusePanics(t *testing.T) {
	for _, i := range []int{-1, 64} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != "outlier: no such endpoint" {
					t.Errorf("%d: %s", i, got)
				}
			}()
			detector(t, 2, Config{}).Report(0, i, 0, good2xx)
		}()
	}
}

func BenchmarkReport(b *testing.B) {
	d, now := detector(b, 20, Config{}), core.Instant(0)
	for b.Loop() {
		now += 1000
		d.Report(now, int(now)%20, time.Millisecond, good2xx)
	}
}

func BenchmarkSweepOf64(b *testing.B) {
	d, now := detector(b, 64, Config{}), core.Instant(0)
	for b.Loop() {
		for i := range 64 {
			d.Report(now, i, time.Millisecond, good2xx)
		}
		now = now.Add(10 * time.Second)
		d.Sweep(now)
	}
}
