package shed

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// A task of k calls comes through twice the load with a chance of 0.5^k if
// each call is judged by itself, and of f_sat/f, one half, if they are judged
// by whose they are: DAGOR's case for levels that travel with a request.
func TestTasksOfSeveralCalls(t *testing.T) {
	const tasks = 40_000
	for k := 2; k <= 4; k++ {
		for _, byUser := range []bool{false, true} {
			rng := rand.New(rand.NewPCG(1, uint64(k)))
			s := made(t, Config{})
			s.Reduce(0, 0.5, 0)
			done, now := 0, core.Instant(0)
			for i := range tasks {
				user, whole := uint8(rng.UintN(Cohorts)), true
				for range k {
					now = now.Add(100 * time.Microsecond)
					cohort := user
					if !byUser {
						cohort = uint8(rng.UintN(Cohorts))
					}
					// Each call is judged, also if another one has failed: the
					// load of the others is what it would be.
					in := s.Admit(now, LevelOf(core.Critical, cohort)) == core.NoReason
					whole = whole && in
				}
				if whole && i >= tasks/10 {
					done++
				}
			}
			want := math.Pow(0.5, float64(k))
			if byUser {
				want = 0.5
			}
			got := float64(done) / (tasks - tasks/10)
			if math.Abs(got-want) > 0.01 {
				t.Errorf("%d calls, by user %v: %.2f %% of tasks, want %.2f", k, byUser, 100*got, 100*want)
			}
		}
	}
}

// DAGOR's own step, 5 % at a time, needs 46 windows from ten times the load.
func TestDagorsSteps(t *testing.T) {
	windows := 0
	for share := 1.0; share > 0.1; share *= 1 - defaultShrink {
		windows++
	}
	if windows != 45 && windows != 46 {
		t.Errorf("%d windows", windows)
	}
}

// The signal is a mean wait of more than Target, not of Target.
func TestTarget(t *testing.T) {
	for _, tc := range []struct {
		wait time.Duration
		over bool
	}{{20 * time.Millisecond, false}, {20*time.Millisecond + 1, true}} {
		s, now := made(t, Config{}), core.Instant(0)
		for range 200 {
			s.Admit(now, 0)
			s.Report(now, tc.wait)
			now = now.Add(5 * time.Millisecond)
		}
		if got := s.Snapshot(now); got.Overloaded != tc.over || got.Wait != tc.wait {
			t.Errorf("a mean wait of %v: %+v", tc.wait, got)
		}
	}
}
