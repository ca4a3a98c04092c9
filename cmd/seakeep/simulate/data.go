package simulate

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"strconv"

	"github.com/seakeep/seakeep/sim/study"
)

// The names in JSON are a promise to scripts.

type jsonReport struct {
	Scenario    string        `json:"scenario"`
	About       string        `json:"about,omitempty"`
	File        string        `json:"file"`
	Set         []string      `json:"set"`
	ForS        float64       `json:"for_s"`
	WarmupS     float64       `json:"warmup_s"`
	Runs        int           `json:"runs"`
	Seed        uint64        `json:"seed"`
	Level       float64       `json:"level"`
	Events      uint64        `json:"events"`
	Figures     jsonFigures   `json:"figures"`
	Series      jsonSeries    `json:"series"`
	Breakers    []jsonBreaker `json:"breakers"`
	Doors       []jsonDoor    `json:"doors,omitempty"`
	Expect      []jsonFinding `json:"expect"`
	Assumptions []jsonSetting `json:"assumptions"`
	Notes       []string      `json:"notes"`
	Why         []jsonCause   `json:"why,omitempty"`
}

type jsonFigure struct {
	Unit string   `json:"unit"`
	Mean digits   `json:"mean"`
	Half digits   `json:"half"`
	Low  digits   `json:"low"`
	High digits   `json:"high"`
	Runs []digits `json:"runs"`
}

type jsonBreaker struct {
	By         string       `json:"by"`
	Dependency string       `json:"dependency"`
	Changes    []jsonChange `json:"changes"` // of the first run: of each breaker the last 32
}

type jsonChange struct {
	AtS    digits `json:"at_s"`
	User   int    `json:"user"`
	From   string `json:"from"`
	To     string `json:"to"`
	Reason string `json:"reason"`
	Calls  uint64 `json:"calls"`
	Failed uint64 `json:"failed"`
	Slow   uint64 `json:"slow"`
}

type jsonFinding struct {
	Text  string `json:"text"`
	Holds bool   `json:"holds"`
	Sure  bool   `json:"sure"`
	Mean  digits `json:"mean"`
	Half  digits `json:"half"`
}

type jsonSetting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Text  string `json:"text"`
}

type jsonCause struct {
	AtS  digits `json:"at_s"`
	Kind string `json:"kind"`
	Of   string `json:"of"`
	Text string `json:"text"`
}

// digits is a number with the digits that are good for something. JSON has no
// word for what is not a number or infinite; it is null.
type digits float64

// MarshalJSON implements json.Marshaler.
func (d digits) MarshalJSON() ([]byte, error) {
	text := d.String()
	if text == "" {
		text = "null"
	}
	return []byte(text), nil
}

func (d digits) String() string {
	x := float64(d)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	const count = 9
	return strconv.FormatFloat(x, 'g', count, 64)
}

func all(xs []float64) []digits {
	out := make([]digits, len(xs))
	for i, x := range xs {
		out[i] = digits(x)
	}
	return out
}

// jsonFigures are figures by key, in the order of the report.
type jsonFigures []study.Figure

// MarshalJSON implements json.Marshaler.
func (f jsonFigures) MarshalJSON() ([]byte, error) {
	return object(len(f), func(i int) (string, any) {
		return f[i].Key, jsonFigure{f[i].Unit.String(), digits(f[i].Mean), digits(f[i].Half),
			digits(f[i].Low), digits(f[i].High), all(f[i].Runs)}
	})
}

// jsonSeries are curves by key.
type jsonSeries []study.Series

// MarshalJSON implements json.Marshaler.
func (s jsonSeries) MarshalJSON() ([]byte, error) {
	return object(len(s), func(i int) (string, any) {
		return s[i].Key, map[string]any{"slice_s": digits(s[i].Slice.Seconds()),
			"unit": s[i].Unit.String(), "values": all(s[i].Values)}
	})
}

// object writes members in their order, as a map of package json does not.
func object(n int, member func(i int) (string, any)) ([]byte, error) {
	b := []byte{'{'}
	for i := range n {
		key, value := member(i)
		k, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		v, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, k...), ':'), v...)
	}
	return append(b, '}'), nil
}

// WriteJSON writes the report for programs, as one object.
func (r *Report) WriteJSON(w io.Writer) error {
	s := r.Summary
	out := jsonReport{Scenario: r.Scenario.Name, About: r.Scenario.About, File: r.File,
		Set: append([]string{}, r.Sets...), ForS: s.For.Seconds(), WarmupS: s.Warmup.Seconds(),
		Runs: s.Runs, Seed: s.Seed, Level: study.Level, Events: s.Events, Figures: r.Figures(),
		Series: s.Series, Breakers: []jsonBreaker{}, Expect: []jsonFinding{},
		Assumptions: []jsonSetting{}, Notes: append([]string{}, r.notes()...)}
	for _, d := range s.First().Dependencies {
		if len(d.Timeline) == 0 {
			continue
		}
		b := jsonBreaker{By: d.By, Dependency: d.Name}
		for _, x := range d.Timeline {
			b.Changes = append(b.Changes, jsonChange{digits(x.At.Seconds()), x.User, x.From, x.To,
				x.Reason.String(), x.Counts.Calls, x.Counts.Failed, x.Counts.Slow})
		}
		out.Breakers = append(out.Breakers, b)
	}
	out.Doors = r.doors()
	for _, f := range r.Findings {
		out.Expect = append(out.Expect, jsonFinding{f.Expectation.Text, f.Holds, f.Sure,
			digits(f.Figure.Mean), digits(f.Figure.Half)})
	}
	for _, a := range study.Assumptions(r.Scenario) {
		out.Assumptions = append(out.Assumptions, jsonSetting(a))
	}
	for _, c := range r.Causes {
		if !r.Why {
			break
		}
		out.Why = append(out.Why, jsonCause{digits(c.At.Seconds()), c.Kind.String(), c.Of, c.Text})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(&out)
}

// Figures lists all figures in the order of the report.
func (r *Report) Figures() (all []study.Figure) {
	for _, rows := range r.Summary.Parts() {
		for _, row := range rows {
			all = append(all, row.Figures...)
		}
	}
	return all
}

// WriteCSV writes the figures, one a line. What is not known is empty.
func (r *Report) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write([]string{"key", "unit", "mean", "half", "low", "high", "runs"}); err != nil {
		return err
	}
	for _, f := range r.Figures() {
		line := []string{f.Key, f.Unit.String()}
		for _, x := range []float64{f.Mean, f.Half, f.Low, f.High} {
			line = append(line, digits(x).String())
		}
		if err := c.Write(append(line, strconv.Itoa(len(f.Runs)))); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}
