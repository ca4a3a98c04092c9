package promrules

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

var begin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func parse(t *testing.T, text string) *Rules {
	t.Helper()
	r, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const twoRules = `
groups:
  - name: a
    rules:
      - {record: "level:half:sum", expr: "sum by (x) (half) > 0"}
      - {alert: High, expr: "level:half:sum > 10", for: 1m, keep_firing_for: 1m, labels: {severity: page}}
  - {name: slow, interval: 2m, rules: [{record: "slow:one", expr: "vector(1)"}]}
`

// A recording rule is seen by the rule after it in the same evaluation, its series
// ends when it makes nothing, and an alert waits and stays as long as it says.
func TestPlay(t *testing.T) {
	var s Series
	p := NewPlayer(parse(t, twoRules), &s)
	defer p.Close()
	var got []string
	for i := range 20 {
		at := begin.Add(time.Duration(i) * 30 * time.Second)
		v := 0.0
		if i >= 2 && i < 8 {
			v = 20
		}
		s.Add("half", map[string]string{"x": "a"}, at, v)
		changes, err := p.Eval(at)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range changes {
			got = append(got, fmt.Sprint(i, c.Firing, c.Labels, c.Value))
		}
		if n, err := p.Query(`count(level:half:sum)`, at); err != nil || len(n) != int(v/20) {
			t.Errorf("%d: %v %v", i, n, err)
		}
		if len(p.Firing()) > 1 {
			t.Error(p.Firing())
		}
	}
	// Pending from 2, so it fires a minute later; false from 8, so it ends a minute after that.
	want := "[4 true map[severity:page x:a] 20 10 false map[severity:page x:a] 20]"
	if fmt.Sprint(got) != want {
		t.Errorf("%v, want %v", got, want)
	}
	slow := 0
	s.Each(func(with map[string]string, _ time.Time, _ float64) {
		if with["__name__"] == "slow:one" {
			slow++
		}
	})
	if slow != 5 {
		t.Errorf("a group of two minutes was evaluated %d times in ten", slow)
	}
}

func TestParseRefuses(t *testing.T) {
	for want, text := range map[string]string{
		"could not parse expression": "groups: [{name: a, rules: [{record: a, expr: 'sum('}]}]",
		"not found in type":          "groups: [{name: a, rules: [{record: a, expr: b, nonesuch: c}]}]",
		"template":                   "groups: [{name: a, rules: [{alert: a, expr: b, annotations: {c: '{{ nonesuch }}'}}]}]",
		"invalid recording rule":     "groups: [{name: a, rules: [{record: 'a b', expr: b}]}]",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	if _, err := Format("a +"); err == nil {
		t.Error("no expression is formatted")
	}
	if names, err := Names(`rate(a[1m]) / on () b{c="d"} > a`); err != nil || fmt.Sprint(names) != "[a b]" {
		t.Error(names, err)
	}
}

// Two results with the same labels are a mistake of the rule.
func TestSameLabels(t *testing.T) {
	var s Series
	s.Add("a", map[string]string{"x": "1"}, begin, 1)
	s.Add("a", map[string]string{"x": "2"}, begin, 1)
	p := NewPlayer(parse(t, "groups: [{name: g, rules: [{record: b, expr: a, labels: {x: y}}]}]"), &s)
	defer p.Close()
	if _, err := p.Eval(begin); err == nil || !strings.Contains(err.Error(), "same labels") {
		t.Error(err)
	}
}
