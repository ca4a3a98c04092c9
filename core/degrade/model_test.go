package degrade

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// dumb is the degrader written down as a list of what was told, looked through
// from the beginning each time.
type dumb struct {
	told []struct {
		at       time.Duration
		pressure float64
	}
}

// level walks from the start in steps of a second, which is all that the test's
// times are made of.
func (d *dumb) level(now time.Duration) int {
	level, next, calm := 0, 0, 0
	sinceDrop, sinceTold, pressure := math.MaxInt32, 0, 0.0
	for s := time.Duration(0); s <= now; s += time.Second {
		if s > 0 {
			sinceDrop, sinceTold = sinceDrop+1, sinceTold+1
			if pressure <= 0.7 {
				calm++
			}
		}
		if sinceTold == 30 && pressure > 0.7 {
			pressure, calm = 0, 0
		}
		if calm >= 30 && pressure <= 0.7 {
			calm = 0
			level = max(level-1, 0)
		}
		for ; next < len(d.told) && d.told[next].at == s; next++ {
			if d.told[next].pressure <= 0.7 && pressure > 0.7 || level == 0 {
				calm = 0
			}
			pressure, sinceTold = d.told[next].pressure, 0
			if pressure >= 1 && sinceDrop >= 5 && level < len(features) {
				level++
				sinceDrop = 0
			}
		}
	}
	return level
}

func TestAgainstDumbModel(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 9))
		d, model := made(t, Config{Features: features}), &dumb{}
		at := time.Duration(0)
		for range 60 {
			at += time.Duration(rng.IntN(12)) * time.Second
			if rng.IntN(8) == 0 {
				at += time.Duration(rng.IntN(100)) * time.Second
			}
			if rng.IntN(3) > 0 {
				p := []float64{0, 0.7, 0.8, 1, 2}[rng.IntN(5)]
				model.told = append(model.told, struct {
					at       time.Duration
					pressure float64
				}{at, p})
				d.Report(core.Instant(at), p)
			}
			if got, want := d.Level(core.Instant(at)), model.level(at); got != want {
				t.Fatalf("seed %d, at %v: level %d, want %d, after %v", seed, at, got, want, model.told)
			}
		}
	}
}
