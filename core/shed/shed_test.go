package shed

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// TestDrawAgainstSorting draws gates through random demand and compares them
// with a sorted list of the requests: the highest pass, as many as were asked.
func TestDrawAgainstSorting(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		m := newMachine(Config{}.withDefaults())
		var all []Level
		for range rng.IntN(300) {
			l := Level(rng.IntN(levels))
			if rng.IntN(2) == 0 {
				l = LevelOf(core.Critical, 0) // a lump
			}
			m.count(0, l)
			all = append(all, l)
		}
		slices.Sort(all)
		aim := rng.IntN(len(all) + 2)
		var g gate
		m.draw(&g, float64(aim))
		passed := 0
		for i, l := range slices.Backward(all) {
			in := g.pass(l)
			if in {
				passed++
			}
			above := len(all) - 1 - i // requests of this level or a higher one, before it
			first := len(all) - 1 - last(all, l)
			switch {
			case in && first >= aim:
				t.Fatalf("level %d passes, %d are above it, %d may", l, first, aim)
			case !in && above < aim && len(all)-index(all, l) <= aim:
				t.Fatalf("level %d does not pass, and all of its level may", l)
			}
		}
		want := min(aim, len(all))
		if passed > want || passed < want-1 { // a credit of part of a request may be left
			t.Fatalf("%d of %d pass, %d may", passed, len(all), aim)
		}
		if got := m.admitted(&g); math.Abs(got-float64(want)) > 1e-6 {
			t.Fatalf("%v are said to be admitted, want %d", got, want)
		}
	}
}

func index(all []Level, l Level) int { i, _ := slices.BinarySearch(all, l); return i }

// last is the index of the last of a level.
func last(all []Level, l Level) int { return index(all, l+1) - 1 }

// play does something at random with a shedder.
func play(rng *rand.Rand, s *Shedder, now core.Instant) {
	switch rng.IntN(12) {
	case 0:
		s.Busy(now, rng.IntN(6), rng.IntN(6), rng.IntN(20)-2)
	case 1:
		s.Scheduler(now, time.Duration(rng.IntN(20))*time.Millisecond)
	case 2:
		s.Dropped(now, time.Duration(rng.IntN(50)-2)*time.Millisecond)
	case 3:
		if rng.IntN(20) == 0 {
			s.Reduce(now, rng.Float64()*1.5-0.2, time.Duration(rng.IntN(5)-1)*time.Second)
		}
	case 4, 5:
		s.Report(now, time.Duration(rng.IntN(50)-2)*time.Millisecond)
	default:
		s.Admit(now, Level(rng.IntN(levels+10)))
	}
}

// Whatever happens: a level that is let in means that all higher ones are, save
// the one at the cut, which is let in in part; shares are shares; refusals and
// advice go together; and the same calls give the same answers.
func TestProperties(t *testing.T) {
	for seed := range uint64(20) {
		c := Config{Requests: 100, Scheduler: 15 * time.Millisecond}
		s, twin := made(t, c), made(t, c)
		rng := rand.New(rand.NewPCG(seed, 1))
		now := core.Instant(-int64(time.Hour))
		for i := range 3000 {
			if rng.IntN(300) == 0 {
				now = now.Add(time.Duration(rng.IntN(4)) * time.Second)
			}
			now = now.Add(time.Duration(rng.IntN(8)-1) * time.Millisecond) // may go back
			step := rng.Uint64()
			play(rand.New(rand.NewPCG(step, 2)), s, now)
			play(rand.New(rand.NewPCG(step, 2)), twin, now)
			if i%50 == 0 {
				checkOrder(t, s)
			}
			a, b := s.Snapshot(now), twin.Snapshot(now)
			if a != b {
				t.Fatalf("the same calls give %+v and %+v", a, b)
			}
			if !(a.Share >= 0 && a.Share <= 1) || !(a.Reduced >= 0 && a.Reduced <= 1) {
				t.Fatalf("shares are %+v", a)
			}
			after := s.RetryAfter(now)
			if after != 0 && (after < time.Second || after > 5*time.Second) || a.Share < 1 && after == 0 {
				t.Fatalf("come back after %v: %+v", after, a)
			}
		}
		checkClasses(t, s.Snapshot(now))
	}
}

func checkOrder(t *testing.T, s *Shedder) {
	t.Helper()
	cut := [2]Level{s.m.load.cut, s.m.lever.cut}
	let := false
	for l := range Level(levels) {
		m := s.m // a copy: to ask changes it
		reason := m.admit(s.latest, l)
		switch {
		case reason == core.NoReason:
			let = let || l != cut[0] && l != cut[1] && !m.lever.blind
		case let:
			t.Fatalf("level %d is refused for %v, a lower one is not", l, reason)
		}
	}
}

func checkClasses(t *testing.T, s Snapshot) {
	t.Helper()
	for class, n := range s.Classes {
		if n.Refused > n.Offered || n.Offered == 0 {
			t.Errorf("class %d: %+v", class, n)
		}
	}
}

// An older time than one already told counts as that one.
func TestTimeDoesNotGoBack(t *testing.T) {
	s := made(t, Config{})
	s.Reduce(core.Instant(10*time.Second), 0, 10*time.Second)
	if got := s.Snapshot(core.Instant(15 * time.Second)).Reduced; got != 0.5 {
		t.Errorf("halfway up the ramp %v is let in", got)
	}
	if got := s.Snapshot(0).Reduced; got != 0.5 {
		t.Errorf("at an older time %v is let in", got)
	}
}

// Nobody may be refused because the clock is strange.
func TestExtremeTimes(t *testing.T) {
	s := made(t, Config{})
	for _, now := range []core.Instant{math.MinInt64, -1, 0, math.MaxInt64 - 1, core.Never} {
		if r := s.Admit(now, 0); r != core.NoReason {
			t.Errorf("at %d: %v", now, r)
		}
		s.Report(now, math.MaxInt64)
		s.Dropped(now, math.MinInt64)
	}
}

// Many goroutines: nothing is lost from the counts.
func TestConcurrent(t *testing.T) {
	s := made(t, Config{})
	var wg sync.WaitGroup
	const each = 5000
	for g := range 4 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(g), 1))
			for i := range each {
				now := core.Instant(i) * core.Instant(100*time.Microsecond)
				s.Busy(now, 4, 4, 10)
				if s.Admit(now, Level(rng.IntN(levels))) == core.NoReason {
					s.Report(now, 30*time.Millisecond)
				}
				s.Scheduler(now, time.Millisecond)
				s.RetryAfter(now)
			}
		})
	}
	wg.Wait()
	total := uint64(0)
	for _, c := range s.Snapshot(0).Classes {
		total += c.Offered
	}
	if total != 4*each {
		t.Errorf("%d requests are counted, want %d", total, 4*each)
	}
}

func TestNoAllocations(t *testing.T) {
	s, r := made(t, Config{}), recovered(t)
	now := core.Instant(0)
	if n := testing.AllocsPerRun(5000, func() {
		now = now.Add(time.Millisecond)
		s.Busy(now, 4, 4, 1)
		s.Admit(now, Level(now)%levels)
		s.Report(now, 30*time.Millisecond)
		s.Snapshot(now)
		r.Arrived(now, false)
		r.Ended(now, true)
		r.Sweep(now)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
