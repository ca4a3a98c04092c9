package seakeep

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/degrade"
	"github.com/seakeep/seakeep/core/serve"
	"github.com/seakeep/seakeep/core/shed"
)

// The latency of Go's scheduler alone sheds and degrades, where nothing else
// shows an overload: the processor can do half of what comes. When that is over
// everything comes back by itself.
func TestTheSchedulerIsHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := doorOf(t, serve.Config{Shed: &shed.Config{Scheduler: 10 * time.Millisecond},
			Degrade: &degrade.Config{Features: []string{"a"}, Back: 10 * time.Second}})
		most, let := 1000, 0
		d.sched.read = func() (time.Duration, bool) {
			late := time.Millisecond
			if let > most {
				late = 20 * time.Millisecond
			}
			let = 0
			return late, true
		}
		ask := func(seconds int) (refused [core.Criticalities]int) {
			for i := range seconds * 1000 {
				c := core.CriticalityAt(i % core.Criticalities)
				v, err := d.Enter(context.Background(), Arrival{Class: c, Cohort: uint8(i * 7)})
				if err != nil {
					refused[c.Index()]++
				} else {
					let++
					v.End(done)
				}
				time.Sleep(time.Millisecond)
			}
			return refused
		}
		if n := ask(2); n != [core.Criticalities]int{} || !d.Allows("a") {
			t.Errorf("at rest %v are refused, a is %v", n, d.Allows("a"))
		}
		most = 50 // in a tenth of a second, of 100
		n := ask(20)
		if n[0] < 4500 || n[1] < n[2] || n[2] > 4000 || n[3] > 500 || d.Allows("a") {
			t.Errorf("under pressure %v of 5000 each are refused, a is %v", n, d.Allows("a"))
		}
		time.Sleep(time.Minute) // nobody comes
		if !d.Allows("a") || d.Dropped() != nil {
			t.Error("an idle door does not recover")
		}
		if most = 1000; ask(1) != [core.Criticalities]int{} {
			t.Error("afterwards some are refused")
		}
	})
}
