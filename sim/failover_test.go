package sim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/race"
)

// scenario reads a scenario whose services and clients name "policy.yaml".
func scenario(t *testing.T, text, policy string) *config.Scenario {
	t.Helper()
	s, err := config.ParseScenario("s.yaml", []byte(text), func(string) ([]byte, error) {
		return []byte(policy), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A notification service's rule, over 20 % errors in 30 s, next to none: with a
// second provider hardly a call fails, though the first is down for three
// minutes and half well for three more.
func TestASecondProvider(t *testing.T) {
	race.OneGoroutine(t)
	d, err := config.OpenDraft("../testdata/scenarios/second-provider.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.Parse()
	if err != nil {
		t.Fatal(err)
	}
	var moves []string
	r, err := Run(s, Options{Trace: func(e core.Event) {
		if e.Kind == core.FailoverChanged {
			at := int(e.At / core.Instant(1e9))
			moves = append(moves, fmt.Sprintf("%d %s %s", at, e.To, e.Reason))
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	without := shipped(t, "second-provider", "dependencies.mail.failover=")
	on, _ := r.Endpoint("send").Outcomes.Success()
	off, _ := without.Endpoint("send").Outcomes.Success()
	if on < 0.985 || off > 0.7 {
		t.Errorf("%.2f %% succeed with a second provider and %.2f %% without", 100*on, 100*off)
	}
	if len(moves) < 3 || !strings.HasSuffix(moves[0], "second failure-rate") ||
		!strings.HasSuffix(moves[len(moves)-1], "first trials-passed") {
		t.Errorf("moves %v", moves)
	}
	first := 0
	if _, err := fmt.Sscan(moves[0], &first); err != nil || first < 60 || first > 70 {
		t.Errorf("calls move after %d s", first)
	}
	t.Logf("%.2f %% with, %.2f %% without; %s", 100*on, 100*off, strings.Join(moves, ", "))
}

// A route of the second provider by the same name is asked, and what stands in
// for a dependency may have a second provider too.
func TestSecondProvidersOfFallbacks(t *testing.T) {
	const text = `version: 1
name: x
for: 60s
clients: {users: {to: front, rate: 50/s}}
services:
  front: {policy: policy.yaml, routes: {r: {calls: [{dependency: a, to: a, route: send}]}}}
  a: {routes: {send: {work: 1ms, fails: 100%}}}
  b: {routes: {send: {work: 1ms, fails: 100%}}}
  c: {routes: {other: {work: 1ms, fails: 100%}, send: {work: 1ms}}}
`
	const policy = `version: 1
service: front
dependencies:
  a: {fallback: [dependency: b]}
  b: {failover: {to: c}}
  c: {}
`
	r := run(t, scenario(t, text, policy), 0)
	o := r.Endpoint("r").Outcomes
	if ok, _ := o.Success(); ok < 0.98 || o.Failed() < 15 || o.Failed() > 30 {
		t.Errorf("%+v", o)
	}
}
