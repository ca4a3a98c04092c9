package queue

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// serve runs one server that takes 10 ms on average, exponentially, under a
// load of so many arrivals a second whose callers wait for a second, and
// returns the answers in time per second, and within what time 99 % of these came.
func serve(c Config, load float64, expires bool) (goodput float64, p99 time.Duration) {
	const seconds = 300
	r := rand.New(rand.NewPCG(7, uint64(load)))
	l := must(c)
	draw := func(rate float64) core.Instant { return core.Instant(r.ExpFloat64() / rate * 1e9) }
	var took []time.Duration
	var free core.Instant // when the server is
	for now := draw(load); now < seconds*1000*ms; now += draw(load) {
		for free <= now && l.Len() > 0 { // what it did since the last arrival
			it := l.Pop(free)
			if it == nil {
				break
			}
			free += draw(100)
			if free < core.Instant(it.Value)+1000*ms {
				took = append(took, free.Sub(core.Instant(it.Value)))
			}
		}
		for l.Gone() != nil {
		}
		until := core.Never
		if expires {
			until = now + 1000*ms
		}
		l.Push(now, &Item[int]{Value: int(now), Until: until})
		free = max(free, now)
	}
	slices.Sort(took)
	return float64(len(took)) / seconds, took[len(took)*99/100]
}

// The published goodput of one server of 100 a second at loads from 80 to 300,
// under each way to queue. Callers leave after a second and do not come back.
func TestGoodputUnderOverload(t *testing.T) {
	loads := []float64{80, 120, 200, 300}
	lots := 1 << 20
	for _, c := range []struct {
		name    string
		cfg     Config
		expires bool
		want    []float64
		p99     time.Duration
	}{
		{"FIFO, nobody expires", Config{Length: lots}, false, []float64{80, 3, 1, 1}, 0},
		{"expired dropped", Config{Length: lots}, true, []float64{80, 83, 49, 34}, 0},
		{"bound of 50", Config{Length: 50}, true, []float64{80, 99, 99, 100}, 670 * time.Millisecond},
		{"LIFO", Config{Length: lots, Rules: Rules{Order: LIFO}}, true, []float64{80, 98, 99, 100}, 0},
		{"codel-lifo", Config{Length: lots, Rules: Rules{Order: CoDelLIFO}}, true, []float64{73, 88, 96, 99}, 110 * time.Millisecond},
	} {
		for i, load := range loads {
			got, p99 := serve(c.cfg, load, c.expires)
			t.Logf("%s, load %v: %.1f/s, p99 %v", c.name, load, got, p99)
			if math.Abs(got-c.want[i]) > 4 {
				t.Errorf("%s, load %v: %.1f answers in time a second, want %v", c.name, load, got, c.want[i])
			}
			if c.p99 > 0 && load > 100 && (p99 < c.p99*8/10 || p99 > c.p99*12/10) {
				t.Errorf("%s, load %v: p99 of %v, want about %v", c.name, load, p99, c.p99)
			}
		}
	}
}

// A server that queues for CoDel keeps the wait near the target.
func TestCoDelKeepsWaitsShort(t *testing.T) {
	c := Config{Length: 1 << 20, Rules: Rules{Order: CoDel, Target: 20 * time.Millisecond}}
	l := must(c)
	var waits, n, dropped float64
	for now := core.Instant(0); now < 60_000*ms; now += ms {
		if now%(8*ms) == 0 { // 125 a second come, 100 are served
			l.Push(now, &Item[int]{Value: int(now), Until: core.Never})
		}
		if now%(10*ms) != 0 {
			continue
		}
		if it := l.Pop(now); it != nil && now > 20_000*ms {
			waits += float64(now.Sub(core.Instant(it.Value))) / 1e6
			n++
		}
		for ; l.Gone() != nil; dropped++ {
		}
	}
	t.Logf("mean wait %.1f ms, %v dropped of 7500", waits/n, dropped)
	if waits/n > 60 || dropped < 1200 || dropped > 1700 {
		t.Errorf("mean wait %.1f ms, %v dropped; want about the target, and a fifth of 7500", waits/n, dropped)
	}
}
