package seakeep_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/failover"
	"github.com/seakeep/seakeep/core/retry"
)

const twoProviders = `version: 1
service: notify
dependencies:
  mail:
    retry: {attempts: 2, backoff: {base: 0s}, idempotent: always}
    failover: {to: other, share: 20%, window: 30s, calls: 10, back: {after: 60s, begin: 25%, step: 10s, calls: 2}}
    operations:
      - {name: urgent}
      - {name: bulk}
  other:
    operations:
      - {name: urgent}
`

func setOf(t *testing.T, text string, o seakeep.Options) *seakeep.Set {
	t.Helper()
	file, err := config.Parse("seakeep.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	set, err := seakeep.NewSet(file, o)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

var errDown = errors.New("down")

// provider is the first of two providers, which may be down; the second never is.
type provider struct {
	set  *seakeep.Set
	down bool
	seen []string
}

func (p *provider) send(ctx context.Context, name string) (string, error) {
	return seakeep.DoFailover(ctx, p.set, name, func(_ context.Context, dependency string) (string, error) {
		p.seen = append(p.seen, dependency)
		if p.down && dependency == "mail" {
			return "", errDown
		}
		return dependency, nil
	})
}

var safe = seakeep.With(context.Background(), seakeep.Call{Idempotent: true})

func TestDoFailover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &changes{}
		p := &provider{set: setOf(t, twoProviders, seakeep.Options{Observer: log,
			Draw: func() float64 { return 0.2 }})}
		for range 40 {
			if got, err := p.send(safe, "mail"); got != "mail" || err != nil {
				t.Fatal(got, err)
			}
		}
		p.down = true
		failed := 0
		for {
			got, err := p.send(safe, "mail")
			if got == "other" {
				break
			}
			if failed++; !errors.Is(err, errDown) || failed > 10 {
				t.Fatal(failed, got, err)
			}
		}
		if failed != 10 { // of 50 a fifth
			t.Errorf("after %d failures", failed)
		}
		if s, ok := p.set.Failover("mail"); !ok || s.State != failover.Second || s.ToSecond != 1 {
			t.Errorf("%+v", s)
		}
		// A call that may not run twice stays with the first, with a key too.
		keyed := seakeep.With(context.Background(), seakeep.Call{IdempotencyKey: "k"})
		for _, ctx := range []context.Context{context.Background(), keyed} {
			if _, err := p.send(ctx, "mail"); !errors.Is(err, errDown) {
				t.Errorf("it went elsewhere: %v", err)
			}
		}
		// A minute later the first is back, and gets its calls back step by step.
		p.down = false
		for range 4 {
			time.Sleep(61 * time.Second)
			_, _ = p.send(safe, "mail")
			_, _ = p.send(safe, "mail")
		}
		if s, _ := p.set.Failover("mail"); s.State != failover.First {
			t.Errorf("%+v", s)
		}
		if want := []string{"first second", "second returning", "returning first"}; !slices.Equal(log.all(), want) {
			t.Errorf("changes %v", log.all())
		}
	})
}

// changes are those of a failover.
type changes struct {
	mu   sync.Mutex
	list []string
}

func (c *changes) Observe(e core.Event) {
	if e.Kind == core.FailoverChanged {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.list = append(c.list, e.From+" "+e.To)
	}
}

func (c *changes) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.list
}

// An operation runs under its own policy at the second provider too, if that has
// one of the name. fn hears of the dependency.
func TestDoFailoverOfAnOperation(t *testing.T) {
	p := &provider{set: setOf(t, twoProviders, seakeep.Options{}), down: true}
	for range 10 {
		_, _ = p.send(safe, "mail")
	}
	for _, c := range [][2]string{{"mail/urgent", "other/urgent"}, {"mail/bulk", "other"}} {
		var r seakeep.Report
		ctx := seakeep.With(context.Background(), seakeep.Call{Idempotent: true, Report: &r})
		if got, err := p.send(ctx, c[0]); got != "other" || err != nil || r.Policy != c[1] {
			t.Errorf("%s: %q, %v, under %q", c[0], got, err, r.Policy)
		}
	}
	if _, err := p.send(safe, "sms"); err == nil {
		t.Error("a dependency that is not there is called")
	}
}

// What a retry mends is no failure, and a fallback's answer is no success.
func TestFailoverCountsCalls(t *testing.T) {
	const text = `version: 1
service: s
dependencies:
  a:
    retry: {attempts: 2, backoff: {base: 0s}, budget: none}
    fallback: [static: {body: made}]
    failover: {to: b, calls: 5, share: 50%}
  b: {}
`
	set := setOf(t, text, seakeep.Options{})
	n := 0
	every := func(bad func(int) bool) {
		for range 20 {
			_, _ = seakeep.DoFailover(safe, set, "a", func(context.Context, string) (string, error) {
				if n++; bad(n) {
					return "", errDown
				}
				return "sent", nil
			})
		}
	}
	every(func(n int) bool { return n%2 == 1 })
	if s, _ := set.Failover("a"); s.State != failover.First || s.Calls.Failed != 0 || s.Calls.Calls != 20 {
		t.Errorf("%+v", s)
	}
	for range 20 {
		every(func(int) bool { return true })
	}
	if s, _ := set.Failover("a"); s.State != failover.Second {
		t.Errorf("%+v", s)
	}
}

// Refusals by the first's breaker count: nobody would be served otherwise.
func TestFailoverCountsRefusals(t *testing.T) {
	const text = `version: 1
service: s
dependencies:
  a: {breaker: {window: {consecutive: 3}}, failover: {to: b, calls: 10}}
  b: {}
`
	p := 0
	set := setOf(t, text, seakeep.Options{})
	for range 10 {
		_, _ = seakeep.DoFailover(safe, set, "a", func(context.Context, string) (int, error) {
			p++
			return 0, errDown
		})
	}
	if s, _ := set.Failover("a"); s.State != failover.Second || p != 3 {
		t.Errorf("%d attempts, %+v", p, s)
	}
}

// Keyed calls go along if the file says that both know the keys; and a reload
// keeps the state, unless the second provider is another.
func TestFailoverWritesAndReload(t *testing.T) {
	text := func(more string) string {
		return "version: 1\nservice: s\ndependencies:\n  a: {failover: {to: " + more + "}}\n  b: {}\n  c: {}\n"
	}
	set := setOf(t, text("b, calls: 1, writes: keyed"), seakeep.Options{})
	end := seakeep.Ending{}
	end.Verdict, end.Last.Outcome = 3, core.Failure // call.Failed
	set.Turn("a", retry.Unknown).Ended(&end)
	for safety, to := range map[retry.Safety]string{retry.Idempotent: "b", retry.Keyed: "b", retry.Unknown: ""} {
		if got := set.Turn("a", safety).To(); got != to {
			t.Errorf("%v goes to %q", safety, got)
		}
	}
	apply := func(text string) {
		file, err := config.Parse("f", []byte(text))
		if err == nil {
			err = set.Apply(file)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	apply(text("b, calls: 7"))
	if got := set.Turn("a", retry.Idempotent).To(); got != "b" {
		t.Errorf("after a reload it goes to %q", got)
	}
	if got := set.Turn("a", retry.Keyed).To(); got != "" {
		t.Errorf("a keyed write goes to %q", got)
	}
	apply(text("c"))
	if got := set.Turn("a", retry.Idempotent).To(); got != "" {
		t.Errorf("with another provider it goes to %q", got)
	}
	if (seakeep.Turn{}).To() != "" || set.Turn("b", retry.Idempotent).To() != "" {
		t.Error("a dependency without a failover has one")
	}
	if _, ok := set.Failover("b"); ok {
		t.Error("a dependency without a failover has a state")
	}
}

// A failover that only watches reports its moves, and calls stay.
func TestFailoverObserved(t *testing.T) {
	const text = "version: 1\nservice: s\ndependencies:\n" +
		"  a: {failover: {to: b, calls: 5, mode: observe}}\n  b: {}\n"
	var seen []core.Event
	set := setOf(t, text, seakeep.Options{Observer: observed(func(e core.Event) {
		if e.Kind == core.FailoverChanged {
			seen = append(seen, e)
		}
	})})
	for range 10 {
		_, _ = seakeep.DoFailover(safe, set, "a", func(_ context.Context, dependency string) (int, error) {
			if dependency != "a" {
				t.Error("a call moves")
			}
			return 0, errDown
		})
	}
	s, _ := set.Failover("a")
	if s.State != failover.Second || len(seen) != 1 || !seen[0].Observed || seen[0].Detail != "b" {
		t.Errorf("%+v, %+v", s, seen)
	}
}

type observed func(core.Event)

func (f observed) Observe(e core.Event) { f(e) }
