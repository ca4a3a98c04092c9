package alerts

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/promrules"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/telemetry"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("differs from %s, which -update rewrites; got:\n%s", path, got)
	}
}

const shop = `
version: 1
service: shop
serve: {}
dependencies:
  cache: {fallback: [dependency: database]}
  database: {}
slo:
  - {name: checkout, objective: 99.95%, latency: 2.5s, window: 30d}
  - {name: browser, objective: 99%, at: beacon, window: {calendar: month}, alerts: {min-events: 100, min-errors: 5}}
  - {name: week, objective: 95%, window: 7d, alerts: {pairs: [{share: 5%, window: 1h, short: 10m, page: true}]}}
  - {name: quiet, objective: 99.9%, dependency: cache, alerts: none}
`

var manyOptions = map[string]Options{"plain": {}, "sloth": {SlothNames: true},
	"matched": {Match: `job="shop",env=~"prod|canary"`, SlothNames: true}}

func TestRulesGolden(t *testing.T) {
	f := parse(t, shop)
	golden(t, "testdata/plain.rules.yml", Rules(f, manyOptions["plain"]).String())
	golden(t, "testdata/sloth.rules.yml", (&File{Groups: Objectives(f, "checkout", Options{SlothNames: true})[2:3]}).String())
}

// Prometheus' own reader takes every rule, the series that rules read are there,
// and every expression is formatted without a complaint.
func TestRulesAreRules(t *testing.T) {
	metrics := map[string]bool{"up": true}
	for _, d := range telemetry.Definitions() {
		metrics[d.Name] = true
	}
	for name, opt := range manyOptions {
		rules, err := promrules.Parse([]byte(Rules(parse(t, shop), opt).String()))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		made := rules.Records()
		for _, expr := range rules.Expressions() {
			if opt.Match != "" && strings.Contains(expr, "seakeep_attempts") && !strings.Contains(expr, opt.Match) {
				t.Errorf("%s: not matched: %s", name, expr)
			}
			names, err := promrules.Names(expr)
			if err != nil {
				t.Error(err)
			}
			for _, n := range names {
				if !metrics[n] && !slices.Contains(made, n) {
					t.Errorf("%s: nobody makes %s, which is read by %s", name, n, expr)
				}
			}
		}
	}
}

// A second opinion, of Debian's promtool: what "check rules" says.
func TestPromtoolAccepts(t *testing.T) {
	tool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed: make setup installs it")
	}
	for name, opt := range manyOptions {
		path := filepath.Join(t.TempDir(), "rules.yml")
		if err := os.WriteFile(path, []byte(Rules(parse(t, shop), opt).String()), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(tool, "check", "rules", path).CombinedOutput()
		if err != nil || strings.Contains(string(out), "FAILED") || strings.Contains(string(out), "duplicate") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

func TestCheckMatch(t *testing.T) {
	for _, good := range []string{"", `job="a"`, `job="a",env=~"b|c"`, `job!="a"`} {
		if err := CheckMatch(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"job", `job=a`, `job="a"}`, `job="a"} or up{job="b"`, `job="a`, `{job="a"}`, `job="a",`} {
		if err := CheckMatch(bad); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// F177 and F185: without errors the ratio is 0 and not absent, without events it
// is absent and nothing fires; a label more on a counter does not divide it by
// itself.
func TestRatios(t *testing.T) {
	rules, err := promrules.Parse([]byte((&File{Groups: Objectives(parse(t, checkout), "", Options{})}).String()))
	if err != nil {
		t.Fatal(err)
	}
	var s promrules.Series
	p := promrules.NewPlayer(rules, &s)
	defer p.Close()
	ratio := func() (all []promrules.Value) {
		all, err := p.Query("slo:seakeep_slo_bad_per_events:ratio_increase5m", epoch.Add(10*time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	add := func(pod string, perScrape, bad float64) {
		for i := range 41 {
			with := map[string]string{"slo": "checkout", "instance": pod, "job": "shop"}
			at := epoch.Add(time.Duration(i) * scrape)
			s.Add(EventsMetric, with, at, float64(i)*perScrape)
			s.Add(BadMetric, with, at, float64(i)*bad)
		}
	}
	eval := func() {
		t.Helper()
		if changes, err := p.Eval(epoch.Add(10 * time.Minute)); err != nil || len(changes) > 0 {
			t.Fatal(changes, err)
		}
	}
	add("idle", 0, 0)
	eval()
	if got := ratio(); len(got) != 0 {
		t.Errorf("without events: %v", got)
	}
	add("fine", 990, 0)
	fresh := promrules.NewPlayer(rules, &s)
	defer fresh.Close()
	if _, err := fresh.Eval(epoch.Add(10*time.Minute + 30*time.Second)); err != nil {
		t.Fatal(err)
	}
	got, err := fresh.Query("slo:seakeep_slo_bad_per_events:ratio_increase5m", epoch.Add(10*time.Minute+30*time.Second))
	if err != nil || len(got) != 1 || got[0].Value != 0 || got[0].Labels["job"] != "shop" {
		t.Errorf("without errors: %v %v", got, err)
	}
	add("mixed", 10, 10)
	if _, err := fresh.Eval(epoch.Add(11 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	got, err = fresh.Query("slo:seakeep_slo_bad_per_events:ratio_increase5m", epoch.Add(11*time.Minute))
	if err != nil || len(got) != 1 || got[0].Value < 0.0099 || got[0].Value > 0.0101 {
		t.Errorf("990 good and 10 bad: %v %v", got, err)
	}
}

// The counters gone, or more bad than there were, is told.
func TestAbsentAndImpossible(t *testing.T) {
	rules, err := promrules.Parse([]byte((&File{Groups: Objectives(parse(t, checkout), "", Options{})}).String()))
	if err != nil {
		t.Fatal(err)
	}
	var s promrules.Series
	p := promrules.NewPlayer(rules, &s)
	defer p.Close()
	fired := map[string]time.Duration{}
	with := map[string]string{"slo": "checkout", "instance": "a"}
	for at := time.Duration(0); at < 40*time.Minute; at += scrape {
		if at < 20*time.Minute {
			bad := 0.0
			if at > 10*time.Minute {
				bad = 2 * (at - 10*time.Minute).Seconds()
			}
			s.Add(EventsMetric, with, epoch.Add(at), at.Seconds())
			s.Add(BadMetric, with, epoch.Add(at), bad)
		}
		if at%Step != 0 {
			continue
		}
		changes, err := p.Eval(epoch.Add(at))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range changes {
			if _, before := fired[c.Alert]; c.Firing && !before {
				fired[c.Alert] = at
			}
		}
	}
	// Five minutes until a series is stale, and two that nothing must hide.
	if at := fired["SeakeepObjectiveAbsent"]; at < 26*time.Minute || at > 28*time.Minute {
		t.Errorf("absent after %v: %v", at, fired)
	}
	if at := fired["SeakeepObjectiveImpossible"]; at < 15*time.Minute || at > 20*time.Minute {
		t.Errorf("impossible after %v: %v", at, fired)
	}
}

// Each alert has its section in docs/alerts.md, which has its expression.
func TestAlertsPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/alerts.md")
	if err != nil {
		t.Fatal(err)
	}
	f := parse(t, shop)
	for _, g := range Rules(f, Options{}).Groups {
		for _, r := range g.Rules {
			if r.Alert != "" && !strings.Contains(string(page), "`"+r.Alert+"`") {
				t.Errorf("the page does not have %s", r.Alert)
			}
		}
	}
	for _, one := range append(failures, overload("a", "", "b")) {
		if !strings.Contains(strings.ToLower(string(page)), "\n## "+strings.ReplaceAll(one.anchor, "-", " ")+"\n") {
			t.Errorf("the page has no section %s", one.anchor)
		}
	}
}

// A scenario is an incident as well.
func TestSimulated(t *testing.T) {
	f := parse(t, checkout)
	s, err := config.LoadScenario("../../../testdata/scenarios/checkout-cascade.yaml")
	if err != nil {
		t.Fatal(err)
	}
	in, err := Simulated(s, f.SLO.Objective("checkout"), nil)
	if err != nil {
		t.Fatal(err)
	}
	c := in.Counted(in.For)
	if in.Rate < 900 || in.Rate > 1100 || c.Bad < c.Total/4 || in.Counted(0).Total > 2 {
		t.Errorf("%v %+v", in.Rate, c)
	}
	one, err := Simulated(s, f.SLO.Objective("checkout"), []string{"recommendations"})
	if err != nil || one.Counted(one.For).Total*2 > c.Total {
		t.Errorf("%v %+v", err, one.Counted(one.For))
	}
	if _, err := Simulated(s, f.SLO.Objective("checkout"), []string{"none"}); err == nil ||
		!strings.Contains(err.Error(), "pricing") {
		t.Error(err)
	}
}
