package shed

import (
	"strconv"
	"testing"

	"github.com/seakeep/seakeep/core"
)

func TestLevels(t *testing.T) {
	last := -1
	for class := range core.Criticalities {
		for cohort := range uint8(Cohorts) {
			c := core.CriticalityAt(class)
			l := LevelOf(c, cohort)
			if int(l) != last+1 || l.Class() != c || l.Cohort() != cohort {
				t.Fatalf("%v and cohort %d are level %d: %v, %d", c, cohort, l, l.Class(), l.Cohort())
			}
			last = int(l)
		}
	}
	if last != levels-1 {
		t.Errorf("%d levels", last+1)
	}
	if got := LevelOf(core.Critical, Cohorts+3); got != LevelOf(core.Critical, 3) {
		t.Errorf("a cohort too many is level %d", got)
	}
	if LevelOf(core.Criticality(-100), 5) != 5 || LevelOf(core.Criticality(100), 127) != levels-1 {
		t.Error("a class that does not exist is not the nearest")
	}
	if l := Level(60000); l.Class() != core.CriticalPlus || l.Cohort() != Cohorts-1 {
		t.Errorf("a level too high is %v, %d", l.Class(), l.Cohort())
	}
}

// Users are spread evenly: of 128 cohorts with 1,000 users each on average, the
// square of what each is off sums to chi squared with 127 degrees of freedom,
// which is above 200 once in 30,000 times.
func TestCohortsAreEven(t *testing.T) {
	for _, epoch := range []uint64{0, 1, 489_000, 1 << 63} {
		var n [Cohorts]float64
		const users = 128_000
		for i := range users {
			n[CohortOf("user-"+strconv.Itoa(i), epoch)]++
		}
		chi := 0.0
		for _, x := range n {
			d := x - users/Cohorts
			chi += d * d / (users / Cohorts)
		}
		if chi > 200 {
			t.Errorf("epoch %d: chi squared is %.0f", epoch, chi)
		}
	}
}

// An epoch deals anew: who is in the last eighth in one hour is there in the
// next with a chance of an eighth.
func TestEpochDealsAnew(t *testing.T) {
	const low = Cohorts / 8
	last, again := 0, 0
	for i := range 80_000 {
		user := strconv.Itoa(i)
		if CohortOf(user, 7) < low {
			last++
			if CohortOf(user, 8) < low {
				again++
			}
		}
	}
	if share := float64(again) / float64(last); share < 0.11 || share > 0.14 {
		t.Errorf("%.1f %% of the last eighth are last again", 100*share)
	}
}

// The answers are a promise to services of other versions: they may not change.
func TestCohortsStay(t *testing.T) {
	for _, tc := range []struct {
		user  string
		epoch uint64
		want  uint8
	}{{"", 0, 30}, {"alice", 0, 101}, {"alice", 1, 77}, {"bob", 489_123, 102}} {
		if got := CohortOf(tc.user, tc.epoch); got != tc.want {
			t.Errorf("%q in epoch %d is in cohort %d, want %d", tc.user, tc.epoch, got, tc.want)
		}
	}
	var sum uint8
	if n := testing.AllocsPerRun(100, func() { sum += CohortOf("alice", 9) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
