package gallery

import (
	"math"
	"slices"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/sim"
	"github.com/seakeep/seakeep/sim/stats"
)

// contest is Amazon's simulation of jitter (AWS Architecture Blog, "Exponential
// Backoff And Jitter"): clients that all write one row with optimistic
// concurrency. Each reads its version, writes, and on a conflict waits and reads
// again. Messages take |N(10, 2)| ms.
type contest struct {
	sim.Engine
	network, draws *sim.Stream
	backoff        retry.Backoff
	version        int64
	writes         int
	last           core.Instant // when the last client was done
	clients        []contestant
}

type contestant struct {
	saw      int64 // the version it read
	attempts int
	prev     time.Duration
	won      bool
}

const (
	reads = iota
	hasRead
	writes
	hasWritten
)

func newContest(clients int, b retry.Backoff, seed uint64) *contest {
	c := &contest{network: stream(seed, "network"), draws: stream(seed, "waits"), backoff: b,
		clients: make([]contestant, clients)}
	for i := range clients {
		c.post(reads, i, 0)
	}
	for c.Pending() > 0 {
		c.Run(c.Now() + core.Instant(second))
	}
	return c
}

// post sends a client's message after a wait.
func (c *contest) post(what, client int, wait time.Duration) {
	delay := time.Duration(math.Abs(10+2*c.network.Normal()) * float64(ms))
	c.At(c.Now().Add(wait+delay), sim.Due, c, what, int64(client))
}

// Fire implements sim.Actor.
func (c *contest) Fire(what int, i int64) {
	p := &c.clients[i]
	switch what {
	case reads:
		p.saw = c.version
		c.post(hasRead, int(i), 0)
	case hasRead:
		c.post(writes, int(i), 0)
	case writes:
		c.writes++
		if p.won = p.saw == c.version; p.won {
			c.version++
		}
		c.post(hasWritten, int(i), 0)
	case hasWritten:
		if p.won {
			c.last = c.Now()
			return
		}
		p.attempts++
		p.prev = c.backoff.Delay(p.attempts, p.prev, c.draws.Float64())
		c.post(reads, int(i), p.prev)
	}
}

// curves are Amazon's five: 5 ms times 2^n and a cap of 2 s. Its exponent
// counts from 1, so that the first wait is 10 ms.
var curves = []struct {
	name    string
	backoff retry.Backoff
}{
	{"none", atOnce},
	{"exponential", retry.Backoff{Base: 10 * ms, Cap: 2 * second, Jitter: retry.None}},
	{"equal", retry.Backoff{Base: 10 * ms, Cap: 2 * second, Jitter: retry.Equal}},
	{"full", retry.Backoff{Base: 10 * ms, Cap: 2 * second, Jitter: retry.Full}},
	{"decorrelated", retry.Backoff{Base: 5 * ms, Cap: 2 * second, Jitter: retry.Decorrelated}},
}

// amazonTable is the published figure of each curve: mean completion in ms, and
// mean number of writes.
var amazonTable = []struct {
	clients int
	cells   [5][2]float64
}{
	{10, [5][2]float64{{384, 51}, {3500, 51}, {730, 42}, {460, 39}, {438, 38}}},
	{20, [5][2]float64{{595, 151}, {14_630, 151}, {1668, 108}, {1008, 100}, {819, 101}}},
	{50, [5][2]float64{{1143, 690}, {36_400, 623}, {4267, 347}, {2868, 333}, {2200, 375}}},
	{100, [5][2]float64{{2026, 2420}, {63_500, 1857}, {6620, 812}, {4876, 795}, {4570, 999}}},
	{190, [5][2]float64{{3534, 8002}, {101_400, 5163}, {9427, 1760}, {7442, 1772}, {7765, 2441}}},
}

func amazon(s *sheet) {
	s.Setup = "Clients that write one row with optimistic concurrency; |N(10, 2)| ms a " +
		"message; base 5 ms, cap 2 s; the waits are those of core/retry."
	calls := map[string]float64{}
	for _, row := range amazonTable {
		for i, curve := range curves {
			name := number(float64(row.clients), 0, curve.name)
			var took, wrote []float64
			for _, seed := range s.seeds(60) {
				c := newContest(row.clients, curve.backoff, seed)
				took = append(took, c.last.Sub(0).Seconds()*1000)
				wrote = append(wrote, float64(c.writes))
			}
			// The published cells are means over 200 runs.
			s.mean(name+" time", known{row.cells[i][0], 0, "ms"}, took, either(part(0.05), few(200)))
			s.mean(name+" writes", known{row.cells[i][1], 0, ""}, wrote, either(part(0.05), few(200)))
			if row.clients == 100 {
				calls[curve.name] = stats.Mean(wrote, level).Mean
			}
		}
	}
	s.rounds("writes at 100, full against exponential", known{0.43, 2, ""},
		calls["full"]/calls["exponential"])
	work := []float64{calls["full"], calls["equal"]}
	s.word("full and equal do the least work at 100", "yes",
		yes(slices.Max(work) < min(calls["none"], calls["exponential"], calls["decorrelated"])))
}
