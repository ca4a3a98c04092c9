package study

import (
	"strings"
	"testing"

	"github.com/seakeep/seakeep/internal/race"
)

func notes(t *testing.T, s string, policies map[string]string) string {
	t.Helper()
	sc := scenarioOf(t, s, policies)
	return strings.Join(Notes(sc, Summarise(runs(t, sc, 2))), "\n")
}

func expectNote(t *testing.T, notes, want string) {
	t.Helper()
	if !strings.Contains(notes, want) {
		t.Errorf("the notes miss %q:\n%s", want, notes)
	}
}

// The checkout model's own numbers: 22 workers when all is well, 348.7 when
// recommendations take a second, of which 200 are 57.4 %, and a queue that is of
// use up to 573 places.
func TestNotesOfCheckout(t *testing.T) {
	race.OneGoroutine(t)
	const text = `version: 1
name: checkout
for: 20s
warmup: 2s
clients:
  users: {to: checkout, rate: 1000/s, patience: 1s, routes: {pricing: 2, recommendations: 1}}
services:
  checkout:
    policy: p.yaml
    workers: 200
    queue: {rule: fifo, length: 20}
    ignore-deadline: true
    routes:
      pricing: {work: 2ms, calls: [pricing]}
      recommendations: {work: 2ms, calls: [recommendations]}
  pricing: {work: {floor: 5ms, mean: 20ms}}
  recommendations: {work: {floor: 5ms, mean: 20ms}, capacity: {rate: 400/s}}
changes:
  - {at: 10s, service: recommendations, work: {floor: 5ms, mean: 1s}}
`
	const policy = "version: 1\nservice: checkout\ndependencies:\n  pricing: {kind: optional}\n" +
		"  recommendations: {kind: optional"
	got := notes(t, text, map[string]string{"p.yaml": policy + "}\n"})
	expectNote(t, got, "checkout, 2.00 s to 10.00 s: 1000/s x 22 ms = 22 workers (Little's law), "+
		"it has 200; measured 2")
	expectNote(t, got, "checkout, 10.00 s to 20.00 s: 1000/s x 348.7 ms = 348.7 workers (Little's law), "+
		"it has 200, enough for 57.36 % and for a queue of up to 573 places; measured 1")
	// A limit of 250 ms leaves 222 ms of it.
	got = notes(t, text, map[string]string{"p.yaml": policy + ", timeout: {request: 250ms}}\n"})
	expectNote(t, got, "1000/s x 89.39 ms = 89.39 workers (Little's law), it has 200; measured 8")
	// Above its gate the time of a call is another one.
	got = notes(t, strings.Replace(text, "400/s", "300/s", 1), map[string]string{"p.yaml": policy + "}\n"})
	if strings.Contains(got, "Little") {
		t.Errorf("a formula for what it does not know:\n%s", got)
	}
}

func TestNotesOfRetries(t *testing.T) {
	const text = `version: 1
name: storm
for: 20s
clients: {users: {to: a, rate: 20/s, patience: 5s, policy: p.yaml}}
services:
  a: {policy: p.yaml, unmarked: true, work: 1ms, calls: [b]}
  b: {policy: p.yaml, unmarked: true, work: 1ms, calls: [{dependency: c, to: db}]}
  db: {work: 1ms, fails: 100%, status: 503}
`
	const policy = "version: 1\nservice: x\ndependencies:\n  a: &x {retry: {attempts: 3, backoff: " +
		"{base: 1ms}, idempotent: always, budget: BUDGET}}\n  b: *x\n  c: *x\n"
	policies := map[string]string{"p.yaml": strings.Replace(policy, "BUDGET", "none", 1)}
	got := notes(t, text, policies)
	expectNote(t, got, "users > a > b > db: one request can become 3 x 3 x 3 = 27 attempts; measured 2")
	sc := scenarioOf(t, text, policies)
	sum := Summarise(runs(t, sc, 2))
	w := way{names: "users", product: 1}.then(sc, "users", "a", "a").worst(sc, sc.Service("a"))
	if f := sum.amplified(sc, w); w.product != 27 || f.Mean < 26.5 || f.Mean > 27 {
		t.Errorf("%d attempts at most, measured %v", w.product, f.Mean)
	}
	policies["p.yaml"] = strings.Replace(policy, "BUDGET", "{ratio: 10%, floor: 0/s}", 1)
	got = notes(t, text, policies)
	expectNote(t, got, "= 27 attempts, if the retry budgets let it; measured 1")
	// One layer needs no product, and none no note.
	policies["p.yaml"] = "version: 1\nservice: x\ndependencies:\n  a: {kind: optional}\n  b: {kind: optional}\n" +
		"  c: {retry: {attempts: 2, budget: none}}\n"
	expectNote(t, notes(t, text, policies), "users > a > b > db: one request can become 2 attempts; measured")
	policies["p.yaml"] = "version: 1\nservice: x\ndependencies: {a: {kind: optional}, b: {kind: optional}, c: {kind: optional}}\n"
	if got := notes(t, text, policies); got != "" {
		t.Errorf("notes where there is nothing to note:\n%s", got)
	}
}

func TestAssumptions(t *testing.T) {
	s := scenarioOf(t, `version: 1
name: all
for: 10s
clients: {users: {to: web, rate: 20/s, policy: p.yaml}}
services:
  web:
    policy: p.yaml
    workers: 5
    queue: {rule: fifo, length: 7, drop-expired: true}
    release-while-waiting: true
    abandoned: stops
    ignore-deadline: true
    unmarked: true
    work: 1ms
    calls: [db]
  db: {work: 1ms, workers: 2, queue: lifo, capacity: {rate: 9/s, over: refuse}}
`, map[string]string{"p.yaml": "version: 1\nservice: web\ndependencies:\n  web: &x {retry: {attempts: 2}, " +
		"breaker: {window: 20 calls, failures: 50%, open: 5s, counts: calls}}\n  db: *x\n"})
	want := `services.web.queue={rule: fifo, length: 7}
services.web.queue.drop-expired=true
services.web.release-while-waiting=true
services.web.abandoned=stops
services.web.ignore-deadline=true
services.web.unmarked=true
services.db.queue={rule: lifo}
services.db.queue.drop-expired=false
services.db.capacity={rate: 9/s, over: refuse}
services.db.abandoned=runs-on
web:dependencies.web.breaker.counts=calls
web:dependencies.db.breaker.counts=calls
users:dependencies.web.breaker.counts=calls
users:dependencies.db.breaker.counts=calls
`
	got := ""
	for _, a := range Assumptions(s) {
		got += a.Key + "=" + a.Value + "\n"
		if a.Text == "" {
			t.Errorf("%s means nothing", a.Key)
		}
	}
	if got != want {
		t.Errorf("assumptions are\n%swant\n%s", got, want)
	}
	plain := scenarioOf(t, twoShops, nil)
	if all := Assumptions(plain); len(all) != 0 {
		t.Errorf("a service that cannot be full assumes %v", all)
	}
}
