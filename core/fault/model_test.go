package fault

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// model is the injector as slowly and as plainly as can be: it works out from
// all orders so far which rules run.
type model struct {
	concurrent int
	share      float64
	seed       uint64
	runs       []modelRun
	active     int
}

type modelRun struct {
	rule         Rule
	from, until  core.Instant
	seen         uint64
	hurt, spared uint64
}

func (m *model) running(now core.Instant) (list []*modelRun) {
	for i := range m.runs {
		if r := &m.runs[i]; now < r.until {
			list = append(list, r)
		}
	}
	return list
}

func (m *model) start(now core.Instant, r Rule) bool {
	sum := r.Share
	for _, run := range m.running(now) {
		if run.rule.Name == r.Name {
			return false
		}
		sum += run.rule.Share
	}
	if sum > m.share+1e-9 {
		return false
	}
	m.runs = append(m.runs, modelRun{rule: r, from: now, until: now.Add(r.For)})
	return true
}

func (m *model) stop(now core.Instant, name string) (n int) {
	for _, r := range m.running(now) {
		if r.rule.Name == name {
			r.until = now
			n++
		}
	}
	return n
}

func (m *model) admit(now core.Instant, path string) string {
	var by []string
	for _, r := range m.running(now) {
		if r.rule.Scope.Path != "" && r.rule.Scope.Path != path {
			continue
		}
		d := drawsOf(keyOf(m.seed, r.rule.Name), r.seen)
		r.seen++
		switch {
		case d.uniform() >= r.rule.Share:
		case len(by) == 0 && m.active >= m.concurrent:
			r.spared++
		default:
			r.hurt++
			by = append(by, r.rule.Name)
		}
	}
	if len(by) > 0 {
		m.active++
	}
	return strings.Join(by, ",")
}

func TestAgainstModel(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		c := Config{Allow: true, Share: 0.6, Concurrent: 3}
		j, m := mustNew(t, c, seed), &model{concurrent: 3, share: 0.6, seed: seed}
		var held []Injury
		now := core.Instant(0)
		for step := range 300 {
			now += core.Instant(random.IntN(3)) * ms
			name, path := string(rune('a'+random.IntN(4))), []string{"/x", "/y"}[random.IntN(2)]
			what := ""
			switch random.IntN(6) {
			case 0:
				r := refused(name, 0.1*float64(1+random.IntN(4)))
				r.For = time.Duration(1+random.IntN(40)) * time.Millisecond
				if random.IntN(2) == 0 {
					r.Scope.Path = path
				}
				if got, want := j.Start(now, r, false) == nil, m.start(now, r); got != want {
					what = fmt.Sprintf("start %+v: %v, want %v", r, got, want)
				}
			case 1:
				if got, want := j.Stop(now, name), m.stop(now, name); got != want {
					what = fmt.Sprintf("stop: %d, want %d", got, want)
				}
			case 2:
				if len(held) > 0 {
					j.Release(held[0])
					held, m.active = held[1:], m.active-1
				}
			default:
				in, want := j.Admit(now, Target{Path: path}), m.admit(now, path)
				if in.By != want {
					what = fmt.Sprintf("admit: %q, want %q", in.By, want)
				}
				if in.By != "" {
					held = append(held, in)
				}
			}
			if active := j.Snapshot(now).Active; active != m.active || active > 3 {
				what += fmt.Sprintf(" active %d, want %d", active, m.active)
			}
			if what != "" {
				t.Fatalf("seed %d, step %d at %v: %s", seed, step, now, what)
			}
		}
	}
}

// Under many goroutines nothing is lost, and the bound on those that are hurt at
// the same time holds.
func TestRace(t *testing.T) {
	c := open
	c.Concurrent = 4
	var events sync.Map
	j, err := New(0, c, 1, func(e core.Event) { events.Store(e.Kind, true) })
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for n := range 500 {
				now := core.Instant(n) * ms
				switch {
				case g == 0 && n%10 == 0:
					_ = j.Start(now, refused(fmt.Sprint("r", n%30), 0.5), true)
				case g == 1 && n%10 == 5:
					j.Stop(now, fmt.Sprint("r", n%30))
				case g == 2 && n%100 == 0:
					_ = j.Reconfigure(now, c)
				}
				in := j.Admit(now, Target{})
				if s := j.Snapshot(now); s.Active > 4 {
					t.Errorf("%d are hurt", s.Active)
				}
				j.Holds(now, in, Refused)
				j.Report(now, in.By == "")
				j.Release(in)
			}
		})
	}
	group.Wait()
	if s := j.Snapshot(second); s.Active != 0 {
		t.Errorf("%d are still hurt", s.Active)
	}
	for _, k := range []core.EventKind{core.FaultInjected, core.FaultChanged} {
		if _, ok := events.Load(k); !ok {
			t.Errorf("no event %v", k)
		}
	}
}

func TestAdmitAllocatesNothing(t *testing.T) {
	idle := mustNew(t, open, 1)
	misses := mustNew(t, open, 1).begin(t, Rule{Name: "x", Share: 1, Scope: Scope{Path: "/other"},
		Hurt: Hurt{Kind: Refused}})
	one := mustNew(t, open, 1).begin(t, delay("x", 1, time.Second))
	for name, j := range map[string]*Injector{"idle": idle, "another scope": misses, "hurt": one} {
		if n := testing.AllocsPerRun(100, func() {
			j.Release(j.Admit(0, Target{Path: "/", Marks: "a, b"}))
			j.Report(0, true)
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkIdle(b *testing.B) {
	j, _ := New(0, open, 1, nil)
	for b.Loop() {
		j.Release(j.Admit(0, Target{}))
	}
}

func BenchmarkHurt(b *testing.B) {
	j, _ := New(0, open, 1, nil)
	_ = j.Start(0, delay("x", 1, time.Second), false)
	for b.Loop() {
		j.Release(j.Admit(0, Target{}))
	}
}
