package demo

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// Report is what was measured. Its names in JSON are a promise to scripts.
type Report struct {
	Protect     string   `json:"protect"`
	Rate        int      `json:"rate"`
	ForS        float64  `json:"for_s"`
	RanS        float64  `json:"ran_s"`
	Interrupted bool     `json:"interrupted"`
	Seed        uint64   `json:"seed"`
	Slow        []string `json:"slow"`
	Orders      int      `json:"orders,omitempty"` // of the wall, which changed what was slow
	CountedS    float64  `json:"counted_s"`        // what Endpoints, CallsTo and Retries are about

	Endpoints map[string]EndpointReport  `json:"endpoints"`
	Pool      PoolReport                 `json:"pool"`
	Breakers  map[string][]BreakerReport `json:"breakers"`
	CallsTo   map[string]float64         `json:"calls_to"` // attempts a second that reached it
	Retries   map[string]uint64          `json:"retries"`
	Skipped   uint64                     `json:"skipped"` // failed: live.MaxOutstanding reached
	Late      float64                    `json:"late_ms"` // how late the generator was at most

	options Options
}

// EndpointReport is how the users of one endpoint fared who came while a
// dependency was slow. If nobody did, or nothing was answered, what has no
// value is nil.
type EndpointReport struct {
	Sent     uint64   `json:"sent"`
	OK       uint64   `json:"ok"`
	Fallback uint64   `json:"fallback"`
	Failed   uint64   `json:"failed"`
	Success  *float64 `json:"success"` // share of OK and Fallback in Sent
	P50      *float64 `json:"p50_ms"`  // of OK and Fallback
	P99      *float64 `json:"p99_ms"`
}

// PoolReport is about checkout's workers over the whole run.
type PoolReport struct {
	Size    int    `json:"size"`
	MaxBusy int    `json:"max_busy"`
	Refused uint64 `json:"refused"`
}

// BreakerReport is a breaker's change of state.
type BreakerReport struct {
	At     float64 `json:"at"` // seconds since the run began
	From   string  `json:"from"`
	To     string  `json:"to"`
	Reason string  `json:"reason"`
}

// WriteJSON writes the report as one object.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// report gathers what was measured until the run ended.
func (s *stage) report(ran time.Duration) *Report {
	o := s.options
	counted := length(s.rec.counts, ran)
	pool := s.checkout.pool.snapshot()
	r := &Report{Protect: o.Protect.String(), Rate: o.Rate, ForS: seconds(o.For),
		RanS: seconds(ran), Seed: o.Seed, Slow: []string{}, CountedS: seconds(counted),
		Endpoints: map[string]EndpointReport{}, Breakers: map[string][]BreakerReport{},
		CallsTo: map[string]float64{}, Retries: map[string]uint64{},
		Pool:    PoolReport{o.Pool, pool.maxBusy, pool.refused},
		Skipped: s.rec.skipped.Load(), Late: live.Round(float64(s.rec.late.Load())/1e6, 1), options: o}
	for _, slow := range o.Slow {
		r.Slow = append(r.Slow, slow.String())
	}
	r.Orders = s.orders.count()
	for i, name := range names {
		c := &s.rec.of[i]
		r.Endpoints[name] = c.report()
		r.Breakers[name] = []BreakerReport{}
		r.CallsTo[name] = 0
		if counted > 0 {
			r.CallsTo[name] = live.Round(float64(c.countedCalls.Load())/counted.Seconds(), 1)
		}
		r.Retries[name] = c.countedRetries.Load()
	}
	changes := s.rec.transitions(0)
	slices.SortStableFunc(changes, func(a, b transition) int { return cmp.Compare(a.seq, b.seq) })
	for _, t := range changes {
		r.Breakers[t.policy] = append(r.Breakers[t.policy],
			BreakerReport{seconds(t.at), t.from, t.to, t.reason.String()})
	}
	return r
}

func (c *counters) report() EndpointReport {
	t := &c.counted
	e := EndpointReport{Sent: t.sent.Load(), OK: t.ok.Load(), Fallback: t.fallback.Load(),
		Failed: t.failed.Load()}
	if e.Sent > 0 {
		share := live.Round(float64(e.OK+e.Fallback)/float64(e.Sent), 6)
		e.Success = &share
	}
	q := c.latency.Snapshot()
	quantile := func(p float64) *float64 {
		d, ok := q.Quantile(p)
		if !ok {
			return nil
		}
		ms := live.Round(float64(d)/float64(time.Millisecond), 1)
		return &ms
	}
	e.P50, e.P99 = quantile(0.5), quantile(0.99)
	return e
}

func seconds(d time.Duration) float64 { return live.Round(d.Seconds(), 3) }
