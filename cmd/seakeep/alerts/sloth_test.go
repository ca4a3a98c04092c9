package alerts

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/promrules"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/config/foreign"
)

// slothSeries is the file of the series that the rules of Sloth v0.16.0 make of an
// SLO named checkout of shop, 99.95 % in 30 days, with sum(increase(...)) of the
// two counters as its queries, when one event in a hundred is bad.
const slothSeries = "testdata/sloth-v0.16.0.series.txt"

// What differs by who made the rules.
var slothMaker = regexp.MustCompile(`sloth_(mode|version)="[^"]*"`)

// With --sloth-names there are the series that Sloth would make: the same names,
// labels and values, and none with a label more, from whatever instances.
func TestSlothNames(t *testing.T) {
	want, err := os.ReadFile(slothSeries)
	if err != nil {
		t.Fatal(err)
	}
	text := (&File{Groups: Objectives(parse(t, shop), "checkout", Options{SlothNames: true})}).String()
	rules, err := promrules.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var s promrules.Series
	p := promrules.NewPlayer(rules, &s)
	defer p.Close()
	const long = 20 * time.Minute
	var fired []promrules.Change
	for at := time.Duration(0); at <= long; at += scrape {
		for instance, rate := range map[string]float64{"a": 100, "b": 50} {
			with := map[string]string{"slo": "checkout", "instance": instance, "job": "shop", "pod": "pod-" + instance,
				"zone": instance}
			s.Add(EventsMetric, with, epoch.Add(at), rate*at.Seconds())
			s.Add(BadMetric, with, epoch.Add(at), rate*at.Seconds()/100)
		}
		changes, err := p.Eval(epoch.Add(at))
		if err != nil {
			t.Fatal(err)
		}
		fired = append(fired, changes...)
	}
	all, err := p.Query(`{sloth_id!=""}`, epoch.Add(long))
	if err != nil {
		t.Fatal(err)
	}
	got := slothMaker.ReplaceAllString(written(all), "sloth_$1=?")
	if got != slothMaker.ReplaceAllString(string(want), "sloth_$1=?") {
		t.Errorf("Sloth has\n%s\nand here are\n%s", want, got)
	}
	if len(fired) == 0 {
		t.Error("no alert fired")
	}
	for _, c := range fired { // who routes by Sloth's labels is told
		if c.Labels["sloth_severity"] != c.Labels["severity"] || c.Labels["sloth_id"] != "shop-checkout" ||
			c.Labels["sloth_slo"] != "checkout" || c.Labels["sloth_service"] != "shop" {
			t.Errorf("%+v", c)
		}
	}
}

// written are series, one a line.
func written(all []promrules.Value) string {
	var lines []string
	for _, v := range all {
		var pairs []string
		for _, k := range slices.Sorted(maps.Keys(v.Labels)) {
			if k != "__name__" {
				pairs = append(pairs, fmt.Sprintf("%s=%q", k, v.Labels[k]))
			}
		}
		lines = append(lines, fmt.Sprintf("%s{%s} %.6g\n", v.Labels["__name__"], strings.Join(pairs, ","), v.Value))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// Without alerts there are Sloth's windows all the same.
func TestSlothWindowsWithoutAlerts(t *testing.T) {
	text := (&File{Groups: Objectives(parse(t, shop), "quiet", Options{SlothNames: true})}).String()
	for _, w := range []string{"5m", "30m", "1h", "2h", "6h", "1d", "3d", "30d"} {
		if strings.Count(text, "record: slo:sli_error:ratio_rate"+w+"\n") != 1 {
			t.Errorf("%s is not there once:\n%s", w, text)
		}
	}
}

// What OpenSLO can say comes back from it: names, targets, windows, and the burn
// rates of alerts.
func TestOpenSLOThereAndBack(t *testing.T) {
	before := parse(t, shop)
	var out strings.Builder
	losses, err := OpenSLO(before, &out)
	if err != nil || len(losses) == 0 {
		t.Fatal(losses, err)
	}
	back, err := foreign.OpenSLO([]byte(out.String()), "")
	if err != nil {
		t.Fatal(err)
	}
	after, err := config.Parse("back.yaml", []byte(back.Policy))
	if err != nil {
		t.Fatalf("%v\n%s", err, back.Policy)
	}
	if after.Service != "shop" || len(after.SLO.Objectives) != len(before.SLO.Objectives) {
		t.Fatalf("%s has %d objectives", after.Service, len(after.SLO.Objectives))
	}
	for i, a := range before.SLO.Objectives {
		b := after.SLO.Objectives[i]
		if a.Name != b.Name || a.Config.Objective != b.Config.Objective || a.Window.Calendar != b.Window.Calendar ||
			a.Window.Length() != b.Window.Length() {
			t.Errorf("%+v came back as %+v", a, b)
		}
		if len(a.Alerts) == 0 {
			continue // OpenSLO has no word for no alerts: the usual ones are there
		}
		for k, p := range a.Alerts {
			if q := b.Alerts[k]; len(a.Alerts) != len(b.Alerts) || q.Long != p.Long || q.Page != p.Page ||
				number(a.Factor(p)) != number(b.Factor(q)) {
				t.Errorf("%s: %+v came back as %+v", a.Name, p, b.Alerts)
			}
		}
	}
}
