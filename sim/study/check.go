package study

import (
	"fmt"
	"math"
	"strings"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim/stats"
)

// Finding is what became of an expectation.
type Finding struct {
	config.Expectation
	Figure Figure
	Holds  bool
	// Sure reports that the whole interval agrees. Where it does not, more runs
	// may turn the verdict.
	Sure bool
}

// Check holds expectations against the figures. The error is about a key that
// there is no figure of.
func (s *Summary) Check(all []config.Expectation) ([]Finding, error) {
	var found []Finding
	for _, e := range all {
		f, err := s.Get(e.Key)
		if err != nil {
			return nil, fmt.Errorf("expect %q: %w", e.Text, err)
		}
		found = append(found, judge(e, f))
	}
	return found, nil
}

func judge(e config.Expectation, f Figure) Finding {
	r := Finding{Expectation: e, Figure: f}
	if e.Op == "=" {
		r.Holds = f.Covers(e.Value)
		r.Sure = !r.Holds || f.Half == 0
		return r
	}
	r.Holds = holds(f.Mean, e.Op, e.Value)
	r.Sure = !math.IsNaN(f.Mean) && holds(f.Low, e.Op, e.Value) == r.Holds &&
		holds(f.High, e.Op, e.Value) == r.Holds
	return r
}

func holds(x float64, op string, limit float64) bool {
	switch op {
	case "<":
		return x < limit
	case "<=":
		return x <= limit
	case ">":
		return x > limit
	}
	return x >= limit
}

// Text says it in a line.
func (f Finding) Text() string {
	word := "fails"
	if f.Holds {
		word = "holds"
	}
	if math.IsNaN(f.Figure.Mean) {
		return fmt.Sprintf("%s: %s, but there is no such figure in these runs", word, f.Expectation.Text)
	}
	if !f.Sure {
		word += ", not surely"
	}
	return fmt.Sprintf("%s: %s, it is %s", word, f.Expectation.Text, f.Figure.Text())
}

// Wish is how exact a figure should become.
type Wish struct {
	Key  string
	Half float64 // the half-width
	part bool    // Half is a part of the figure, unless the figure is a share itself
}

// ParseWish reads KEY=HALF-WIDTH, such as endpoints.pricing.success=0.5%.
func ParseWish(text string) (Wish, error) {
	key, half, ok := strings.Cut(text, "=")
	e, err := config.ParseExpectation(key + " = " + half)
	if !ok || err != nil || e.Value <= 0 {
		return Wish{}, fmt.Errorf("%q is not a figure with a half-width; give one such as "+
			"endpoints.pricing.success=0.5%%, or endpoints.pricing.p99=2ms", text)
	}
	return Wish{e.Key, e.Value, strings.HasSuffix(half, "%")}, nil
}

// stop is the rule that the wish makes.
func (w Wish) stop(u Unit, most int) stats.Stop {
	if w.part && u != Share {
		return stats.Stop{Share: w.Half, Max: most}
	}
	return stats.Stop{Half: w.Half, Max: most}
}

// More returns how many runs there should be in all, by the spread of those
// that there are: as many as there are, if every wish is met or most is
// reached. The number grows by a factor of 4 at most, because a spread of few
// runs says little.
func (s *Summary) More(wishes []Wish, most int) (int, error) {
	need := s.Runs
	for _, w := range wishes {
		f, err := s.Get(w.Key)
		if err != nil {
			return 0, err
		}
		stop := w.stop(f.Unit, most)
		e := stats.Estimate{Mean: f.Mean, Half: f.Half, N: s.Runs}
		if !stop.Done(e) {
			need = max(need, min(stop.Needs(e), 4*s.Runs), s.Runs+1)
		}
	}
	return min(need, most), nil
}

// Met reports whether the figure is as exact as wished.
func (s *Summary) Met(w Wish) bool {
	f, err := s.Get(w.Key)
	return err == nil && w.stop(f.Unit, 0).Met(stats.Estimate{Mean: f.Mean, Half: f.Half})
}
