package limit

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/seakeep/seakeep/core"
)

const ms = core.Instant(time.Millisecond)

// scenario is a closed loop: requests come in, those above the limit are
// refused, the others wait in one line for a few workers, and what the limit is
// told of them moves it.
type scenario struct {
	rate    func(at time.Duration) float64 // arrivals a second, a Poisson process
	service func(at time.Duration, r *rand.Rand) time.Duration
	workers func(at time.Duration) int // nil: ten
	length  time.Duration
}

// second is what happened within a second of a scenario.
type second struct {
	served, refused int
	low, high, last int // of the limit
	times           []time.Duration
}

// loop is a scenario being played.
type loop struct {
	scenario
	limit              *Limit
	arrivals, services *rand.Rand
	ends               endings
	line               []ending
	busy, inFlight     int
	out                []second
	cur                second
}

// ending is a request that was let in, by the instant of its end.
type ending struct {
	at, began core.Instant
	inFlight  int
}

type endings []ending

func (e endings) Len() int           { return len(e) }
func (e endings) Less(i, j int) bool { return e[i].at < e[j].at }
func (e endings) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *endings) Push(x any)        { *e = append(*e, x.(ending)) }
func (e *endings) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// play returns the scenario's seconds. The draws depend on the seed alone, so
// that two limits meet the same requests as long as they let the same in.
func play(s scenario, l *Limit, seed uint64) []second {
	p := &loop{scenario: s, limit: l, arrivals: rand.New(rand.NewPCG(seed, 1)),
		services: rand.New(rand.NewPCG(seed, 2))}
	p.fresh()
	next := core.Instant(0)
	for {
		now := next
		ended := len(p.ends) > 0 && p.ends[0].at <= next
		if ended {
			now = p.ends[0].at
		}
		for now >= core.Instant(time.Duration(len(p.out)+1)*time.Second) {
			p.out = append(p.out, p.cur)
			p.fresh()
		}
		if now >= core.Instant(s.length) {
			return p.out
		}
		if ended {
			p.end(now)
			continue
		}
		rate := p.rate(time.Duration(now))
		if rate == 0 {
			next = now + 10*ms
			continue
		}
		p.arrive(now)
		next = now.Add(time.Duration(p.arrivals.ExpFloat64() / rate * 1e9))
	}
}

func (p *loop) fresh() {
	n := p.limit.Limit()
	p.cur = second{low: n, high: n, last: n}
}

func (p *loop) arrive(now core.Instant) {
	if p.inFlight >= p.limit.Limit() {
		p.cur.refused++
		return
	}
	p.inFlight++
	p.line = append(p.line, ending{began: now, inFlight: p.inFlight})
	p.serve(now)
}

func (p *loop) serve(now core.Instant) {
	workers := 10
	if p.workers != nil {
		workers = p.workers(time.Duration(now))
	}
	for len(p.line) > 0 && p.busy < workers {
		e := p.line[0]
		p.line = p.line[1:]
		p.busy++
		e.at = now.Add(max(p.service(time.Duration(now), p.services), 1))
		heap.Push(&p.ends, e)
	}
}

func (p *loop) end(now core.Instant) {
	e := heap.Pop(&p.ends).(ending)
	p.busy--
	p.inFlight--
	p.cur.served++
	took := now.Sub(e.began)
	p.cur.times = append(p.cur.times, took)
	n, _ := p.limit.Report(now, Sample{RTT: took, InFlight: e.inFlight})
	p.cur.low, p.cur.high, p.cur.last = min(p.cur.low, n), max(p.cur.high, n), n
	p.serve(now)
}

// total sums up seconds.
type total struct {
	served, refused float64 // a second
	p50, p99        float64 // in milliseconds
	limit           float64 // mean of each second's last
	low, high       int
}

func sum(all []second) total {
	t := total{low: math.MaxInt}
	var times []time.Duration
	for _, s := range all {
		t.served += float64(s.served)
		t.refused += float64(s.refused)
		t.limit += float64(s.last)
		t.low, t.high = min(t.low, s.low), max(t.high, s.high)
		times = append(times, s.times...)
	}
	n := float64(len(all))
	t.served, t.refused, t.limit = t.served/n, t.refused/n, t.limit/n
	slices.Sort(times)
	t.p50, t.p99 = quantile(times, 50), quantile(times, 99)
	return t
}

// quantile returns a percentile of sorted times in milliseconds, or 0.
func quantile(times []time.Duration, percent int) float64 {
	if len(times) == 0 {
		return 0
	}
	return times[len(times)*percent/100].Seconds() * 1000
}

func always(rate float64) func(time.Duration) float64 {
	return func(time.Duration) float64 { return rate }
}

func exact(d time.Duration) func(time.Duration, *rand.Rand) time.Duration {
	return func(time.Duration, *rand.Rand) time.Duration { return d }
}

func exponential(d time.Duration) func(time.Duration, *rand.Rand) time.Duration {
	return func(_ time.Duration, r *rand.Rand) time.Duration {
		return time.Duration(r.ExpFloat64() * float64(d))
	}
}

func must(c Config, seed uint64) *Limit {
	l, err := New(c, seed)
	if err != nil {
		panic(err)
	}
	return l
}
