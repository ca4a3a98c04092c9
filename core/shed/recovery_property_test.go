package shed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Many sweeps or few, the judgement is the same.
func TestSweepRarely(t *testing.T) {
	for _, every := range []time.Duration{10 * time.Millisecond, 250 * time.Millisecond, time.Second} {
		r := recovered(t)
		var got []string
		for at := time.Duration(0); at < 40*time.Second; at += 10 * time.Millisecond {
			now := core.Instant(at)
			for i := range 3 {
				if at > 20*time.Second || i == 0 {
					r.Arrived(now, i > 0)
				}
			}
			r.Ended(now, at < 20*time.Second)
			if at%every == 0 {
				if o, changed := r.Sweep(now); changed {
					got = append(got, fmt.Sprint(at.Round(time.Second), o.To))
				}
			}
		}
		if !slices.Equal(got, []string{"31s cut"}) && !slices.Equal(got, []string{"30s cut"}) {
			t.Errorf("swept every %v: %v", every, got)
		}
		if s := r.Snapshot(0); math.Abs(s.Normal-100) > 1 || math.Abs(s.Best-100) > 1 {
			t.Errorf("swept every %v: %+v", every, s)
		}
	}
}

// Who sweeps too rarely gets the mean of what came meanwhile.
func TestSweepTooRarely(t *testing.T) {
	r := recovered(t)
	for at := time.Duration(0); at < time.Minute; at += 10 * time.Millisecond {
		r.Arrived(core.Instant(at), false)
		r.Ended(core.Instant(at), true)
		if at%(2500*time.Millisecond) == 0 {
			r.Sweep(core.Instant(at))
		}
	}
	if s := r.Snapshot(0); math.Abs(s.Normal-100) > 1 || math.Abs(s.Useful-100) > 1 {
		t.Errorf("%+v", s)
	}
}

func TestStates(t *testing.T) {
	for s, want := range map[State]string{Healthy: "healthy", Suspected: "suspected", Cut: "cut",
		Returning: "returning", 9: "invalid"} {
		if s.String() != want {
			t.Errorf("%d is called %q", s, s)
		}
	}
}

// Whatever comes and ends: shares stay within their bounds, every change goes
// the way it may, a ramp is there only on the way back, the last order is what
// the snapshot says, and ten good minutes always end in health.
func TestRecoveryProperties(t *testing.T) {
	next := map[State][]State{Healthy: {Cut}, Suspected: {Cut}, Cut: {Cut, Returning, Healthy},
		Returning: {Cut, Healthy}}
	cuts := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 4))
		r, now := recovered(t), core.Instant(0)
		second := func(first, retries, useful, wasted int) {
			for i := range first + retries {
				r.Arrived(now, i >= first)
			}
			for i := range useful + wasted {
				r.Ended(now, i < useful)
			}
			now = now.Add(time.Second)
			before := r.Snapshot(now)
			o, changed := r.Sweep(now)
			after := r.Snapshot(now)
			switch {
			case !changed && (after.Share != before.Share || o.Share != after.Share):
				t.Fatalf("seed %d: from %+v to %+v without a word", seed, before, after)
			case !changed:
				return
			case o.From != before.State || o.To != after.State || !slices.Contains(next[o.From], o.To):
				t.Fatalf("seed %d: %+v from %+v to %+v", seed, o, before, after)
			case o.Share != after.Share || o.Share < leastShare || o.Share > 1,
				(o.Ramp > 0) != (o.To == Returning) || o.Ramp > 8*defaultRamp,
				o.Share > mostShare && o.To != Healthy:
				t.Fatalf("seed %d: %+v, %+v", seed, o, after)
			}
			if o.To == Cut {
				cuts++
			}
		}
		for range 40 {
			first, retries := 50+rng.IntN(60), rng.IntN(200)
			useful, wasted := rng.IntN(80), rng.IntN(100)
			if rng.IntN(2) == 0 {
				retries, useful, wasted = 0, first, 0
			}
			for range 1 + rng.IntN(25) {
				second(first, retries, useful, wasted)
			}
		}
		for range 600 {
			second(80, 0, 80, 0)
		}
		if s := r.Snapshot(now); s.State != Healthy || s.Share != 1 || s.Normal < 79 || s.Best < 79 {
			t.Fatalf("seed %d: after ten good minutes %+v", seed, s)
		}
	}
	if cuts < 20 {
		t.Errorf("only %d cuts in all: the test shows little", cuts)
	}
}
