package study

import (
	"math"
	"testing"
)

const longCalls = `version: 1
name: long
for: 3500ms
clients:
  users: {to: shop, rate: 1/s, arrivals: even, policy: policy.yaml, dependency: shop}
services:
  shop: {work: 1h}
`

const longPolicy = `version: 1
service: users
dependencies:
  shop:
    timeout: {request: 1s}
    retry: {attempts: 5, backoff: {base: 0s, jitter: none}, budget: none, idempotent: always}
`

// A call that has not ended has made its attempts all the same.
func TestAmplificationOfLongCalls(t *testing.T) {
	s := scenarioOf(t, longCalls, map[string]string{"policy.yaml": longPolicy})
	f, err := Summarise(runs(t, s, 1)).Get("dependencies.users.shop.amplification")
	if err != nil || f.Mean != 2 { // 3 of the first second's, 2 and 1
		t.Errorf("%+v, %v", f, err)
	}
	s.Clients[0].Rate = 0
	if f, _ = Summarise(runs(t, s, 1)).Get("dependencies.users.shop.amplification"); !math.IsNaN(f.Mean) {
		t.Errorf("without calls: %+v", f)
	}
}

// A name that a later policy brings can be asked for before anything has run.
func TestKeysOfALaterPolicy(t *testing.T) {
	s := scenarioOf(t, `version: 1
name: later
for: 2s
clients: {users: {to: front, rate: 10/s}}
services:
  front: {policy: a.yaml, calls: [back]}
  back: {work: 1ms}
  spare: {work: 1ms}
changes:
  - {at: 1s, service: front, policy: b.yaml}
`, map[string]string{
		"a.yaml": "version: 1\nservice: front\ndependencies: {back: {kind: optional}}\n",
		"b.yaml": "version: 1\nservice: front\ndependencies: {back: {kind: optional, " +
			"fallback: [{dependency: spare}]}, spare: {kind: optional}}\n"})
	blank, err := Blank(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, sum := range []*Summary{blank, Summarise(runs(t, s, 2))} {
		if _, err := sum.Get("dependencies.front.spare.calls"); err != nil {
			t.Error(err)
		}
	}
}
