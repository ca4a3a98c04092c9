package explore

import (
	"errors"
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/sim/search"
	"github.com/seakeep/seakeep/sim/stats"
	"github.com/seakeep/seakeep/sim/study"
)

// Difference is one figure in two scenarios.
type Difference struct {
	Key  string  `json:"key"`
	A    float64 `json:"a"`
	B    float64 `json:"b"`
	By   float64 `json:"difference"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	unit study.Unit
}

// Real reports whether the interval of the difference leaves zero out.
func (d Difference) Real() bool { return d.Low > 0 || d.High < 0 }

// ComparisonAnswer is what `seakeep sim compare` found.
type ComparisonAnswer struct {
	A           string        `json:"a"`
	B           string        `json:"b"`
	Runs        int           `json:"runs"`
	Differences []Difference  `json:"differences"`
	DivergedS   *float64      `json:"diverged_s"` // null: never
	Requests    int           `json:"requests"`
	Changed     int           `json:"changed"`
	Saved       int           `json:"saved"`
	Lost        int           `json:"lost"`
	Examples    []FateChanged `json:"examples"`
}

// FateChanged is a request that fared differently.
type FateChanged struct {
	Endpoint string  `json:"endpoint"`
	AtS      float64 `json:"at_s"`
	A        string  `json:"a"`
	B        string  `json:"b"`
	AMS      float64 `json:"a_ms"`
	BMS      float64 `json:"b_ms"`
}

// Sides names the two scenarios that are compared.
type Sides struct {
	A, B         *config.Scenario
	NameA, NameB string
}

// Compare runs both on the same arrivals and draws.
func Compare(s Sides, runs int) (*ComparisonAnswer, error) {
	c, err := search.Compare(s.A, s.B, search.Seeds(runs), Parallel)
	if err != nil {
		return nil, err
	}
	out := &ComparisonAnswer{A: s.NameA, B: s.NameB, Runs: runs, Requests: c.Requests,
		Changed: c.Changed, Saved: c.Saved, Lost: c.Lost}
	a, b := study.Summarise(c.A), study.Summarise(c.B)
	for _, key := range a.Keys() {
		fa, errA := a.Get(key)
		fb, errB := b.Get(key)
		if errA != nil || errB != nil || math.IsNaN(fa.Mean) || math.IsNaN(fb.Mean) {
			continue
		}
		e := stats.Paired(fa.Runs, fb.Runs, 0.95)
		out.Differences = append(out.Differences, Difference{Key: key, A: fa.Mean, B: fb.Mean,
			By: e.Mean, Low: e.Low(), High: e.High(), unit: fa.Unit})
	}
	if len(out.Differences) == 0 {
		return nil, errors.New("A and B have no figure in common; give two versions of one scenario")
	}
	if c.Diverged != core.Never {
		at := time.Duration(c.Diverged).Seconds()
		out.DivergedS = &at
	}
	for _, x := range c.Examples {
		out.Examples = append(out.Examples, FateChanged{x.Endpoint,
			time.Duration(x.Began).Seconds(), x.A.String(), x.B.String(), ms(x.A.Took), ms(x.B.Took)})
	}
	return out, nil
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

// JSON writes the answer for programs. Figures without an interval have none.
func (a *ComparisonAnswer) JSON(w io.Writer) error {
	c := *a
	c.Differences = nil
	for _, d := range a.Differences {
		if !math.IsNaN(d.By) && !math.IsInf(d.Low, 0) && !math.IsNaN(d.Low) {
			c.Differences = append(c.Differences, d)
		}
	}
	return writeJSON(w, &c)
}

// Text writes the answer for people: what differs, and whose fate changed.
func (a *ComparisonAnswer) Text(w io.Writer) error {
	fmt.Fprintf(w, "A: %s\nB: %s\n%s, on the same arrivals and service times\n\n", a.A, a.B,
		each(a.Runs))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "figure\tA\tB\tB - A\t95 %% interval\n")
	same := 0
	for _, d := range a.Differences {
		if !d.Real() && d.By == 0 {
			same++
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", d.Key, d.unit.Text(d.A), d.unit.Text(d.B),
			signed(d.unit, d.By), d.interval())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%d figures are the same in every run.\n", same)
	if a.DivergedS == nil {
		_, err := fmt.Fprintln(w, "No request ended differently.")
		return err
	}
	fmt.Fprintf(w, "The first request ended differently at %.3f s.\n", *a.DivergedS)
	fmt.Fprintf(w, "Of %d requests %d fared differently:\n", a.Requests, a.Changed)
	fmt.Fprintf(w, "%d were answered only in B, %d only in A.\n", a.Saved, a.Lost)
	for i, x := range a.Examples {
		if i == 5 {
			break
		}
		fmt.Fprintf(w, "  %s at %.3f s: %s after %.0f ms in A, %s after %.0f ms in B\n",
			x.Endpoint, x.AtS, x.A, x.AMS, x.B, x.BMS)
	}
	return nil
}

// interval tells where the difference lies; one run alone cannot know.
func (d Difference) interval() string {
	if math.IsInf(d.Low, 0) || math.IsInf(d.High, 0) {
		return "unknown"
	}
	text := signed(d.unit, d.Low) + " to " + signed(d.unit, d.High)
	if !d.Real() {
		text += "  (may be chance)"
	}
	return text
}

func each(runs int) string {
	if runs == 1 {
		return "one run each"
	}
	return fmt.Sprintf("%d runs each", runs)
}

func signed(u study.Unit, x float64) string {
	if x > 0 {
		return "+" + u.Text(x)
	}
	return u.Text(x)
}
