package simulate

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim/study"
)

// Nobody can tell from a report how many processors there were, nor whether
// somebody listened to the first run.
func TestRunIsTheSameWithAnyProcessors(t *testing.T) {
	text := func(procs int, page bool) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		q := question(t)
		q.Page = page
		var b strings.Builder
		if err := report(t, q).WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	first := text(1, false)
	for _, procs := range []int{1, 2, 3} {
		if text(procs, false) != first || text(procs, true) != first {
			t.Errorf("with %d processors the report is another one", procs)
		}
	}
}

func TestRunUntilItIsExactEnough(t *testing.T) {
	q := question(t, "runs", "5")
	before := report(t, q)
	f, err := before.Summary.Get("endpoints.buy.p50")
	if err != nil || before.Summary.Runs != 5 {
		t.Fatal(err)
	}
	q.Wishes = []study.Wish{{Key: "services.shop.busy", Half: 0.05}}
	after := report(t, q)
	if g, err := after.Summary.Get("services.shop.busy"); err != nil || g.Half > 0.05 ||
		after.Summary.Runs <= 5 || len(after.Unmet) > 0 {
		t.Errorf("after %d runs ±%v, unmet %v (%v)", after.Summary.Runs, g.Half, after.Unmet, err)
	}
	q.Wishes = []study.Wish{{Key: f.Key, Half: 10 * f.Half}}
	if r := report(t, q); r.Summary.Runs != 5 {
		t.Errorf("%d runs for what 5 were good for", r.Summary.Runs)
	}
}

func TestRunGivesUp(t *testing.T) {
	q := question(t, "for", "1s", "warmup", "0s", "changes", "", "expect", "", "clients.users.rate", "1/s")
	q.Wishes = []study.Wish{{Key: "endpoints.buy.success", Half: 1e-9}}
	q.Most = 30
	r := report(t, q)
	if r.Summary.Runs != 30 || len(r.Unmet) != 1 {
		t.Fatalf("%d runs, unmet %v", r.Summary.Runs, r.Unmet)
	}
	var b strings.Builder
	if err := r.WriteText(&b, Style{}); err != nil || !strings.Contains(b.String(), r.Unmet[0]) {
		t.Errorf("the report does not say so (%v)", err)
	}
}

func TestRunEndsEarly(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	gone := errors.New("gone")
	cancel(gone)
	if r, err := Run(ctx, question(t)); !errors.Is(err, gone) || r != nil {
		t.Errorf("%v, %v", r, err)
	}
}

func TestCheck(t *testing.T) {
	q := question(t)
	if err := q.Check(); err != nil {
		t.Error(err)
	}
	q.Wishes = []study.Wish{{Key: "endpoints.bye.success", Half: 1}}
	if err := q.Check(); err == nil || !strings.HasPrefix(err.Error(), "there is no figure endpoints.bye.success") {
		t.Errorf("%v", err)
	}
	q = question(t)
	e, err := config.ParseExpectation("services.shop.bussy < 3")
	if err != nil {
		t.Fatal(err)
	}
	q.Scenario.Expect = append(q.Scenario.Expect, e)
	if err := q.Check(); err == nil || !strings.HasPrefix(err.Error(), `expect "services.shop.bussy < 3"`) {
		t.Errorf("%v", err)
	}
}

func TestFailed(t *testing.T) {
	q := question(t, "expect", "[endpoints.buy.success > 101, services.shop.busy > 0, services.shop.busy < 0]")
	if r := report(t, q); r.Failed() != 2 || len(r.Findings) != 3 {
		t.Errorf("%d of %+v fail", r.Failed(), r.Findings)
	}
}
