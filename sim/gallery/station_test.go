package gallery

import (
	"slices"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/retry"
)

// burst is a station that gets a call every millisecond until 10 ms and then
// none, with work of 10 ms each.
func burst(change func(*stationConfig)) *station {
	c := stationConfig{service: 10 * ms, load: []phase{{0, 1000}, {9*ms + 1, 1e-6}}}
	change(&c)
	return simulate(c, 1, second)
}

func goodOf(s *station) int {
	sum := 0
	for _, n := range s.good {
		sum += n
	}
	return sum
}

func TestStation(t *testing.T) {
	none := func(*stationConfig) {}
	for _, test := range []struct {
		name   string
		change func(*stationConfig)
		good   int
		work   tally
	}{
		{"all are served", none, 10, tally{came: 10, served: 10}},
		{"a bound of 3 refuses", func(c *stationConfig) { c.bound = 3 }, 4, tally{came: 10, served: 4, refused: 6}},
		{"abandoned work runs on", func(c *stationConfig) { c.patience = 35 * ms }, 3,
			tally{came: 10, served: 10}},
		{"or is dropped", func(c *stationConfig) { c.patience, c.expired = 35*ms, true }, 3,
			tally{came: 10, served: 5, dropped: 5}},
		{"who waited too long is dropped", func(c *stationConfig) { c.long, c.short = 40*ms, 40*ms }, 5,
			tally{came: 10, served: 5, dropped: 5}},
		{"each tries twice", func(c *stationConfig) {
			c.patience, c.retry = 35*ms, retry.Config{Attempts: 2, Backoff: atOnce}
		}, 3, tally{came: 17, served: 17}},
	} {
		s := burst(test.change)
		if got := goodOf(s); got != test.good || s.worked != test.work {
			t.Errorf("%s: %d good, %+v; want %d, %+v", test.name, got, s.worked, test.good, test.work)
		}
	}
}

// The last to come is served first, and the first waits for all.
func TestStationLIFO(t *testing.T) {
	s := burst(func(c *stationConfig) { c.lifo, c.keepTimes = true, true })
	if worst := slices.Max(s.sojourns); worst != 99*ms {
		t.Errorf("the longest stay is %v, want 99ms: the second to come waits for all others", worst)
	}
	s = burst(func(c *stationConfig) { c.keepTimes = true })
	if worst := slices.Max(s.sojourns); worst != 91*ms {
		t.Errorf("FIFO: the longest stay is %v, want 91ms", worst)
	}
}

func TestStationOutage(t *testing.T) {
	during := [2]time.Duration{ms / 2, 100 * ms}
	s := burst(func(c *stationConfig) { c.outage, c.patience = during, 50*ms })
	if got := goodOf(s); got != 0 || s.worked.came != 10 {
		t.Errorf("held back: %d good of %d, want 0 of 10", got, s.worked.came)
	}
	s = burst(func(c *stationConfig) { c.outage, c.patience, c.lost = during, 50*ms, true })
	if s.worked.came != 0 {
		t.Errorf("lost: %d came", s.worked.came)
	}
}

// A budget of one retry in ten calls lets one of ten try again.
func TestStationBudget(t *testing.T) {
	s := burst(func(c *stationConfig) {
		c.patience, c.retry = 5*ms, retry.Config{Attempts: 3, Backoff: atOnce}
		c.budget = &budget.Config{Ratio: 0.1}
	})
	if s.worked.came != 11 {
		t.Errorf("%d attempts of 10 calls, want 11", s.worked.came)
	}
}

// An answer that comes during the wait for a retry is nobody's.
func TestStationLateAnswer(t *testing.T) {
	s := simulate(stationConfig{service: 10 * ms, patience: 5 * ms, load: []phase{{0, 2}},
		retry: retry.Config{Attempts: 2, Backoff: steady}}, 1, 900*ms)
	if got := goodOf(s); got != 0 || s.worked != (tally{came: 2, served: 2}) {
		t.Errorf("%d good, %+v; want none of two attempts", got, s.worked)
	}
}

func TestQueueingBalances(t *testing.T) {
	for _, q := range []queueing{{1, 0.5, true, 0}, {3, 0.9, true, 5}, {2, 2, false, 4}} {
		r := q.run(1, 20_000)
		if r.little > 1e-9 || r.lost != 0 {
			t.Errorf("%+v: Little's law off by %v, %d lost", q, r.little, r.lost)
		}
	}
	if r := (queueing{1, 2, false, 1}).run(1, 50_000); r.wait != 0 || r.refused < 0.6 || r.refused > 0.7 {
		t.Errorf("without places to wait: %+v; Erlang's loss formula says two thirds", r)
	}
}
