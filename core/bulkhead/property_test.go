package bulkhead

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

const kinds = "teerrpplccs"

// Random lives of a bulkhead agree with the model at every step: who is
// granted and when, who is refused, who expires, and how many slots are taken.
func TestRandomLivesAgreeWithTheModel(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		sizes := randomSizes(r)
		steps := make([]op, 120)
		for i := range steps {
			steps[i] = op{kinds[r.IntN(len(kinds))], r.IntN(8)}
		}
		p := replay(t, steps, sizes...)
		if d := p.snapshot(); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
	}
}

func randomSizes(r *rand.Rand) []Config {
	sizes := make([]Config, 3)
	for i := range sizes {
		sizes[i] = Config{Limit: 1 + r.IntN(3), Queue: r.IntN(4)}
		sizes[i].Wait = time.Duration(1+r.IntN(12)) * time.Millisecond
	}
	return sizes
}

// However a life went, once everybody has gone all slots are free, and every
// ticket has ended in one of three ways.
func TestEverybodyGoneLeavesNothingBehind(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		steps := make([]op, 80)
		for i := range steps {
			steps[i] = op{kinds[r.IntN(len(kinds))], r.IntN(8)}
		}
		p := replay(t, steps, randomSizes(r)...)
		for p.held() > 0 || p.b.Snapshot(p.model.now).Queued > 0 || p.b.m.inUse > 0 {
			for _, o := range []op{{'l', r.IntN(8)}, {'p', r.IntN(80)}, {'r', 0}} {
				if d := p.do(o); d != "" {
					t.Fatalf("seed %d: %s", seed, d)
				}
			}
		}
		for i, tk := range p.tickets {
			if tk.phase == waiting || tk.phase == granted {
				t.Fatalf("seed %d: ticket %d never ended: phase %d", seed, i, tk.phase)
			}
			if tk.prev != nil || tk.next != nil {
				t.Fatalf("seed %d: ticket %d still holds on to others", seed, i)
			}
		}
		if p.b.m.first != nil || p.b.m.last != nil {
			t.Fatalf("seed %d: the queue is not empty", seed)
		}
	}
}

// With a constant limit the slots in use never pass it, and waiters are served
// in the order they came.
func TestOrderAndLimit(t *testing.T) {
	const limit = 2
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		p := newPair(Config{Limit: limit, Queue: 5, Wait: 9 * time.Millisecond})
		served := -1
		for range 200 {
			before := phases(p.tickets)
			if d := p.do(op{"teerrplc"[r.IntN(8)], r.IntN(6)}); d != "" {
				t.Fatalf("seed %d: %s", seed, d)
			}
			if p.b.m.inUse > limit {
				t.Fatalf("seed %d: %d of %d slots in use", seed, p.b.m.inUse, limit)
			}
			for i, tk := range p.tickets {
				if tk.phase != granted || i < len(before) && before[i] == granted {
					continue
				}
				if i < served {
					t.Fatalf("seed %d: ticket %d was granted after ticket %d", seed, i, served)
				}
				if p.b.latest >= tk.until {
					t.Fatalf("seed %d: ticket %d was granted after its time", seed, i)
				}
				served = i
			}
		}
	}
}

func phases(ts []*Ticket) []phase {
	out := make([]phase, len(ts))
	for i, t := range ts {
		out[i] = t.phase
	}
	return out
}

// A caller with an old reading of the clock changes nothing about time.
func TestTimeNeverGoesBack(t *testing.T) {
	b := must(Config{Limit: 1, Queue: 2, Wait: 10 * time.Millisecond})
	b.TryAcquire(100 * ms)
	late, _ := b.Enqueue(50*ms, nil)
	if got, want := late.Until(), core.Instant(110*ms); got != want {
		t.Errorf("a ticket from the past ends at %d, want %d", got, want)
	}
	b.Snapshot(110 * ms)
	if got := b.Poll(60*ms, late); got != Expired {
		t.Errorf("expired ticket is %v when asked with an old clock", got)
	}
}

// The clock's origin means nothing: near both ends of the range and below zero
// a bulkhead does the same.
func TestAnyOrigin(t *testing.T) {
	for _, origin := range []core.Instant{-1 << 63, -5 * ms, 0, 1 << 62} {
		b := must(Config{Limit: 1, Queue: 1, Wait: 10 * time.Millisecond})
		b.TryAcquire(origin)
		w, _ := b.Enqueue(origin+1*ms, nil)
		if got := b.Poll(origin+11*ms-1, w); got != Waiting {
			t.Errorf("origin %d: just before its time the ticket is %v", origin, got)
		}
		if got := b.Poll(origin+11*ms, w); got != Expired {
			t.Errorf("origin %d: at its time the ticket is %v", origin, got)
		}
	}
}

func FuzzAgainstTheModel(f *testing.F) {
	f.Add([]byte("\x00e0e1r0p1"))
	f.Add([]byte("\x13t0e0c9e1r0p0p1l1"))
	f.Add([]byte("\x27t0e0s1p0r0l0e1c5"))
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) == 0 || len(in) > 400 {
			return
		}
		r := rand.New(rand.NewPCG(uint64(in[0]), 4))
		var steps []op
		for i := 1; i+1 < len(in); i += 2 {
			steps = append(steps, op{kinds[int(in[i])%len(kinds)], int(in[i+1])})
		}
		p := replay(t, steps, randomSizes(r)...)
		if d := p.snapshot(); d != "" {
			t.Fatal(d)
		}
	})
}
