package study

import (
	"strings"
	"testing"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/sim"
)

const doorScenario = `version: 1
name: doors
for: 40s
warmup: 5s
clients:
  plus: {to: shop, rate: 40/s, patience: 1s, criticality: critical_plus}
  spare: {to: shop, rate: 10/s, patience: 1s, criticality: sheddable, tenant: acme}
  others: {to: plain, rate: 10/s}
services:
  shop:
    policy: shop.yaml
    workers: 2
    queue: fifo
    routes:
      page: {work: {mean: 15ms}, features: {prefetch: 5ms, ads: 5ms}}
  plain: {work: 1ms}
changes:
  - {at: 10s, for: 15s, client: spare, rate: 200/s}
  - {at: 30s, for: 5s, service: shop, admit: 40%, ramp: 2s}
`

func doorPolicies(rungs string) map[string]string {
	return map[string]string{"shop.yaml": `version: 1
service: shop
serve:
  deadline: {default: 1s}
  concurrency: {min: 2, limit: 4, max: 40}
  queue: {length: 20}
` + rungs}
}

// The figures of doors are their counts over the time that is measured, and can
// be asked for where there is a door.
func TestDoorFigures(t *testing.T) {
	s := scenarioOf(t, doorScenario, doorPolicies("  shed: {}\n  tenants: {header: T, limit: 3}\n"))
	all := runs(t, s, 2)
	sum := Summarise(all)
	if len(sum.Doors) != core.Criticalities || len(sum.Refusals) != 1 ||
		sum.Doors[0].Key != "doors.shop.critical_plus" || sum.Refusals[0].Key != "doors.shop.refused" {
		t.Fatalf("rows %+v, %+v", sum.Doors, sum.Refusals)
	}
	spare, shed := 0.0, 0.0
	for _, r := range all {
		d := r.Services[0].Door
		spare += float64(d.Classes[core.Sheddable.Index()].Refused) / 35 / 2
		for _, x := range d.Refused {
			if x.Reason == core.TenantLimit {
				shed += float64(x.Count) / 35 / 2
			}
		}
	}
	for key, want := range map[string]float64{"doors.shop.sheddable.refused": spare,
		"doors.shop.refused.tenant-limit": shed} {
		if f, err := sum.Get(key); err != nil || !near(f.Mean, want, 1e-9*want) || want < 10 {
			t.Errorf("%s is %+v, want %v (%v)", key, f, want, err)
		}
	}
	blank, err := Blank(s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := blank.Get("doors.shop.critical.useful"); err != nil {
		t.Error(err)
	}
	if _, err := blank.Get("doors.plain.critical.useful"); err == nil {
		t.Error("a service without a door has figures of one")
	}
}

// Every refusal is one for a reason that the report has a column for.
func TestDoorReasonsAreAll(t *testing.T) {
	s := scenarioOf(t, doorScenario, doorPolicies("  shed: {}\n  tenants: {header: T, limit: 3}\n"))
	r := runs(t, s, 1)[0]
	sum := Summarise([]*sim.Result{r})
	counted, refused := 0.0, 0.0
	for _, f := range sum.Refusals[0].Figures {
		counted += f.Mean
	}
	for i := range sum.Doors {
		refused += sum.Doors[i].Figure(Refused).Mean
	}
	if !near(counted, refused, 1e-9*refused) || refused < 10 {
		t.Errorf("%v refused a second, %v for a known reason", refused, counted)
	}
}

func TestWhyTellsOfDoors(t *testing.T) {
	expectTale(t, told(t, scenarioOf(t, doorScenario, doorPolicies("  shed: {}\n"))), `
		given spare: 10/s -> 200/s
		turned shop refuses: its door, for shed (
		given an operator lets 40 % of the demand into shop, and everything after 2s
		turned shop refuses: its door, for admission-reduced (100 %)
		given an operator lets everything into shop again`)
	expectTale(t, told(t, scenarioOf(t, doorScenario, doorPolicies("  tenants: {header: T, limit: 1}\n"))), `
		turned shop refuses: its door, for tenant-limit (100 %)`)
	expectTale(t, told(t, scenarioOf(t, doorScenario,
		doorPolicies("  degrade: {features: [ads, prefetch], step: 1s}\n"))), `
		guarding shop leaves out ads
		guarding shop leaves out prefetch too`)
}

// The way back is told from its beginning to its end.
func TestWhyTellsOfTheWayBack(t *testing.T) {
	const impatient = `version: 1
service: client
dependencies:
  server:
    timeout: {request: 1s}
    retry: {attempts: 3, backoff: {base: 0s, jitter: none}, budget: none, idempotent: always}
`
	causes := told(t, scenarioOf(t, `version: 1
name: back
for: 120s
clients: {users: {to: server, rate: 80/s, arrivals: even, policy: client.yaml}}
services:
  server: {policy: door.yaml, workers: 1, queue: fifo, ignore-deadline: true, work: 10ms}
changes: [{at: 20s, for: 5s, client: users, rate: 150/s}]
`, map[string]string{"client.yaml": impatient, "door.yaml": `version: 1
service: server
serve:
  deadline: {default: 1s}
  concurrency: {algorithm: fixed, limit: 10000}
  recovery: {}
`}))
	expectTale(t, causes, `
		given users: 80/s -> 150/s
		guarding server: what its door lets in is for nobody, though no more is asked than usual; it lets in
		guarding server: what its door lets in is answered in time again; it lets in more, and everything after 30s
		recovered server is back above 99 %
		guarding server: its door lets everything in again`)
	for _, c := range causes {
		if strings.Contains(c.Text, "NaN") {
			t.Error(c.Text)
		}
	}
}

// Features are work: where nothing leaves them out they are in the formulas,
// and where something may the formulas say nothing.
func TestTheoryKnowsFeatures(t *testing.T) {
	text := strings.Replace(doorScenario, "policy: shop.yaml\n    workers: 2", "workers: 2", 1)
	text = strings.Replace(text, "  - {at: 30s, for: 5s, service: shop, admit: 40%, ramp: 2s}\n", "", 1)
	notes := func(s *config.Scenario) string {
		return strings.Join(Notes(s, Summarise(runs(t, s, 1))), "\n")
	}
	if got := notes(scenarioOf(t, text, nil)); !strings.Contains(got, "50/s x 25 ms = 1.25 workers") {
		t.Errorf("without a door: %s", got)
	}
	text = strings.Replace(text, "workers: 2", "policy: shop.yaml\n    workers: 2", 1)
	if got := notes(scenarioOf(t, text, doorPolicies("  degrade: [ads, prefetch]\n"))); got != "" {
		t.Errorf("with features that may go: %s", got)
	}
}
