package explore

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim"
	"github.com/seakeep/seakeep/sim/search"
	"github.com/seakeep/seakeep/sim/study"
)

// EdgeQuestion is what `seakeep sim edge` was asked.
type EdgeQuestion struct {
	Draft    config.Draft
	Key      string // several, with commas between, all get the value
	From, To string
	Until    string // the edge is where this begins to hold
	Runs     int
	Within   float64
}

// EdgeAnswer is where the cliff is.
type EdgeAnswer struct {
	Key     string       `json:"key"`
	Until   string       `json:"until"`
	Found   bool         `json:"found"`
	Edge    string       `json:"edge,omitempty"`
	Low     string       `json:"low,omitempty"`
	High    string       `json:"high,omitempty"`
	Number  float64      `json:"edge_number,omitempty"`
	Present string       `json:"present,omitempty"`
	Safety  float64      `json:"safety_factor,omitempty"`
	AtFrom  bool         `json:"holds_at_from"`
	AtTo    bool         `json:"holds_at_to"`
	Runs    int          `json:"runs"`
	Tested  []EdgeTested `json:"tested"`
}

// EdgeTested is one value that was tried.
type EdgeTested struct {
	Value string `json:"value"`
	Held  int    `json:"held"`
	Runs  int    `json:"runs"`
}

// Edge looks for the value at which a statement about the outcome begins to
// hold.
func Edge(q EdgeQuestion) (*EdgeAnswer, error) {
	until, err := config.ParseExpectation(q.Until)
	if err != nil {
		return nil, err
	}
	scale, low, high, err := ParseScale(q.From, q.To)
	if err != nil {
		return nil, err
	}
	query := search.EdgeQuery{From: low, To: high, Whole: scale.Whole, Runs: q.Runs,
		Within: q.Within}
	present, known := q.Draft.Get(q.keys()[0])
	if x, ok := scale.Read(present); known && ok {
		query.Present = x
	}
	r, err := search.Edge(query, func(x float64, seeds []uint64) ([]bool, error) {
		return try(q, until, scale.Value(x), seeds)
	})
	if err != nil {
		return nil, err
	}
	a := &EdgeAnswer{Key: q.Key, Until: until.Text, Found: r.Flipping, AtFrom: r.AtFrom,
		AtTo: r.AtTo, Runs: query.Runs, Present: present}
	if r.Flipping {
		a.Edge, a.Number, a.Safety = scale.Value(r.Edge), r.Edge, r.Safety
		a.Low, a.High = scale.Value(r.Low), scale.Value(r.High)
	}
	for _, p := range r.Tested {
		a.Tested = append(a.Tested, EdgeTested{scale.Value(p.X), p.Held, p.Seeds})
		a.Runs = p.Seeds
	}
	return a, nil
}

func (q *EdgeQuestion) keys() []string {
	keys := strings.Split(q.Key, ",")
	for i := range keys {
		keys[i] = strings.TrimSpace(keys[i])
	}
	return keys
}

// try says for each seed whether the statement holds with a value.
func try(q EdgeQuestion, until config.Expectation, value string, seeds []uint64) ([]bool, error) {
	d := q.Draft
	for _, key := range q.keys() {
		var err error
		if d, err = d.Set(key, value); err != nil {
			return nil, err
		}
	}
	s, err := d.Parse()
	if err != nil {
		return nil, fmt.Errorf("with %s = %s: %w", q.Key, value, err)
	}
	runs, err := Parallel(s, seeds)
	if err != nil {
		return nil, err
	}
	held := make([]bool, len(runs))
	for i, r := range runs {
		found, err := study.Summarise([]*sim.Result{r}).Check([]config.Expectation{until})
		if err != nil {
			return nil, err
		}
		held[i] = found[0].Holds
	}
	return held, nil
}

// JSON writes the answer for programs.
func (a *EdgeAnswer) JSON(w io.Writer) error { return writeJSON(w, a) }

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// Text writes the answer for people.
func (a *EdgeAnswer) Text(w io.Writer) error {
	if !a.Found {
		word := "nowhere"
		if a.AtFrom {
			word = "everywhere"
		}
		_, err := fmt.Fprintf(w, "%s holds %s from %s to %s: there is no edge in this range.\n",
			a.Until, word, a.Tested[0].Value, a.Tested[1].Value)
		return err
	}
	fmt.Fprintf(w, "%s begins to hold at %s = %s.\n", a.Until, a.Key, a.Edge)
	fmt.Fprintf(w, "All %d runs agree up to %s, and again from %s.\n", a.Runs, a.Low, a.High)
	if a.Safety > 0 {
		fmt.Fprintf(w, "The value in use is %s: a safety factor of %.3g.\n", a.Present, a.Safety)
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "tried\tholds in\n")
	for _, p := range a.Tested {
		fmt.Fprintf(t, "%s\t%d of %d runs\n", p.Value, p.Held, p.Runs)
	}
	return t.Flush()
}
