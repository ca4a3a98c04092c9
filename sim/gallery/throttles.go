package gallery

import (
	"math"
	"slices"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/throttle"
	"github.com/seakeep/seakeep/sim"
)

// holder is a client that holds requests back: it is asked for each of a
// second's requests, and told at the second's end what became of those sent.
type holder interface {
	passes(now core.Instant, draw float64) bool
	told(now core.Instant, accepted bool)
}

// ours is the policy.
type ours struct{ *throttle.Throttle }

func ofOurs(c throttle.Config) ours { return ours{must(throttle.New(c))} }

func (o ours) passes(now core.Instant, draw float64) bool {
	return o.Admit(now, core.Critical, draw)
}

func (o ours) told(now core.Instant, accepted bool) { o.Report(now, core.Critical, accepted) }

// formula is a holder with another formula, or with ours and no cap.
type formula struct {
	refusal  func(requests, accepts float64) float64
	local    bool      // requests refused here count
	requests []float64 // by second, the current one last; so many are remembered
	accepts  []float64
	n, a     float64
	second   core.Instant
}

// google is the formula of the SRE book, with nothing around it.
func google(k float64, window int) *formula {
	return &formula{local: true, requests: make([]float64, window), accepts: make([]float64, window),
		refusal: func(n, a float64) float64 { return (n - float64(k*a)) / (n + 1) }}
}

// envoy is that of Envoy's admission control, with its defaults.
func envoy() *formula {
	return &formula{requests: make([]float64, 30), accepts: make([]float64, 30),
		refusal: func(n, a float64) float64 { return min(0.8, (n-float64(a/0.95))/(n+1)) }}
}

// at forgets what is older than the window.
func (r *formula) at(now core.Instant) {
	for ; r.second < now; r.second += core.Instant(second) {
		r.n, r.a = r.n-r.requests[0], r.a-r.accepts[0]
		r.requests = append(slices.Delete(r.requests, 0, 1), 0)
		r.accepts = append(slices.Delete(r.accepts, 0, 1), 0)
	}
}

func (r *formula) count(accepted float64) {
	last := len(r.requests) - 1
	r.requests[last]++
	r.accepts[last] += accepted
	r.n, r.a = r.n+1, r.a+accepted
}

func (r *formula) passes(now core.Instant, draw float64) bool {
	r.at(now)
	if draw >= max(0, r.refusal(r.n, r.a)) {
		return true
	}
	if r.local {
		r.count(0)
	}
	return false
}

func (r *formula) told(now core.Instant, accepted bool) {
	r.at(now)
	if accepted {
		r.count(1)
		return
	}
	r.count(0)
}

// backend says what becomes of the k-th request of a second.
type backend func(t, k int) bool

// capacity accepts so many a second.
func capacity(c int) backend { return func(_, k int) bool { return k < c } }

// failing accepts each request with this chance.
func failing(accepts float64, s *sim.Stream) backend {
	return func(int, int) bool { return s.Float64() < accepts }
}

// demand plays so many requests a second and returns what was sent and accepted
// in each second.
func demand(h holder, perSecond, seconds int, b backend, s *sim.Stream) (sent, accepted []float64) {
	for t := range seconds {
		now, through, good := core.Instant(t)*core.Instant(second), 0, 0
		for range perSecond {
			if h.passes(now, s.Float64()) {
				through++
			}
		}
		for k := range through {
			ok := b(t, k)
			if h.told(now, ok); ok {
				good++
			}
		}
		sent, accepted = append(sent, float64(through)), append(accepted, float64(good))
	}
	return sent, accepted
}

// meanFrom is the mean of the seconds from one on.
func meanFrom(xs []float64, from int) float64 {
	sum := 0.0
	for _, x := range xs[from:] {
		sum += x
	}
	return sum / float64(len(xs)-from)
}

// back is how long after an outage of 600 s ten seconds in a row send 95 % of
// the demand.
func back(h holder, perSecond int, s *sim.Stream) float64 {
	const outage, longest = 600, 3000
	sent, _ := demand(h, perSecond, longest, func(t, _ int) bool { return t >= outage }, s)
	sum := 0.0
	for t := outage; t < longest; t++ {
		sum += sent[t]
		if t >= outage+10 {
			sum -= sent[t-10]
		}
		if t >= outage+9 && sum >= 0.95*10*float64(perSecond) {
			return float64(t - 9 - outage)
		}
	}
	return math.Inf(1)
}

func sreThrottle(s *sheet) {
	s.Setup = "p = max(0, (requests - K accepts) / (requests + 1)), K = 2, classes apart; a tenth of " +
		"calls retried."
	share := func(c throttle.Config, requests, accepts int) float64 {
		h := ofOurs(c)
		for n := range requests {
			h.told(0, n < accepts)
		}
		return 100 * h.Snapshot(0).Classes[core.Critical.Index()].Refusal
	}
	s.rounds("refused of 100 of which 40 are accepted", known{19.8, 1, "%"}, share(throttle.Config{}, 100, 40))
	s.equals("50 accepted", known{0, 0, "%"}, share(throttle.Config{}, 100, 50))
	eager := share(throttle.Config{K: 1.1}, 100, 50)
	s.add(Figure{Name: "50 accepted, K = 1.1", Ours: number(eager, 1, "%"), Match: eager > 0})
	h := ofOurs(throttle.Config{Minimum: 1})
	h.Report(0, core.Sheddable, false)
	apart := "yes"
	if h.Admit(0, core.Sheddable, 0) || !h.Admit(0, core.Critical, 0) {
		apart = "no"
	}
	s.word("classes apart", "yes", apart)
	s.equals("a client's retries", known{10, 0, "%"}, 100*budget.Default().Ratio)
	s.aside = "Seakeep's window is 30 s, with a cap and a minimum"
	s.Note = "The source counts over 2 min and refuses up to all but one request. 2.4 shows how long " +
		"such a client takes to come back. Seakeep refuses 90 % at most, and nothing below 10 requests."
}

// reach holds a published range against the figures of many runs: their median
// must lie in it.
func (s *sheet) reach(name string, low, high float64, xs []float64) {
	xs = slices.Sorted(slices.Values(xs))
	median := xs[len(xs)/2]
	s.add(Figure{Name: name, Published: number(low, 0, "") + " to " + number(high, 0, "s"),
		Ours: number(median, 0, "s"), Match: low <= median && median <= high,
		Interval: number(xs[0], 0, "") + " to " + number(xs[len(xs)-1], 0, "s")})
}

func admission(s *sheet) {
	s.Setup = "100 requests in each second, answered at its end, K = 2; a backend that can do C a second, " +
		"one that fails a share, and one that comes back after 600 s. Google's form without a cap, over " +
		"2 min, and Envoy's are models of this card; Seakeep's is the policy with its defaults."
	policy := func() holder { return ofOurs(throttle.Config{}) }
	book := func() holder { return google(2, 120) }
	theirs := func() holder { return envoy() }
	for _, row := range []struct {
		c        int
		sent     known
		accepted known
	}{
		{60, known{100, 0, "/s"}, known{60, 0, "/s"}}, {30, known{60, 0, "/s"}, known{30, 0, "/s"}},
		{10, known{20, 0, "/s"}, known{10, 0, "/s"}},
	} {
		name := "C = " + number(float64(row.c), 0, "")
		sent, accepted := s.long(policy, func(*sim.Stream) backend { return capacity(row.c) })
		s.mean(name+": Seakeep sends min(100, K C)", row.sent, sent, rate)
		s.mean(name+": accepted", row.accepted, accepted, rate)
	}
	sent, _ := s.long(theirs, func(*sim.Stream) backend { return capacity(30) })
	s.mean("C = 30: Envoy sends", known{56, 0, "/s"}, sent, rate)
	s.failures(book, theirs, policy)
	s.returns(book, theirs, policy)
	s.Note = "Below one accepted in K, Google's form sends nearly nothing, whatever still works: it is made " +
		"for a backend that refuses, and not for one that fails. How near to 1/K it begins depends on how " +
		"requests are spaced, so those rows have wide tolerances. A cap bounds what is lost, and the way " +
		"back. Ranges are those of all runs, and the figure before them their median."
}

// long returns what is sent and accepted a second, the first half left out, in
// runs of 20 minutes.
func (s *sheet) long(h func() holder, b func(*sim.Stream) backend) (sent, accepted []float64) {
	const runs, seconds = 8, 1200
	for _, seed := range s.seeds(runs) {
		all, good := demand(h(), 100, seconds, b(stream(seed, "backend")), stream(seed, "draws"))
		sent = append(sent, meanFrom(all, seconds/2))
		accepted = append(accepted, meanFrom(good, seconds/2))
	}
	return sent, accepted
}

// failures holds requests back from a backend that fails a share of them.
func (s *sheet) failures(book, theirs, policy func() holder) {
	accepting := func(q float64) func(*sim.Stream) backend {
		return func(draws *sim.Stream) backend { return failing(q, draws) }
	}
	for _, row := range []struct {
		q    float64
		want known
		by   tolerance
	}{
		{0.55, known{100, 0, "/s"}, rate}, {0.5, known{92, 0, "/s"}, off(15)},
		{0.45, known{13, 0, "/s"}, off(10)}, {0.4, known{0.2, 1, "/s"}, off(3)},
	} {
		sent, _ := s.long(book, accepting(row.q))
		s.mean(number(100*row.q, 0, "%")+" accepted: Google's form sends", row.want, sent, row.by)
	}
	for _, row := range []struct{ q, want float64 }{{0.9, 95}, {0.6, 63}, {0.5, 53}, {0.4, 43}, {0.2, 22}} {
		sent, _ := s.long(theirs, accepting(row.q))
		name := number(100*row.q, 0, "%") + " accepted: Envoy sends"
		s.mean(name, known{row.want, 0, "/s"}, sent, off(1.5))
	}
	sent, _ := s.long(policy, accepting(0.4))
	s.shown("40 % accepted: Seakeep sends", 1, "/s", sent)
}

// returns measures the way back.
func (s *sheet) returns(book, theirs, policy func() holder) {
	const runs = 15
	after := func(h func() holder, perSecond int) (all []float64) {
		for _, seed := range s.seeds(runs) {
			all = append(all, back(h(), perSecond, stream(seed, "draws")))
		}
		return all
	}
	s.reach("back at 95 %, Google's form, 10/s", 441, 744, after(book, 10))
	s.reach("at 100/s", 572, 1166, after(book, 100))
	short := func() holder { return google(2, 30) }
	s.reach("with a window of 30 s, at either", 111, 192, slices.Concat(after(short, 10), after(short, 100)))
	s.reach("Envoy's", 16, 24, after(theirs, 100))
	s.shown("Seakeep's, cap 90 %, 10/s", 0, "s", after(policy, 10))
	s.shown("at 100/s", 0, "s", after(policy, 100))
}
