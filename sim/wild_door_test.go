package sim

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/limit"
	"github.com/seakeep/seakeep/internal/race"
)

// wildDoor is a serve section of anything, or none.
func wildDoor(rng *rand.Rand) string {
	if rng.IntN(6) == 0 {
		return ""
	}
	some := func(words ...string) string { return words[rng.IntN(len(words))] }
	mode := func() string { return some("enforce", "enforce", "enforce", "observe") }
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "  "+format+"\n", args...) }
	b.WriteString("serve:\n")
	line("deadline: {default: %dms, needs: %dms, mode: %s}", 50+rng.IntN(1500), rng.IntN(20), mode())
	if rng.IntN(2) == 0 {
		line("recovery: {window: %dms, windows: %d, ramp: 1s}", 10+rng.IntN(300), 1+rng.IntN(4))
	}
	if rng.IntN(2) == 0 {
		line("degrade: {features: [%s], on: 0.%d, step: %dms, back: %dms}",
			some("prefetch", "ads", "prefetch, ads", "ads, prefetch"), 1+rng.IntN(9),
			10+rng.IntN(500), 10+rng.IntN(500))
	}
	if rng.IntN(6) == 0 {
		return b.String()
	}
	a := limit.Algorithm(rng.IntN(algorithms()))
	most := 1 + rng.IntN(60)
	start := 1 + rng.IntN(most)
	if a == limit.Fixed {
		line("concurrency: {algorithm: %v, limit: %d, mode: %s}", a, start, mode())
	} else {
		line("concurrency: {algorithm: %v, limit: %d, min: %d, max: %d, mode: %s}", a, start,
			1+rng.IntN(start), most, mode())
	}
	if rng.IntN(5) > 0 {
		line("queue: {length: %d, wait: %dms, discipline: %s, full: %s%s}", 1+rng.IntN(40),
			1+rng.IntN(600), some("fifo", "lifo", "codel", "codel-lifo"),
			some("reject", "drop-oldest", "drop-lowest"), some("", ", target: 5ms",
				", target: 2ms, interval: 20ms", ", floors: {sheddable: 10%, sheddable_plus: 5%}"))
	}
	if rng.IntN(2) == 0 {
		line("tenants: {header: T, limit: %d, queue: %d, keys: %d}", 1+rng.IntN(9), 1+rng.IntN(9),
			1+rng.IntN(3))
	}
	if rng.IntN(2) == 0 {
		line("shed: {target: %dms, window: %dms, mode: %s}", 1+rng.IntN(40), 10+rng.IntN(300), mode())
	}
	return b.String()
}

// algorithms is how many a limit may have.
func algorithms() (n int) {
	for limit.Algorithm(n).String() != "invalid" {
		n++
	}
	return n
}

// wildDoors is a wild world whose services have doors, which change and are
// taken away while requests are at them.
func wildDoors(t *testing.T, rng *rand.Rand) *config.Scenario {
	s := wildScenario(t, rng)
	s.For = 2500 * ms
	policy := func() *config.File {
		return tryPolicy(t, wildRungs[rng.IntN(len(wildRungs))]+wildDoor(rng))
	}
	for i := range s.Changes {
		c := &s.Changes[i]
		c.At = c.At * 4 / 10
		if c.Kind == config.SetPolicy {
			c.Policy = policy()
		}
	}
	for _, v := range s.Services {
		if v.Name == "checkout" || rng.IntN(2) == 0 {
			v.Policy = policy()
		}
		for _, r := range v.Routes {
			if rng.IntN(2) == 0 {
				r.Features = []config.Feature{{Name: "prefetch", Work: config.Latency{Floor: 2e6}},
					{Name: "ads", Work: config.Latency{Shape: config.Exponential, Mean: 5e6}}}
			}
		}
	}
	c := s.Clients[0]
	c.Tenant, c.Criticality = "acme", core.CriticalityAt(rng.IntN(core.Criticalities))
	other := *c
	other.Name, other.Tenant = "others", []string{"", "acme", "birch"}[rng.IntN(3)]
	other.Criticality = core.CriticalityAt(rng.IntN(core.Criticalities))
	s.Clients = append(s.Clients, &other)
	for range rng.IntN(8) {
		of := s.Services[rng.IntN(len(s.Services))]
		ch := config.Change{Kind: config.SetAdmission, Of: of.Name,
			At:     time.Duration(rng.IntN(2500)) * ms,
			Length: time.Duration(rng.IntN(2)*rng.IntN(1000)) * ms,
			Share:  float64(rng.IntN(11)) / 10, Ramp: time.Duration(rng.IntN(2)*rng.IntN(2000)) * ms}
		if rng.IntN(3) == 0 {
			ch.Kind, ch.Policy = config.SetPolicy, policy()
		}
		s.Changes = append(s.Changes, ch)
	}
	return s
}

// The books balance behind doors too: the slots in use are those of the
// requests inside, whatever changes, and nobody waits for ever.
func TestBooksBalanceBehindDoors(t *testing.T) {
	n := uint64(500)
	if race.Enabled || testing.Short() {
		n = 4
	}
	var turned [mostReasons]uint64
	for seed := range n {
		s := wildDoors(t, rand.New(rand.NewPCG(seed, 23)))
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("seed %d: %v", seed, p)
				}
			}()
			for _, v := range wild(t, s, seed).Services {
				if v.Door == nil {
					continue
				}
				for _, r := range v.Door.Refused {
					turned[r.Reason] += r.Count
				}
			}
		}()
	}
	for _, r := range []core.Reason{core.Shed, core.AdmissionReduced, core.TenantLimit, core.QueueDelay,
		core.QueueTimeout, core.BulkheadFull, core.Evicted, core.DeadlineExceeded, core.DeadlineTooShort} {
		if turned[r] == 0 && n > 100 {
			t.Errorf("nobody was turned away for %v: the worlds are too tame", r)
		}
	}
}

// The bytes of a run do not depend on how many processors there are.
func TestDoorsAreTheSameOnOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	n := uint64(20)
	if race.Enabled || testing.Short() {
		n = 3
	}
	for seed := range n {
		s := wildDoors(t, rand.New(rand.NewPCG(seed, 23)))
		runtime.GOMAXPROCS(1)
		one := text(t, run(t, s, 0))
		runtime.GOMAXPROCS(2)
		if two := text(t, run(t, s, 0)); two != one {
			t.Fatalf("seed %d: with two processors the run differs", seed)
		}
	}
}

// doorsHold checks that the slots of each door are in use by the requests that
// are inside, and by nobody else.
func (w *World) doorsHold(t *testing.T, seed uint64) {
	for _, s := range w.services {
		held := map[uintptr]int{}
		for _, i := range s.instances {
			waiting := 0
			for j := i.active; j != nil; j = j.after {
				if j.outside {
					waiting++
				}
				v := reflect.ValueOf(j.visit)
				if !v.IsNil() && v.Elem().FieldByName("held").Bool() {
					held[v.Elem().FieldByName("door").Elem().FieldByName("slots").Pointer()]++
				}
				if j.admitted && j.stage == knocking || j.outside && j.stage != knocking {
					t.Fatalf("seed %d: at %v a request is at two places", seed, time.Duration(w.now))
				}
			}
			if waiting != i.outside {
				t.Fatalf("seed %d: at %v %d wait at the door, %d are counted", seed,
					time.Duration(w.now), waiting, i.outside)
			}
		}
		for _, i := range s.instances {
			if i.door == nil {
				continue
			}
			slots := reflect.ValueOf(i.door).Elem().FieldByName("slots")
			if slots.IsNil() {
				continue
			}
			b := i.door.Snapshot(w.now).Slots
			idle := b.InUse < b.Limit && b.Queued > 0 && i.door.Config().Tenants == nil
			if n := held[slots.Pointer()]; b.InUse != n || idle {
				t.Fatalf("seed %d: at %v %d of %d slots are in use and %d wait, %d requests are inside",
					seed, time.Duration(w.now), b.InUse, b.Limit, b.Queued, n)
			}
		}
	}
}
