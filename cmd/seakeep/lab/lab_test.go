package lab

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/cmd/seakeep/simulate"
	"github.com/seakeep/seakeep/internal/race"
)

const scenarios = "../../../testdata/scenarios/"

// shipped is a scenario of the repository with a policy in place of its own, and
// shorter, so that a test takes no time.
func shipped(t *testing.T, name, policy string, sets ...string) World {
	t.Helper()
	w := World{Files: map[string]string{}, Sets: sets}
	w.Scenario = read(t, scenarios+name)
	paths, err := filepath.Glob(scenarios + "policies/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatal("no policies:", err)
	}
	for _, path := range paths {
		w.Files["policies/"+filepath.Base(path)] = read(t, path)
	}
	if policy != "" {
		w.Sets = append(w.Sets, "services.checkout.policy=policies/"+policy)
	}
	return w
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func ask(t *testing.T, l *Lab, q Question) (a answer) {
	t.Helper()
	data, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(l.Answer(data), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// Run by run, the lab comes to the very report that the command prints.
func TestReportIsThatOfTheCommand(t *testing.T) {
	race.OneGoroutine(t)
	w := shipped(t, "checkout-cascade.yaml", "checkout-breaker.yaml", "runs=3", "for=12s", "warmup=6s")
	s, err := w.parse()
	if err != nil {
		t.Fatal(err)
	}
	r, err := simulate.Run(t.Context(), simulate.Question{File: name, Scenario: s, Why: true, Sets: w.Sets})
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := r.WriteJSON(&want); err != nil {
		t.Fatal(err)
	}
	var l Lab
	a := ask(t, &l, Question{Op: "start", World: w})
	for a.Error == "" && a.Runs < a.Wanted {
		a = ask(t, &l, Question{Op: "more"})
	}
	a = ask(t, &l, Question{Op: "why"})
	var tight bytes.Buffer // an answer has no room for white space
	if err := json.Compact(&tight, want.Bytes()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Report, tight.Bytes()) || a.Runs != 3 {
		t.Errorf("%q, %d runs; the reports differ:\n%s\n%s", a.Error, a.Runs, a.Report, want.String())
	}
	if again := ask(t, &l, Question{Op: "more"}); again.Runs != 3 {
		t.Errorf("%d runs, the scenario wants 3", again.Runs)
	}
}

// The frames show what the figures say: how many threads are busy, and with
// what.
func TestThreads(t *testing.T) {
	var l Lab
	w := shipped(t, "checkout-cascade.yaml", "checkout-timeout.yaml", "runs=1", "for=20s")
	a := ask(t, &l, Question{Op: "start", World: w})
	v := a.Threads
	if v == nil || v.Service != "checkout" || v.Workers != 200 || len(v.Frames) != 401*200 {
		t.Fatalf("%q: no threads, or not those: %+v", a.Error, v)
	}
	busy, frames := map[string]int{}, 0
	for k := 200; k < 401; k++ { // the second half
		frames++
		for _, b := range v.Frames[k*200 : (k+1)*200] {
			if b != 0 {
				busy[v.Routes[b/4]]++
			}
		}
	}
	slow := float64(busy["recommendations"]) / float64(frames)
	if slow < 68 || slow > 82 {
		t.Errorf("%.1f threads are held by the slow dependency, want about 75", slow)
	}
	if h := a.Held; len(h) != 3 || h[2].Route != "recommendations" || h[2].Mean < slow-2 ||
		h[2].Mean > slow+2 || h[2].Half != nil {
		t.Errorf("%+v, want what the frames show and no interval of one run", h)
	}
	if a := ask(t, &l, Question{Op: "start", World: w, Threads: "pricing"}); a.Threads != nil {
		t.Error("threads of a service that has no bound of them")
	}
}

func TestEdgeAndCompare(t *testing.T) {
	race.OneGoroutine(t)
	var l Lab
	w := shipped(t, "checkout-cascade.yaml", "", "for=12s", "warmup=8s")
	a := ask(t, &l, Question{Op: "edge", World: w, Within: 0.1, Edge: Edge{Runs: 1,
		Key: "changes.0.work.mean", From: "20ms", To: "1s", Until: "endpoints.pricing.success < 99%"}})
	var e struct {
		Found bool    `json:"found"`
		At    float64 `json:"edge_number"`
	}
	if err := json.Unmarshal(a.Edge, &e); err != nil || !e.Found || e.At < 4e8 || e.At > 7.5e8 {
		t.Errorf("%q: edge %+v, want one near 550 ms", a.Error, e)
	}
	other := shipped(t, "checkout-cascade.yaml", "checkout-timeout.yaml", "for=12s", "warmup=8s")
	a = ask(t, &l, Question{Op: "compare", World: w, Other: other, Runs: 2})
	var c struct{ Requests, Saved, Lost int }
	if err := json.Unmarshal(a.Compare, &c); err != nil || c.Requests < 3000 || c.Saved < 3*c.Lost ||
		c.Lost == 0 {
		t.Errorf("%q: %+v, want many saved and some lost", a.Error, c)
	}
}

func TestInspect(t *testing.T) {
	a := ask(t, new(Lab), Question{Op: "inspect", Policy: read(t, scenarios+"policies/checkout-bare.yaml")})
	if a.Policy == nil || a.Policy.Service != "checkout" || len(a.Policy.Dependencies) != 3 || a.Policy.Door {
		t.Errorf("%q: %+v", a.Error, a.Policy)
	}
	a = ask(t, new(Lab), Question{Op: "inspect", Policy: "version: 1\nservice: x\ndependencies:\n  a: {kin: 1}\n"})
	if len(a.Faults) == 0 || a.Faults[0].Line != 4 || a.Faults[0].Problem == "" {
		t.Errorf("%q: %+v", a.Error, a.Faults)
	}
}

func TestMistakes(t *testing.T) {
	var l Lab
	for _, row := range []struct{ question, want string }{
		{"", "EOF"},
		{`{"op":"dance"}`, `"dance" is no question`},
		{`{"op":"start","wrld":{}}`, "unknown field"},
		{`{"op":"more"}`, "nothing has been started"},
		{`{"op":"start","world":{"scenario":"version: 1"}}`, "scenario.yaml"},
		{`{"op":"start","world":{"scenario":"version: 1","sets":["a.b"]}}`, ""},
		{`{"op":"edge","edge":{"until":"nothing"}}`, ""},
	} {
		var a answer
		if err := json.Unmarshal(l.Answer([]byte(row.question)), &a); err != nil {
			t.Fatal(err)
		}
		if a.Error == "" || !strings.Contains(a.Error, row.want) {
			t.Errorf("%s: %q, want %q", row.question, a.Error, row.want)
		}
	}
	w := shipped(t, "checkout-cascade.yaml", "no-such.yaml")
	if a := ask(t, &l, Question{Op: "start", World: w}); len(a.Faults) != 1 ||
		!strings.Contains(a.Faults[0].Problem, "no such file") {
		t.Errorf("%+v", a.Faults)
	}
}
