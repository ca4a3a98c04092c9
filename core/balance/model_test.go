package balance

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// model is what a balancer promises, endpoint by endpoint and without masks.
type model struct {
	next, last int
	peers      []modelPeer
	flying     []int // the endpoints of attempts under way
}

type modelPeer struct {
	resting, trial, guess bool
	until                 core.Instant
	failures, last        int
}

func (m *model) pick(now core.Instant, tried uint64) int {
	up := func(i int) bool { return !m.peers[i].resting || now >= m.peers[i].until }
	untried := func(i int) bool { return tried>>i&1 == 0 }
	for _, fits := range []func(int) bool{func(i int) bool { return up(i) && untried(i) }, up} {
		for step := range m.peers {
			i := (m.next + step) % len(m.peers)
			if !fits(i) {
				continue
			}
			m.next = (i + 1) % len(m.peers)
			if p := &m.peers[i]; p.resting {
				p.trial = true
				m.stamp(p)
				p.until = now.Add(m.rest(p))
			}
			return i
		}
	}
	for _, fits := range []func(int) bool{untried, func(int) bool { return true }} {
		best := -1
		for i := range m.peers {
			if fits(i) && (best < 0 || m.peers[i].last < m.peers[best].last) {
				best = i
			}
		}
		if best >= 0 {
			m.peers[best].guess = true
			m.stamp(&m.peers[best])
			return best
		}
	}
	return -1
}

func (m *model) stamp(p *modelPeer) {
	m.last++
	p.last = m.last
}

func (m *model) rest(p *modelPeer) time.Duration {
	rests := []time.Duration{1, 2, 4, 8, 10}
	return rests[min(p.failures, len(rests))-1] * time.Second
}

func (m *model) report(now core.Instant, i int, reached bool) {
	p := &m.peers[i]
	was := *p
	if p.resting && !p.trial && !p.guess {
		return
	}
	p.trial, p.guess = false, false
	if reached {
		p.resting, p.failures = false, 0
		return
	}
	m.stamp(p)
	if !was.resting || was.trial {
		p.resting = true
		p.failures++
		p.until = now.Add(m.rest(p))
	}
}

// step does one thing to both and returns in what they differ, or "".
func step(b *Balancer, m *model, now core.Instant, choice uint64) string {
	switch kind := choice % 5; {
	case kind < 3 || len(m.flying) == 0:
		tried := choice >> 16
		if kind == 0 {
			tried = 0
		}
		got, ok := b.Pick(now, Choice{Tried: tried})
		if want := m.pick(now, tried); got != want || !ok {
			return fmt.Sprintf("at %d, tried %b: picked %d, %v, want %d", now, tried, got, ok, want)
		}
		m.flying = append(m.flying, got)
	default:
		k := int(choice>>8) % len(m.flying)
		i := m.flying[k]
		m.flying = append(m.flying[:k:k], m.flying[k+1:]...)
		switch {
		case kind == 4:
			b.Report(now, i, good)
			m.report(now, i, true)
		case choice>>20%4 == 0: // nothing is known of it
			b.Report(now, i, Sample{Outcome: core.Timeout})
		default:
			b.Report(now, i, Sample{Outcome: core.Failure})
			m.report(now, i, false)
		}
	}
	for i, e := range b.Snapshot(now) {
		p := m.peers[i]
		if e.Resting != p.resting || e.Failures != p.failures ||
			p.resting && e.Trial != max(0, p.until.Sub(now)) {
			return fmt.Sprintf("at %d endpoint %d is %+v, want %+v", now, i, e, p)
		}
	}
	return ""
}

func TestRandomLivesAgreeWithTheModel(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(5)
		b, m := turns(t, n), &model{peers: make([]modelPeer, n)}
		now := core.Instant(r.Int64()) - 1<<62
		for i := range 400 {
			if r.IntN(3) == 0 {
				now = now.Add(time.Duration(r.IntN(2500)) * time.Millisecond)
			}
			if d := step(b, m, now, r.Uint64()); d != "" {
				t.Fatalf("seed %d, step %d: %s", seed, i, d)
			}
		}
	}
}

// Every state that two endpoints with three attempts at most under way can reach
// in eleven steps is visited, with all that may be picked and reported in it.
func TestEverySmallScope(t *testing.T) {
	type move struct {
		choice uint64
		after  time.Duration
	}
	var moves []move
	for _, tried := range []uint64{0, 1, 2, 3} {
		moves = append(moves, move{1 | tried<<16, 0})
	}
	for which := range uint64(3) {
		for kind := uint64(3); kind < 5; kind++ { // a failure and a success
			choice := which<<8 | 1<<20
			for choice%5 != kind {
				choice++
			}
			moves = append(moves, move{choice, 0})
		}
	}
	moves = append(moves, move{1, time.Second})
	seen, ways := map[string]bool{}, [][]move{nil}
	for len(ways) > 0 && len(ways[0]) < 11 {
		way := ways[0]
		ways = ways[1:]
		for _, next := range moves {
			long := append(way[:len(way):len(way)], next)
			b, m, now := turns(t, 2), &model{peers: make([]modelPeer, 2)}, core.Instant(0)
			for _, mv := range long {
				now = now.Add(mv.after)
				if d := step(b, m, now, mv.choice); d != "" {
					t.Fatalf("%s\nafter %v", d, long)
				}
			}
			if k := state(m, now); !seen[k] && len(m.flying) < 4 {
				seen[k] = true
				ways = append(ways, long)
			}
		}
	}
	t.Logf("%d states", len(seen))
	if len(seen) < 1000 {
		t.Errorf("visited %d states, the search has gone wrong", len(seen))
	}
}

func state(m *model, now core.Instant) string {
	var b strings.Builder
	fmt.Fprint(&b, m.next, m.flying)
	for _, p := range m.peers {
		if p.resting {
			fmt.Fprint(&b, p.trial, p.guess, min(p.failures, 5), p.last > m.peers[0].last,
				max(0, p.until.Sub(now)))
		}
	}
	return b.String()
}

func FuzzAgainstTheModel(f *testing.F) {
	f.Add([]byte("\x03\x00\x03\x00\x10\x00\x04\x00"))
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) == 0 || len(in) > 600 {
			return
		}
		n := 1 + int(in[0])%64
		b, m, now := turns(t, n), &model{peers: make([]modelPeer, n)}, core.Instant(0)
		for i := 1; i+2 < len(in); i += 3 {
			now = now.Add(time.Duration(in[i]) * 20 * time.Millisecond)
			choice := uint64(in[i+1]) | uint64(in[i+2])<<8 | uint64(in[i+2])<<16
			if d := step(b, m, now, choice); d != "" {
				t.Fatalf("step %d: %s", i/3, d)
			}
		}
	})
}
