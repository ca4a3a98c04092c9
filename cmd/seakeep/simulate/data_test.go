package simulate

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// inJSON is what a script reads of a report.
type inJSON struct {
	Scenario, File string
	Set            []string
	Runs           int
	ForS           float64 `json:"for_s"`
	Figures        map[string]struct {
		Unit                  string
		Mean, Half, Low, High *float64
		Runs                  []float64
	}
	Series map[string]struct {
		Unit   string
		Values []*float64
	}
	Breakers []struct {
		By, Dependency string
		Changes        []struct{ To string }
	}
	Expect []struct {
		Text        string
		Holds, Sure bool
	}
	Assumptions []struct{ Key, Value, Text string }
	Notes       []string
	Why         []struct{ Kind, Of, Text string }
}

func asJSON(t *testing.T, r *Report) (text string, parsed inJSON) {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &parsed); err != nil {
		t.Fatal(err)
	}
	return b.String(), parsed
}

func TestJSON(t *testing.T) {
	q := question(t, "runs", "2")
	q.Why, q.Sets = true, []string{"runs=2"}
	text, got := asJSON(t, report(t, q))
	if got.Scenario != "shop" || got.File != "shop.yaml" || got.Set[0] != "runs=2" || got.Runs != 2 ||
		got.ForS != 12 {
		t.Errorf("%+v", got)
	}
	if s := got.Series["endpoints.buy.success"]; len(s.Values) != 120 || s.Unit != "share" {
		t.Errorf("the curve of success: %+v", s)
	}
	if len(got.Breakers) != 1 || got.Breakers[0].Changes[0].To != "open" || len(got.Expect) != 2 ||
		!got.Expect[0].Holds || len(got.Why) == 0 || got.Why[0].Kind != "given" || len(got.Notes) == 0 ||
		len(got.Assumptions) == 0 {
		t.Errorf("%+v", got)
	}
	// The order is that of the report, not of the alphabet.
	if strings.Index(text, `"endpoints.buy.sent"`) > strings.Index(text, `"endpoints.buy.answered"`) ||
		strings.Index(text, `"endpoints.browse.sent"`) > strings.Index(text, `"dependencies.`) {
		t.Error("the figures are not in the order of the report")
	}
	q.Why, q.Page = false, true
	if text, _ := asJSON(t, report(t, q)); strings.Contains(text, `"why"`) {
		t.Error("why is told though nobody asked")
	}
}

func TestJSONFigures(t *testing.T) {
	r := report(t, question(t, "runs", "2"))
	_, got := asJSON(t, r)
	for _, key := range r.Summary.Keys() {
		f, ok := got.Figures[key]
		want, _ := r.Summary.Get(key)
		switch {
		case !ok || f.Unit != want.Unit.String() || len(f.Runs) != 2:
			t.Errorf("%s: %+v", key, f)
		case math.IsInf(want.Half, 0) != (f.Half == nil):
			t.Errorf("%s ±%v is %v in JSON", key, want.Half, f.Half)
		case f.Mean != nil && math.Abs(*f.Mean-want.Mean) > 1e-8*math.Abs(want.Mean):
			t.Errorf("%s is %v, want %v", key, *f.Mean, want.Mean)
		}
	}
}

func TestCSVGolden(t *testing.T) {
	r := report(t, question(t))
	var b bytes.Buffer
	if err := r.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "shop.csv", b.String())
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 1+len(r.Summary.Keys()) {
		t.Fatalf("%d lines, %v", len(rows), err)
	}
	for _, row := range rows {
		if len(row) != 7 {
			t.Errorf("%v", row)
		}
	}
}

func TestDigits(t *testing.T) {
	for want, x := range map[string]float64{"1": 1, "0.333333333": 1. / 3, "": math.Inf(1), "1e-12": 1e-12,
		"1234567.89": 1234567.891} {
		if got := digits(x).String(); got != want {
			t.Errorf("%v is %q, want %q", x, got, want)
		}
	}
	b, err := json.Marshal([]digits{digits(math.NaN()), 2.5})
	if err != nil || string(b) != "[null,2.5]" {
		t.Errorf("%s, %v", b, err)
	}
}

// Every figure of the tables is one that there is.
func TestColumns(t *testing.T) {
	s := report(t, question(t, "runs", "1")).Summary
	for _, c := range append(append([]column{}, endpointColumns...), failureColumns...) {
		s.Endpoints[0].Figure(c.figure)
	}
	for _, c := range serviceColumns {
		s.Services[0].Figure(c.figure)
	}
	for _, c := range append(append([]column{}, dependencyColumns...), breakerColumns...) {
		s.Dependencies[0].Figure(c.figure)
	}
}
