package seakeeptest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/internal/race"
)

// judge is a test whose verdict is looked at and does not count.
type judge struct {
	testing.TB
	failed bool
	fatal  bool
	text   strings.Builder
}

func (j *judge) Helper() {}

func (j *judge) Logf(format string, args ...any) { fmt.Fprintf(&j.text, format+"\n", args...) }

func (j *judge) Errorf(format string, args ...any) {
	j.failed = true
	j.Logf(format, args...)
}

func (j *judge) Fatalf(format string, args ...any) {
	j.fatal = true
	j.Errorf(format, args...)
	runtime.Goexit()
}

func (j *judge) Fatal(args ...any) { j.Fatalf("%s", fmt.Sprint(args...)) }

// judged runs a test and returns its verdict.
func judged(t *testing.T, test func(testing.TB)) *judge {
	j := &judge{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(j)
	}()
	<-done
	return j
}

const (
	slow       = "testdata/slow-pricing.yaml"
	outOfOrder = "../testdata/scenarios/deadlines-out-of-order.yaml"
)

// quick is enough to see what the tests here look for.
var quick = []string{"for=8s", "runs=2"}

func TestWantPasses(t *testing.T) {
	j := judged(t, func(t testing.TB) {
		f := Simulate(t, slow, quick...)
		f.Want()
		f.Want("endpoints.inventory.p99 < 200ms", "services.checkout.rate > 500/s",
			"dependencies.checkout.inventory.amplification <= 1")
	})
	if j.failed || j.text.Len() > 0 {
		t.Errorf("failed %v: %s", j.failed, &j.text)
	}
}

// A failing test must tell what was wanted, what came out, and why.
func TestWantTellsWhy(t *testing.T) {
	j := judged(t, func(t testing.TB) {
		f := SimulatePolicy(t, "testdata/bare.yaml", slow, quick...)
		f.Want("endpoints.inventory.success > 99%", "endpoints.pricing.sent > 1/s",
			"endpoints.recommendations.success > 99.5%")
	})
	if !j.failed || j.fatal {
		t.Fatalf("failed %v, fatal %v", j.failed, j.fatal)
	}
	text := j.text.String()
	for _, want := range []string{"want endpoints.inventory.success > 99%, got 7",
		"want endpoints.recommendations.success > 99.5%, got 7",
		"in " + slow + " with testdata/bare.yaml, for=8s, runs=2, 2 runs of 8s:",
		"endpoints.pricing: success", "services.checkout: rate", "dependencies.checkout.pricing: attempts",
		"how it came about, in the first run:", "all 200 workers busy", "5.00 s"} {
		if !strings.Contains(text, want) {
			t.Errorf("the message does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "pricing.sent") {
		t.Errorf("the message tells of what holds:\n%s", text)
	}
}

func TestWantLogsWhatIsNotSure(t *testing.T) {
	j := judged(t, func(t testing.TB) {
		f := Simulate(t, slow, quick...)
		v := f.Get("services.checkout.rate")
		f.Want(fmt.Sprintf("services.checkout.rate > %f/s", v.Mean-v.Half/2))
	})
	if j.failed || !strings.Contains(j.text.String(), "holds, but not surely") {
		t.Errorf("failed %v: %s", j.failed, &j.text)
	}
}

func TestFigures(t *testing.T) {
	f := Simulate(t, slow, quick...)
	v := f.Get("endpoints.inventory.success")
	if v.Mean < 0.99 || v.Low > v.Mean || v.High < v.Mean || len(v.Runs) != 2 || v.Half <= 0 {
		t.Errorf("%+v", v)
	}
	if !f.Holds("endpoints.inventory.success > 99%") || f.Holds("endpoints.inventory.success < 99%") {
		t.Error("a statement and its opposite")
	}
	if text := f.String(); !strings.HasPrefix(text, slow+", for=8s, runs=2, 2 runs of 8s:\n") ||
		strings.Count(text, "\n") < 10 {
		t.Errorf("%s", text)
	}
	if len(f.Keys()) < 50 {
		t.Errorf("%d keys", len(f.Keys()))
	}
	if again := Simulate(t, slow, quick...); again.String() != f.String() {
		t.Errorf("the second time:\n%v\nthe first:\n%v", again, f)
	}
}

func TestSetsChangeWhatTheySay(t *testing.T) {
	rate := Simulate(t, slow, "for=8s", "runs=1", "clients.users.rate = 100/s").Get("services.checkout.rate")
	if rate.Mean < 80 || rate.Mean > 120 {
		t.Errorf("the rate is %v", rate.Mean)
	}
	f := Simulate(t, slow, "for=8s", "runs=1", "checkout:dependencies.pricing.retry.attempts=2")
	if a := f.Get("dependencies.checkout.pricing.amplification"); a.Mean < 1.02 || a.Mean > 2 {
		t.Errorf("with two attempts at most there are %v for a call", a.Mean)
	}
}

func TestMistakesEndTheTest(t *testing.T) {
	short := []string{"for=1s", "warmup=0s", "runs=1", "changes="}
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	if err := os.WriteFile(bad, []byte("version: 1\nservice: other\ndependencies: {x: {colour: 1}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.yaml")
	if err := os.WriteFile(other, []byte("version: 1\nservice: other\ndependencies: {pricing: {}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, test := range map[string]func(testing.TB){
		"no such file":              func(t testing.TB) { Simulate(t, "testdata/gone.yaml") },
		"there is no such file":     func(t testing.TB) { Simulate(t, slow, "services.checkout.policy=gone.yaml") },
		`"x" is no change`:          func(t testing.TB) { Simulate(t, slow, "x") },
		"did you mean \"workers\"?": func(t testing.TB) { Simulate(t, slow, "services.checkout.worker=3") },
		"colour":                    func(t testing.TB) { SimulatePolicy(t, bad, slow) },
		"inventory":                 func(t testing.TB) { SimulatePolicy(t, other, slow) }, // it lacks that one
		"did you mean endpoints.i":  func(t testing.TB) { Simulate(t, slow, short...).Get("endpoints.inventori.success") },
		"is not a statement":        func(t testing.TB) { Simulate(t, slow, short...).Want("all is well") },
		"there is no figure":        func(t testing.TB) { Simulate(t, slow, short...).Want("endpoints.x.success > 1%") },
		"there is nothing to want":  func(t testing.TB) { Simulate(t, slow, append(short, "expect=")...).Want() },
		"names no policy file that": func(t testing.TB) {
			SimulatePolicy(t, other, "../testdata/scenarios/streaming-queue.yaml")
		},
		`names policies of "checkout", "gateway"`: func(t testing.TB) {
			SimulatePolicy(t, other, outOfOrder)
		},
	} {
		j := judged(t, test)
		if !j.fatal || !strings.Contains(j.text.String(), want) {
			t.Errorf("want a message with %q, got %q", want, &j.text)
		}
	}
}

// A file that several services share is exchanged for all of them.
func TestPolicyOfManyServices(t *testing.T) {
	race.OneGoroutine(t)
	const storm = "../testdata/scenarios/retry-storm.yaml"
	before := Simulate(t, storm, "runs=1").Get("services.database.rate")
	after := SimulatePolicy(t, "../testdata/scenarios/policies/storm-budget.yaml", storm, "runs=1").
		Get("services.database.rate")
	if before.Mean < 1000 || after.Mean > 100 {
		t.Errorf("%v queries a second before, %v after", before.Mean, after.Mean)
	}
}
