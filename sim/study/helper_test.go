package study

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim"
)

// scenarioOf reads a scenario and the policy files that it names.
func scenarioOf(t testing.TB, text string, policies map[string]string) *config.Scenario {
	t.Helper()
	s, err := config.ParseScenario("s.yaml", []byte(text), func(path string) ([]byte, error) {
		p, ok := policies[path]
		if !ok {
			return nil, fmt.Errorf("no file %s", path)
		}
		return []byte(p), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// runs makes so many runs of a scenario.
func runs(t testing.TB, s *config.Scenario, n int) []*sim.Result {
	t.Helper()
	var all []*sim.Result
	for seed := range n {
		r, err := sim.Run(s, sim.Options{Seed: uint64(seed)})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// told runs a scenario once and tells why.
func told(t testing.TB, s *config.Scenario) []Cause {
	t.Helper()
	l := NewLog(s.For)
	r, err := sim.Run(s, sim.Options{Trace: l.Observe})
	if err != nil {
		t.Fatal(err)
	}
	return Why(s, r, l)
}

// expectTale checks that causes come in the given order, each line being a kind
// and a part of its text. Others may stand between them.
func expectTale(t *testing.T, causes []Cause, want string) {
	t.Helper()
	k := 0
	for _, line := range strings.Split(strings.TrimSpace(want), "\n") {
		kind, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		for ; k < len(causes); k++ {
			if causes[k].Kind.String() == kind && strings.Contains(causes[k].Text, text) {
				break
			}
		}
		if k == len(causes) {
			t.Errorf("the tale misses, or has too early: %s\n%s", strings.TrimSpace(line), show(causes))
			return
		}
		k++
	}
}

func show(causes []Cause) string {
	var b strings.Builder
	for _, c := range causes {
		fmt.Fprintf(&b, "%8.3f %-9s %s\n", c.At.Seconds(), c.Kind, c.Text)
	}
	return b.String()
}

// hasKind reports whether a cause of a kind is among them.
func hasKind(causes []Cause, k Kind) bool {
	for _, c := range causes {
		if c.Kind == k {
			return true
		}
	}
	return false
}

// checkout is the model of the checkout page, with the rungs of its policy for
// recommendations, and what else the file says.
func checkout(t testing.TB, rungs, rest string) *config.Scenario {
	t.Helper()
	policy := "version: 1\nservice: checkout\ndependencies:\n  pricing: {kind: optional}\n" +
		"  recommendations:\n    kind: optional\n" + rungs
	return scenarioOf(t, `version: 1
name: checkout
for: 30s
clients:
  users: {to: checkout, rate: 600/s, patience: 1s, routes: {pricing: 1, recommendations: 1}}
services:
  checkout:
    policy: p.yaml
    workers: 120
    queue: {rule: fifo, length: 12}
    ignore-deadline: true
    routes:
      pricing: {work: 2ms, calls: [pricing]}
      recommendations: {work: 2ms, calls: [recommendations]}
  pricing: {work: {floor: 5ms, mean: 20ms}}
  recommendations: {work: {floor: 5ms, mean: 20ms}}
`+rest, map[string]string{"p.yaml": policy})
}

// slow lets recommendations take a second for ten seconds.
const slow = "changes:\n  - {at: 5s, for: 10s, service: recommendations, work: {floor: 5ms, mean: 1s}}\n"
