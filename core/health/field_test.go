package health

import (
	"math/bits"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

const sec = core.Instant(time.Second)

func monitor(t testing.TB, hosts int, c Config) *Monitor {
	t.Helper()
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	m.Use(0, uint64(1)<<hosts-1)
	return m
}

// verdicts plays checks of endpoint 0, each as soon as it is due, and returns
// the verdict after each.
func verdicts(m *Monitor, passes []bool) (all []Verdict) {
	now := core.Instant(0)
	for _, passed := range passes {
		if start, next := m.Sweep(now); start == 0 {
			now = next
			m.Sweep(now)
		}
		m.Report(now, 0, passed)
		all = append(all, m.Snapshot()[0].Verdict)
	}
	return all
}

// Every kind of failure counts towards the threshold, and one success does not
// bring a dying host back.
func TestF139ThresholdsForEveryFailure(t *testing.T) {
	const y, n = true, false
	m := monitor(t, 2, Config{Unhealthy: 3, Healthy: 2})
	all := verdicts(m, []bool{y, n, n, y, n, n, n, y, n, y, y})
	for k, v := range all {
		want := Unknown
		switch {
		case k >= 6 && k < 10:
			want = Unhealthy
		case k == 10:
			want = Healthy
		}
		if v != want {
			t.Errorf("after check %d: %v, want %v", k+1, v, want)
		}
	}
}

// The edge interval holds from the first check that differs.
func TestF140EdgeInterval(t *testing.T) {
	m := monitor(t, 2, Config{Healthy: 2, Unhealthy: 1, Jitter: Off,
		Every: Every{Up: 10 * time.Second, Down: 5 * time.Second, Edge: time.Second}})
	now := core.Instant(0)
	step := func(passed bool, want time.Duration) {
		t.Helper()
		m.Sweep(now)
		m.Report(now, 0, passed)
		m.Report(now, 1, true)
		due := m.m.peers[0].due
		if got := due.Sub(now); got != want {
			t.Errorf("at %v: next in %v, want %v", now, got, want)
		}
		now = due
	}
	step(false, 5*time.Second) // down
	step(false, 5*time.Second)
	step(true, time.Second)
	step(true, 10*time.Second) // up
	step(true, 10*time.Second)
}

// One check of an endpoint at a time: with an interval of 1s and a limit of 3s
// a silent host is checked at 0, 3 and 6s.
func TestF141NoOverlap(t *testing.T) {
	m := monitor(t, 1, Config{Every: Every{Up: time.Second}, Jitter: Off})
	var starts []core.Instant
	ends := core.Never
	for now := core.Instant(0); now < 8*sec; now += sec / 10 {
		if now >= ends {
			m.Report(now, 0, false)
			ends = core.Never
		}
		if start, _ := m.Sweep(now); start != 0 {
			if ends != core.Never {
				t.Fatal("two checks at a time")
			}
			starts, ends = append(starts, now), now+3*sec
		}
	}
	if len(starts) != 3 || starts[1] != 3*sec || starts[2] != 6*sec {
		t.Errorf("checks start at %v", starts)
	}
}

// A thousand clients that start together do not check together for long.
func TestJitterSpreadsClients(t *testing.T) {
	at := map[core.Instant]int{}
	most := 0
	for seed := range uint64(1000) {
		m, now := monitor(t, 1, Config{Seed: seed}), core.Instant(0)
		for k := 0; k < 20; {
			start, next := m.Sweep(now)
			if start == 0 {
				now = next
				continue
			}
			m.Report(now, 0, true)
			k++
		}
		slot := now / (sec / 10)
		at[slot]++
		most = max(most, at[slot])
	}
	if most > 120 {
		t.Errorf("%d of 1000 check in the same tenth of a second after twenty checks", most)
	}
}

// Random checks of random endpoints, against an oracle that keeps them all.
func TestRandomLivesAgreeWithTheModel(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := 1 + r.IntN(12)
		c := Config{Unhealthy: 1 + r.IntN(4), Healthy: 1 + r.IntN(4), MaxOut: r.Float64(), Seed: seed}.Filled()
		m, now := monitor(t, n, c), core.Instant(0)
		seen, sick := make([][]bool, n), []int(nil)
		for range 500 {
			start, next := m.Sweep(now)
			for i := range n {
				if start>>i&1 == 0 {
					continue
				}
				passed := r.IntN(3) > 0
				seen[i] = append(seen[i], passed)
				m.Report(now, i, passed)
				sick = judged(sick, i, seen[i], c)
			}
			most, want := int(c.MaxOut*float64(n)+1e-9), uint64(0)
			for _, i := range sick[:min(most, len(sick))] {
				want |= 1 << i
			}
			if got := m.Out(); got != want {
				t.Fatalf("seed %d: out %b, want %b of %v", seed, got, want, sick)
			}
			if start == 0 {
				if next <= now {
					t.Fatalf("seed %d: nothing to do at %v and asked again at %v", seed, now, next)
				}
				now = next
			}
		}
	}
}

// judged returns the unhealthy ones, in the order in which they became it.
func judged(sick []int, i int, seen []bool, c Config) []int {
	tail := func(k int, passed bool) bool {
		for _, p := range seen[max(0, len(seen)-k):] {
			if p != passed {
				return false
			}
		}
		return len(seen) >= k
	}
	at := -1
	for k, s := range sick {
		if s == i {
			at = k
		}
	}
	switch {
	case at < 0 && tail(c.Unhealthy, false):
		return append(sick, i)
	case at >= 0 && tail(c.Healthy, true):
		return append(sick[:at:at], sick[at+1:]...)
	}
	return sick
}

func TestManyGoroutines(t *testing.T) {
	m := monitor(t, 16, Config{Every: Every{Up: 2 * time.Millisecond}})
	var wg sync.WaitGroup
	var mu sync.Mutex
	under := make([]int, 16)
	for g := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 4))
			for k := range 2000 {
				now := core.Instant(k) * core.Instant(time.Millisecond)
				mu.Lock()
				start, _ := m.Sweep(now)
				for i := range 16 {
					if start>>i&1 != 0 {
						if under[i]++; under[i] > 1 {
							t.Errorf("two checks of %d", i)
						}
					}
				}
				mu.Unlock()
				for ; start != 0; start &= start - 1 {
					i := bits.TrailingZeros64(start)
					mu.Lock()
					under[i]--
					m.Report(now, i, r.IntN(2) == 0)
					mu.Unlock()
				}
				m.Snapshot()
			}
		})
	}
	wg.Wait()
	if n := bits.OnesCount64(m.Out()); n > 8 {
		t.Errorf("%d of 16 are out", n)
	}
}

func TestConfigProblemsNameTheirField(t *testing.T) {
	for _, good := range []Config{{}, Config{}.Filled(), {Jitter: Off}} {
		if err := good.Validate(); err != nil {
			t.Error(err)
		}
	}
	for field, c := range map[string]Config{
		"Every.Up":   {Every: Every{Up: 1}},
		"Every.Down": {Every: Every{Down: -1}},
		"Every.Edge": {Every: Every{Edge: 1}},
		"Unhealthy":  {Unhealthy: -1},
		"Healthy":    {Healthy: 1e6},
		"Jitter":     {Jitter: 0.6},
		"MaxOut":     {MaxOut: 1.1},
	} {
		err := c.Validate()
		if err == nil || !strings.HasPrefix(err.Error(), field+": is ") {
			t.Errorf("%s: %v", field, err)
		}
		if _, err := New(c); err == nil {
			t.Errorf("%s: New takes it", field)
		}
		if err := monitor(t, 1, Config{}).Reconfigure(0, c); err == nil {
			t.Errorf("%s: Reconfigure takes it", field)
		}
	}
}

func TestMisusePanics(t *testing.T) {
	defer func() {
		if got := recover(); got != "health: no such endpoint" {
			t.Error(got)
		}
	}()
	monitor(t, 1, Config{}).Report(0, 64, true)
}
