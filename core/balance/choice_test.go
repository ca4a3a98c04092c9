package balance

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// dumb is what two choices promise, endpoint by endpoint and with the library's
// own exponential.
type dumb struct {
	cfg   Config
	peers []dumbPeer
}

type dumbPeer struct {
	weight, latency, failing float64
	busy                     int
	seen, since              core.Instant
	known, slow, out         bool
}

func (d *dumb) weight(now core.Instant, p *dumbPeer) float64 {
	if !p.slow {
		return p.weight
	}
	return p.weight * min(1, max(0.1, now.Sub(p.since).Seconds()/d.cfg.SlowStart.Seconds()))
}

func (d *dumb) fade(now core.Instant, p *dumbPeer) float64 {
	return math.Exp(-now.Sub(p.seen).Seconds() / d.cfg.Decay.Seconds())
}

func (d *dumb) cost(now core.Instant, p *dumbPeer) float64 {
	latency, failing := p.latency, p.failing*d.fade(now, p)
	if p.busy == 0 {
		latency *= d.fade(now, p)
	}
	if !p.known {
		if p.busy == 0 && failing < 0.05 {
			return 0
		}
		latency = 1e15
	}
	return (latency + 1) * (float64(p.busy)/d.weight(now, p) + 1) / (1 - min(failing, 0.98))
}

// candidates are those that may be drawn, in order.
func (d *dumb) candidates(tried uint64) (all []int) {
	up := 0
	for _, p := range d.peers {
		if !p.out {
			up++
		}
	}
	panics := 2*up < len(d.peers)
	for _, avoid := range []uint64{tried, 0} {
		for i, p := range d.peers {
			if (panics || !p.out) && avoid>>i&1 == 0 {
				all = append(all, i)
			}
		}
		if len(all) > 0 {
			return all
		}
	}
	return nil
}

func (d *dumb) report(now core.Instant, i int, s Sample) {
	p := &d.peers[i]
	p.busy--
	took := float64(max(s.Took, 1))
	if s.Outcome == core.Cancelled && took <= p.latency {
		return
	}
	old := d.fade(now, p)
	p.seen, p.failing = now, p.failing*old
	if s.Outcome == core.Success {
		p.failing *= 7.0 / 8
		if p.known && took <= p.latency {
			took = p.latency*old + took*(1-old)
		}
		p.latency, p.known = took, true
		return
	}
	if s.Outcome.Failed() {
		p.failing += (1 - p.failing) / 8
	}
	if p.known {
		p.latency = max(p.latency, took)
	}
}

// Whatever happens, the endpoint is one that may be chosen, one of two that the
// draw can have meant, and no other of those two is clearly cheaper.
func TestTwoChoicesAgreeWithTheModel(t *testing.T) {
	outcomes := []core.Outcome{core.Success, core.Success, core.Success, core.Failure, core.Overloaded,
		core.Timeout, core.Cancelled, core.Ignored}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 7))
		n := 2 + r.IntN(6)
		d := &dumb{cfg: Config{}.Filled(), peers: make([]dumbPeer, n)}
		peers := make([]Peer, n)
		for i := range peers {
			peers[i].Weight = 1
			if seed%3 == 0 {
				peers[i].Weight = float64(1 + r.IntN(4))
			}
			d.peers[i].weight = peers[i].Weight
		}
		b, err := New(Config{}, peers)
		if err != nil {
			t.Fatal(err)
		}
		now, flying := core.Instant(0), []int(nil)
		for step := range 600 {
			now = now.Add(time.Duration(r.ExpFloat64() * float64(300*time.Millisecond)))
			switch k := r.IntN(20); {
			case k == 0:
				i := r.IntN(n)
				was := d.peers[i].out
				d.peers[i].out = r.IntN(2) == 0
				b.Mark(now, i, Ejected, d.peers[i].out)
				if was && !d.peers[i].out {
					d.peers[i].slow, d.peers[i].since = true, now
				}
			case k < 10 && len(flying) > 0:
				i := flying[0]
				flying = flying[1:]
				s := Sample{Took: time.Duration(r.IntN(int(200 * time.Millisecond))),
					Outcome: outcomes[r.IntN(len(outcomes))], Reached: true}
				b.Report(now, i, s)
				d.report(now, i, s)
			default:
				tried := r.Uint64() & r.Uint64()
				i, ok := b.Pick(now, Choice{Tried: tried, Draw: r.Float64()})
				if !ok || !d.justified(now, i, tried) {
					t.Fatalf("seed %d, step %d: picked %d, %v of %v: %+v", seed, step, i, ok, d.candidates(tried), d.peers)
				}
				d.peers[i].busy++
				flying = append(flying, i)
			}
			for i, e := range b.Snapshot(now) {
				p := &d.peers[i]
				if want := d.weight(now, p) / p.weight; math.Abs(e.Ramp-want) > 1e-9 || e.InFlight != p.busy ||
					math.Abs(e.Failing-min(0.98, p.failing*d.fade(now, p))) > 1e-5 {
					t.Fatalf("seed %d, step %d: endpoint %d is %+v, want %+v", seed, step, i, e, *p)
				}
			}
		}
	}
}

// justified reports whether another candidate costs as much or more: the dearest
// of all is never taken.
func (d *dumb) justified(now core.Instant, i int, tried uint64) bool {
	all, there, dearer := d.candidates(tried), false, 0
	for _, j := range all {
		there = there || j == i
		if j != i && d.cost(now, &d.peers[j]) >= d.cost(now, &d.peers[i])*(1-1e-5) {
			dearer++
		}
	}
	return there && (len(all) == 1 || dearer > 0)
}

// Idle endpoints that are equally fast get attempts by their weight.
func TestSharesFollowWeights(t *testing.T) {
	weights := []float64{1, 2, 5}
	for _, p := range []Policy{TwoChoices, RoundRobin} {
		b, err := New(Config{Policy: p}, []Peer{{Weight: 1}, {Weight: 2}, {Weight: 5}})
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 2))
		for i := range 3 { // all have a latency
			b.Pick(0, Choice{Only: 1 << i})
			b.Report(0, i, good)
		}
		var got [3]float64
		for range 40_000 {
			i, _ := b.Pick(0, Choice{Draw: r.Float64()})
			b.Report(0, i, good)
			got[i]++
		}
		for i, w := range weights {
			if want := w / 8; math.Abs(got[i]/40_000-want) > 0.01 {
				t.Errorf("%v: endpoint %d got %.3f of the attempts, want %.3f", p, i, got[i]/40_000, want)
			}
		}
	}
}

// Every pair is drawn as often as every other.
func TestDrawsAreEven(t *testing.T) {
	const n = 7
	pairs := map[[2]int]int{}
	for k := range 420_000 {
		i, j := two(0b1010111011, (float64(k)+0.5)/420_000)
		pairs[[2]int{i, j}]++
	}
	if len(pairs) != n*(n-1) {
		t.Fatalf("%d pairs", len(pairs))
	}
	for p, count := range pairs {
		if p[0] == p[1] || 0b1010111011>>p[0]&1 == 0 || count < 9_990 || count > 10_010 {
			t.Errorf("%v was drawn %d times", p, count)
		}
	}
}

func TestNthBit(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		set := r.Uint64() & r.Uint64()
		n := 0
		for i := range 64 {
			if set>>i&1 != 0 {
				if got := nth(set, n); got != i {
					t.Fatalf("bit %d of %b is %d, want %d", n, set, got, i)
				}
				n++
			}
		}
	}
}

// A draw that is none is as good as zero, and no reason to crash.
func TestOddDraws(t *testing.T) {
	for _, draw := range []float64{-1, 1, 7, math.NaN(), math.Inf(1), oneDraw} {
		for _, p := range []Policy{TwoChoices, RoundRobin} {
			b, err := New(Config{Policy: p, Zone: "a"}, []Peer{{Weight: 2}, {Zone: "a"}, {}})
			if err != nil {
				t.Fatal(err)
			}
			b.Mark(0, 1, Ejected, true)
			if i, ok := b.Pick(0, Choice{Draw: draw}); !ok || i == 1 {
				t.Errorf("a draw of %v picks %d, %v", draw, i, ok)
			}
		}
	}
}

// What a zone cannot take goes evenly to the others, and what it takes evenly to
// its own: the draw serves twice.
func TestZonesShareEvenly(t *testing.T) {
	peers := []Peer{{Zone: "a"}, {Zone: "a"}, {Zone: "a"}, {Zone: "a"}, {Zone: "b"}, {Zone: "c"}, {}}
	b, err := New(Config{Zone: "a", SlowStart: Off}, peers)
	if err != nil {
		t.Fatal(err)
	}
	for i := range peers {
		b.Pick(0, Choice{Only: 1 << i})
		b.Report(0, i, good)
	}
	b.Mark(0, 2, Ejected, true)
	b.Mark(0, 3, Unhealthy, true)
	var got [7]int
	for k := range 20_000 {
		i, _ := b.Pick(0, Choice{Draw: (float64(k) + 0.5) / 20_000})
		b.Report(0, i, good)
		got[i]++
	}
	for i, want := range [...]int{7000, 7000, 0, 0, 2000, 2000, 2000} {
		if got[i] < want-20 || got[i] > want+20 {
			t.Errorf("endpoint %d got %d of 20000, want %d", i, got[i], want)
		}
	}
}
