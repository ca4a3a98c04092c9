package study

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim"
	"github.com/seakeep/seakeep/sim/stats"
)

// Summary is what the runs of a scenario came to.
type Summary struct {
	Runs         int
	Seed         uint64 // of the first run
	For, Warmup  time.Duration
	Events       uint64 // of all runs
	Endpoints    []Row
	Services     []Row
	Doors        []Row // of each service that has any, a row for each class
	Refusals     []Row // of the same, by reason
	Dependencies []Row
	Series       []Series

	first  *sim.Result
	runs   []*sim.Result
	figure map[string]*Figure
}

// Row is an endpoint, a service, or a dependency of a service or client.
type Row struct {
	Key     string // endpoints.pricing
	Name    string // pricing; of a dependency: checkout > pricing
	Figures []Figure
}

// Figure returns the figure of that name, which must be one.
func (r *Row) Figure(name string) Figure {
	for i := range r.Figures {
		if r.Figures[i].Name == name {
			return r.Figures[i]
		}
	}
	panic("study: " + r.Key + " has no figure " + name)
}

// Summarise makes the figures of the runs of one scenario, which are in the
// order of their seeds. There must be one at least.
func Summarise(runs []*sim.Result) *Summary {
	first := runs[0]
	s := &Summary{Runs: len(runs), Seed: first.Seed, For: first.For, Warmup: first.Warmup,
		first: first, runs: runs, figure: map[string]*Figure{}}
	all := make([]report, len(runs))
	for i, r := range runs {
		s.Events += r.Events
		all[i] = lines(r)
	}
	for part, rows := range []*[]Row{&s.Endpoints, &s.Services, &s.Doors, &s.Refusals,
		&s.Dependencies} {
		for k := range all[0][part] {
			*rows = append(*rows, s.row(all, part, k))
		}
		for i := range *rows {
			s.index(&(*rows)[i])
		}
	}
	s.series()
	s.breakers()
	return s
}

// Parts are the rows of the report, in its order.
func (s *Summary) Parts() [][]Row {
	return [][]Row{s.Endpoints, s.Services, s.Doors, s.Refusals, s.Dependencies}
}

// row gathers row k of one part of the report.
func (s *Summary) row(all []report, part, k int) Row {
	first := all[0][part][k]
	r := Row{Key: first.key, Name: first.name}
	of := make([]measure, len(all))
	for i := range first.measures {
		for n := range all {
			of[n] = all[n][part][k].measures[i]
		}
		r.Figures = append(r.Figures, figure(first.key, of))
	}
	return r
}

// index lets the figures of a row be found.
func (s *Summary) index(r *Row) {
	for i := range r.Figures {
		s.figure[r.Figures[i].Key] = &r.Figures[i]
	}
	if len(s.Endpoints) == 1 && s.first.Endpoints[0].Name == only && r == &s.Endpoints[0] {
		for i := range r.Figures { // the name that the route has in the file
			s.figure["endpoints."+only+"."+r.Figures[i].Name] = &r.Figures[i]
		}
	}
}

// Get returns the figure of a key such as endpoints.pricing.success.
func (s *Summary) Get(key string) (Figure, error) {
	if f := s.figure[key]; f != nil {
		return *f, nil
	}
	return Figure{}, unknown(key, s.Keys())
}

// Keys returns the keys of all figures, in the order of the report.
func (s *Summary) Keys() (keys []string) {
	for _, rows := range s.Parts() {
		for i := range rows {
			for k := range rows[i].Figures {
				keys = append(keys, rows[i].Figures[k].Key)
			}
		}
	}
	return keys
}

// Blank returns a Summary of a run of no length: its keys are those of the
// scenario's figures, so that a key can be checked before anything has run.
func Blank(s *config.Scenario) (*Summary, error) {
	short := *s
	short.For, short.Warmup = time.Nanosecond, 0
	r, err := sim.Run(&short, sim.Options{})
	if err != nil {
		return nil, err
	}
	return Summarise([]*sim.Result{r}), nil
}

// unknown is the error for a key that is none of those there are.
func unknown(key string, keys []string) error {
	best, least := "", len(key)/3+1
	for _, k := range keys {
		if strings.HasSuffix(k, "."+key) {
			best = k
			break
		}
		if d := distance(key, k, least); d < least {
			best, least = k, d
		}
	}
	if best != "" {
		return fmt.Errorf("there is no figure %s; did you mean %s?", key, best)
	}
	head, _, _ := strings.Cut(key, ".")
	for _, k := range keys {
		if strings.HasPrefix(k, head+".") {
			best = k
			break
		}
	}
	if best == "" && len(keys) > 0 {
		best = keys[0]
	}
	return fmt.Errorf("there is no figure %s; give one such as %s", key, best)
}

// distance counts the letters that have to be added, removed or changed to make
// b of a, and gives up at limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		corner := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			next := corner
			if a[i-1] != b[j-1] {
				next = 1 + min(corner, row[j], row[j-1])
			}
			corner, row[j] = row[j], next
		}
	}
	return row[len(b)]
}

// First returns the first of the runs.
func (s *Summary) First() *sim.Result { return s.first }

// acrossRuns is the mean of something over the runs, with its interval.
func (s *Summary) acrossRuns(of func(*sim.Result) float64) Figure {
	f := Figure{}
	for _, r := range s.runs {
		f.Runs = append(f.Runs, of(r))
	}
	e := stats.Mean(f.Runs, Level)
	f.Mean, f.Half, f.Low, f.High = e.Mean, e.Half, max(e.Low(), 0), e.High()
	if math.IsNaN(e.Mean) {
		f.Half = math.NaN()
	}
	return f
}
