package seakeep

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/fault"
	"github.com/seakeep/seakeep/core/slo"
)

// heardSLO keeps the events about objectives.
type heardSLO struct {
	mu  sync.Mutex
	all []string
}

func (n *heardSLO) Observe(e core.Event) {
	if e.Kind == core.BurnChanged || e.Kind == core.BudgetChanged {
		n.mu.Lock()
		defer n.mu.Unlock()
		text := e.Kind.String() + " " + e.Key + " " + e.From + " " + e.To
		if e.Observed {
			text += " observed"
		}
		n.all = append(n.all, text)
	}
}

func (n *heardSLO) has(text string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, one := range n.all {
		if one == text {
			return true
		}
	}
	return false
}

const promisedFile = `
version: 1
service: shop
serve:
  degrade: [prefetch, personalization]
dependencies:
  pricing:
    retry: {attempts: 3, budget: {ratio: 50%, floor: 10/s}}
    hedge: {after: 10ms, budget: 40%}
    faults: {allow: true}
slo:
  mode: MODE
  objectives:
    - name: shop
      objective: 90%
      window: 1h
      latency: 1s
      freshness: 1m
      paths: [/shop/*]
      policy:
        - {left: 50%}
        - {left: 20%, freeze-drills: true, retries: 50%, degrade: 1}
`

func promisedSet(t *testing.T, mode string) (*Set, *heardSLO) {
	t.Helper()
	n := &heardSLO{}
	set, err := NewSet(promisedConfig(t, mode), Options{Observer: n})
	if err != nil {
		t.Fatal(err)
	}
	return set, n
}

func promisedConfig(t *testing.T, mode string) *config.File {
	t.Helper()
	file, err := config.Parse("seakeep.yaml", []byte(strings.ReplaceAll(promisedFile, "MODE", mode)))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// see reports answers at the door.
func see(set *Set, good, bad int) {
	for range good {
		set.Objectives().Report(Measure{Path: "/shop/a", Class: core.Critical, Outcome: core.Success})
	}
	for range bad {
		set.Objectives().Report(Measure{Path: "/shop/a", Class: core.Critical, Outcome: core.Failure})
	}
}

var drill = fault.Rule{Name: "slow", Share: 0.1, For: time.Hour,
	Hurt: fault.Hurt{Kind: fault.Latency, Delay: time.Millisecond}}

// What the file says happens as the budget goes, and is taken back when it has
// come back.
func TestPolicyOfTheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set, n := promisedSet(t, "enforce")
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); set.Run(ctx, nil) }()
		time.Sleep(time.Hour)
		plan := func() (tokens int) { return set.MustPolicy("pricing").Snapshot().Budget.Available }
		usual := plan()
		if err := set.Faults("pricing").Start(drill, true); err != nil {
			t.Fatal(err)
		}
		see(set, 900, 40)
		time.Sleep(10 * time.Second)
		if n.has("budget-changed shop 0 1") || set.Faults("pricing").Idle() {
			t.Error("with 57 % left: ", n.all)
		}
		see(set, 0, 60) // exactly all is spent
		time.Sleep(10 * time.Second)
		if !n.has("budget-changed shop 0 2") {
			t.Error(n.all)
		}
		if got := plan(); got != usual/2 {
			t.Errorf("%d retries of %d", got, usual)
		}
		if set.Door().Allows("prefetch") || !set.Door().Allows("personalization") {
			t.Error(set.Door().Dropped())
		}
		if err := set.Faults("pricing").Start(drill, true); !errors.Is(err, fault.ErrRefused) ||
			!set.Faults("pricing").Idle() {
			t.Errorf("a drill: %v", err)
		} else {
			t.Log(err)
		}
		// A reload takes nothing of it back.
		if err := set.Apply(promisedConfig(t, "enforce")); err != nil {
			t.Fatal(err)
		}
		if plan() != usual/2 || set.Door().Allows("prefetch") || set.Faults("pricing").Frozen() == "" {
			t.Errorf("after a reload %d %v %q", plan(), set.Door().Dropped(), set.Faults("pricing").Frozen())
		}
		time.Sleep(2 * time.Hour) // the bad events have left the window
		if plan() != usual || !set.Door().Allows("prefetch") || set.Faults("pricing").Frozen() != "" {
			t.Errorf("later %d %v %q", plan(), set.Door().Dropped(), set.Faults("pricing").Frozen())
		}
		if !n.has("budget-changed shop 2 0") {
			t.Error(n.all)
		}
		cancel()
		<-done
	})
}

// In mode observe it is told and not done.
func TestPolicyOfTheBudgetObserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set, n := promisedSet(t, "observe")
		time.Sleep(time.Hour)
		usual := set.MustPolicy("pricing").Snapshot().Budget.Available
		see(set, 10, 90)
		time.Sleep(10 * time.Second)
		see(set, 1, 0) // somebody looks
		if !n.has("budget-changed shop 0 2 observed") {
			t.Error(n.all)
		}
		if set.MustPolicy("pricing").Snapshot().Budget.Available != usual || !set.Door().Allows("prefetch") ||
			set.Faults("pricing").Frozen() != "" {
			t.Error("it was done")
		}
		if a := set.Objectives().Acts(); a.Spare != 0.5 || a.Level != 1 || a.Freeze == "" {
			t.Errorf("%+v", a)
		}
		// Enforced by a reload, and given up by another.
		for mode, frozen := range map[string]bool{"enforce": true} {
			if err := set.Apply(promisedConfig(t, mode)); err != nil || (set.Faults("pricing").Frozen() != "") != frozen {
				t.Errorf("%s: %v %q", mode, err, set.Faults("pricing").Frozen())
			}
		}
		none, err := config.Parse("f", []byte("version: 1\nservice: shop\ndependencies: {pricing: {faults: {allow: true}}}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if err := set.Apply(none); err != nil || set.Faults("pricing").Frozen() != "" || set.Objectives() != nil {
			t.Errorf("without objectives: %v %q", err, set.Faults("pricing").Frozen())
		}
		set.Objectives().Report(Measure{}) // nobody hears
	})
}

// What counts, and as what.
func TestMeasures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set, _ := promisedSet(t, "enforce")
		report := func(m Measure) { set.Objectives().Report(m) }
		ok := Measure{Path: "/shop/a", Outcome: core.Success}
		report(ok)
		slow, old, other, gone := ok, ok, ok, ok
		slow.Took, old.Age, other.Path, gone.Outcome = time.Minute, time.Hour, "/health", core.Cancelled
		for _, m := range []Measure{slow, old, other, gone} {
			report(m)
		}
		s := set.Objectives().Snapshot(2)[0]
		if s.Counts != (slo.Counts{Bad: 2, Total: 3}) || s.Events != 3 || s.Bad != 2 || len(s.Curve) != 2 {
			t.Errorf("%+v", s)
		}
		if set.Objectives().Beacon("shop", slo.Counts{Total: 1}) {
			t.Error("a beacon for the door")
		}
	})
}

// Calls of a dependency count with what their fallbacks made of them.
func TestObjectiveOfCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file, err := config.Parse("f", []byte(`
version: 1
service: shop
dependencies:
  pricing: {timeout: {total: 1s}, operations: [{name: search}]}
  backed: {fallback: [{static: {body: '"x"'}}]}
slo:
  - {name: pricing, objective: 99%, dependency: pricing, latency: 100ms}
  - {name: backed, objective: 99%, dependency: backed}
`))
		if err != nil {
			t.Fatal(err)
		}
		set, err := NewSet(file, Options{})
		if err != nil {
			t.Fatal(err)
		}
		call := func(name string, err error, took time.Duration) {
			_, _ = Do(context.Background(), set.MustPolicy(name), func(context.Context) (string, error) {
				time.Sleep(took)
				return "", err
			})
		}
		broken := errors.New("broken")
		call("pricing", nil, 0)
		call("pricing", nil, 200*time.Millisecond)
		call("pricing/search", broken, 0)
		call("pricing", context.Canceled, 0)
		call("backed", broken, 0)
		call("backed", nil, 0)
		_, _ = DoOr(context.Background(), set.MustPolicy("pricing"), func(context.Context) (string, error) {
			return "", broken
		}, func(context.Context, error) (string, error) { return "", nil })
		s := set.Objectives().Snapshot(0)
		if s[0].Counts.Bad != 2 || s[0].Counts.Total < 4 || s[1].Counts != (slo.Counts{Total: 2}) {
			t.Errorf("%+v %+v", s[0].Counts, s[1].Counts)
		}
	})
}

// What was counted outlives the process, unless it now means something else.
func TestStatesOutlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set, _ := promisedSet(t, "enforce")
		var saved map[string][]byte
		saves := 0
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() {
			defer close(done)
			set.Run(ctx, func(states map[string][]byte) { saved = states; saves++ })
		}()
		see(set, 5, 1)
		time.Sleep(25 * time.Second)
		see(set, 1, 0)
		synctest.Wait()
		if saves != 2 {
			t.Errorf("%d saves in 25 s", saves)
		}
		cancel()
		<-done
		next, _ := promisedSet(t, "enforce")
		if err := next.Objectives().Restore(saved); err != nil {
			t.Error(err)
		}
		if c := next.Objectives().Snapshot(0)[0].Counts; c != (slo.Counts{Bad: 1, Total: 7}) {
			t.Errorf("%+v", c)
		}
		file := promisedConfig(t, "enforce")
		file.SLO.Objectives[0].Latency = time.Minute
		other, err := NewSet(file, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Objectives().Restore(saved); err == nil || other.Objectives().Snapshot(0)[0].Counts.Total > 0 {
			t.Errorf("another latency: %v", err)
		}
		if err := other.Objectives().Restore(map[string][]byte{"shop": []byte("x")}); err == nil {
			t.Error("nonsense is restored")
		}
	})
}
