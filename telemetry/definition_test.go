package telemetry

import (
	"regexp"
	"strings"
	"testing"
)

// TestDefinitions holds every metric against the conventions of both systems.
func TestDefinitions(t *testing.T) {
	name := regexp.MustCompile(`^seakeep(_[a-z]+)+$`)
	otel := regexp.MustCompile(`^seakeep(\.[a-z_]+)+$`)
	bounded := map[string]bool{}
	for _, label := range strings.Fields("dependency operation outcome reason kind state from to criticality " +
		"cause decision result hop phase enforced provider direction by version revision goversion listener slo window") {
		bounded[label] = true
	}
	seen := map[string]bool{}
	for _, d := range Definitions() {
		if !name.MatchString(d.Name) || !otel.MatchString(d.OTel) || seen[d.Name] || seen[d.OTel] {
			t.Errorf("%q, %q: not a name, or one that is taken", d.Name, d.OTel)
		}
		seen[d.Name], seen[d.OTel] = true, true
		if exported := exportedName(d); exported != d.Name {
			t.Errorf("%s: an exporter of OpenTelemetry would name it %s", d.Name, exported)
		}
		if d.Help == "" || !strings.HasSuffix(d.Help, ".") || d.Part == "" {
			t.Errorf("%s: %q in %q", d.Name, d.Help, d.Part)
		}
		for _, label := range d.Labels {
			if !bounded[label] {
				t.Errorf("%s: nobody has said that %q is bounded", d.Name, label)
			}
		}
	}
	if len(seen) != 2*int(idCount) {
		t.Errorf("%d names for %d metrics", len(seen), idCount)
	}
}

// exportedName is the name that the OpenTelemetry specification has for a metric
// in Prometheus: the unit and the kind are added, unless they are there.
func exportedName(d Definition) string {
	name := strings.ReplaceAll(d.OTel, ".", "_")
	unit := map[string]string{"s": "seconds", "By": "bytes"}[d.Unit]
	if d.Unit == "1" && d.Kind == Gauge {
		unit = "ratio"
	}
	if unit != "" && !strings.HasSuffix(name, "_"+unit) {
		name += "_" + unit
	}
	if d.Kind == Counter {
		name += "_total"
	}
	return name
}

// TestWords makes sure that the tables have room for every word.
func TestWords(t *testing.T) {
	if n := len(newPolicy("a", Options{}).faults); n != len(faultKinds) {
		t.Errorf("%d counters for %d kinds of fault", n, len(faultKinds))
	}
	if n := len((&door{}).keys); n != len(keyResults) {
		t.Errorf("%d counters for %d results of keys", n, len(keyResults))
	}
	if n := len(newPolicy("a", Options{}).endpointChanges); n != len(endpointStates) {
		t.Errorf("%d counters for %d states of endpoints", n, len(endpointStates))
	}
	for _, list := range [][]string{breakerStates, fallbackKinds, faultKinds, onOff, endpointStates,
		outlierRules, failoverStates, recoveryStates, keyResults} {
		if list[len(list)-1] != other {
			t.Errorf("%q does not end with other", list)
		}
		for _, word := range list {
			if word == "invalid" || word == "" {
				t.Errorf("%q", list)
			}
		}
	}
	if reasonWord(reasons-1) != "invalid" {
		t.Error("there are more reasons than counters for them")
	}
}
