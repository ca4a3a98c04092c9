package prove

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/seakeep/seakeep/cmd/seakeep/review/check"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim"
	"github.com/seakeep/seakeep/sim/stats"
	"github.com/seakeep/seakeep/sim/study"
)

// Proof is what became of a scenario with a file as it is, and with a finding
// mended.
type Proof struct {
	Finding  check.Finding `json:"finding"`
	About    string        `json:"about"`    // what happens
	Scenario string        `json:"scenario"` // as it was run
	Changes  []string      `json:"changes"`  // that were made for the second
	// Mended are the rules whose findings were mended for both, because as the
	// file is they hide this one.
	Mended  []string `json:"mended_first"`
	Decides string   `json:"decides"` // the figure that tells
	Figures []Pair   `json:"figures"` // that one first
	// Difference is what the changes make of that figure, run by run, and Half
	// is half of the interval that holds the truth in 95 of 100 cases.
	Difference Value `json:"difference"`
	Half       Value `json:"difference_half"`
	Worse      bool  `json:"worse"` // as it is, beyond that interval
}

// Pair is a figure of both runs.
type Pair struct {
	Key   string `json:"key"`
	Name  string `json:"name"`
	AsIs  Side   `json:"as_is"`
	Fixed Side   `json:"fixed"`
}

// Side is a figure of one of them.
type Side struct {
	Mean Value  `json:"mean"`
	Low  Value  `json:"low"`
	High Value  `json:"high"`
	Text string `json:"text"`
}

// Value is a number that may be unknown, or without a bound: JSON has null then.
type Value float64

// MarshalJSON writes the number, or null.
func (v Value) MarshalJSON() ([]byte, error) {
	if x := float64(v); math.IsNaN(x) || math.IsInf(x, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(v))
}

var (
	// ErrNoWorld: of the rule nothing can be run.
	ErrNoWorld = errors.New("there is no scenario for this rule")
	// ErrNoChange: what mends the finding is for a person to decide.
	ErrNoChange = errors.New("what mends it is for somebody to decide")
)

// Can reports whether a finding of the rule can be proven.
func Can(rule string) bool { return worlds[rule].build != nil }

// Rules returns the rules whose findings can be proven.
func Rules() (all []string) {
	for _, r := range check.Rules() {
		if Can(r.ID) {
			all = append(all, r.ID)
		}
	}
	return all
}

// Of runs a finding's scenario twice. Files are those that the finding was made
// in. The error is ErrNoWorld, ErrNoChange, or what is wrong with the scenario.
func Of(f check.Finding, files []*config.File) (*Proof, error) {
	w := worldOf(f)
	if w.build == nil {
		return nil, ErrNoWorld
	}
	if len(f.Changes) == 0 {
		return nil, ErrNoChange
	}
	s, err := newStage(f, files)
	if err != nil {
		return nil, err
	}
	if masked := s.dep != nil && len(s.dep.Fallback.Order) > 0; masked && (f.Rule == "per-try-over-total" ||
		f.Rule == "attempt-without-limit") {
		// Users have an answer all the same, but not the dependency's.
		w.figure, w.name, w.less = "dependencies.US.DEP.fallback", "calls that a fallback had to answer", true
	}
	p := &Proof{Finding: f, About: w.about, Mended: []string{}}
	p.Scenario = w.build(s)
	for _, c := range f.Changes {
		p.Changes = append(p.Changes, c.String())
	}
	if err := p.settle(s, w); err != nil || p.Worse {
		return p, err
	}
	// Another mistake may stand before this one, as a breaker that opens on a
	// usual day stands before every retry.
	if p.Mended = s.mendOthers(); len(p.Mended) == 0 {
		return p, nil
	}
	p.Scenario = w.build(s)
	return p, p.settle(s, w)
}

// settle runs both and compares them.
func (p *Proof) settle(s *stage, w world) error {
	asIs, err := s.run(p.Scenario, nil)
	if err != nil {
		return err
	}
	fixed, err := s.run(p.Scenario, p.Finding.Changes)
	if err != nil {
		return err
	}
	p.Decides, p.Figures = s.key(w.figure), nil
	if err := p.compare(asIs, fixed, s.keys(w)); err != nil {
		return err
	}
	return p.judge(asIs, fixed, w.less)
}

// judge compares the figure that tells, run by run: both made each run with the
// same arrivals and draws. What is less than a hundredth is no difference.
func (p *Proof) judge(asIs, fixed *study.Summary, less bool) error {
	a, err := asIs.Get(p.Decides)
	if err != nil {
		return err
	}
	b, err := fixed.Get(p.Decides)
	if err != nil {
		return err
	}
	var diffs []float64
	for i := range a.Runs {
		diffs = append(diffs, b.Runs[i]-a.Runs[i])
	}
	d := stats.Mean(diffs, study.Level)
	p.Difference, p.Half = Value(d.Mean), Value(d.Half)
	if less {
		d.Mean = -d.Mean
	}
	size := max(math.Abs(a.Mean), math.Abs(b.Mean))
	if a.Unit == study.Share { // 99 % and 99.9 % are ten times as many failures
		size = max(min(a.Mean, 1-a.Mean), min(b.Mean, 1-b.Mean))
	}
	p.Worse = d.Mean > d.Half && d.Mean > 0.01*size
	return nil
}

// run makes the runs of a scenario, with changes made to the finding's file.
func (s *stage) run(scenario string, changes []check.Change) (*study.Summary, error) {
	texts := map[string][]byte{}
	for _, f := range s.files {
		text := f.Text()
		if f.Name() == s.finding.File {
			for _, c := range changes {
				var err error
				if text, err = config.Set(text, c.Path, c.Value); err != nil {
					return nil, err
				}
			}
		}
		for _, key := range s.without {
			// What is not there need not be taken out.
			if out, err := config.Set(text, key, ""); err == nil {
				text = out
			}
		}
		texts[filepath.Base(s.policies[f.Name()])] = text
	}
	sc, err := config.ParseScenario("proof.yaml", []byte(scenario), func(path string) ([]byte, error) {
		text, ok := texts[filepath.Base(path)]
		if !ok {
			return nil, fmt.Errorf("%s is not part of the proof", path)
		}
		return text, nil
	})
	if err != nil {
		return nil, fmt.Errorf("the scenario of %s: %w", s.finding.Rule, err)
	}
	var results []*sim.Result
	for seed := range sc.Runs {
		r, err := sim.Run(sc, sim.Options{Seed: uint64(seed)})
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return study.Summarise(results), nil
}

// compare puts the figures of both runs side by side, those of keys that neither
// has left out.
func (p *Proof) compare(asIs, fixed *study.Summary, keys []named) error {
	for i, k := range keys {
		a, err := asIs.Get(k.key)
		if err == nil {
			var b study.Figure
			if b, err = fixed.Get(k.key); err == nil {
				p.Figures = append(p.Figures, Pair{k.key, k.name, sideOf(a), sideOf(b)})
			}
		}
		if err != nil && i == 0 {
			return err
		}
	}
	return nil
}

func sideOf(f study.Figure) Side { return Side{Value(f.Mean), Value(f.Low), Value(f.High), f.Text()} }

// Choose returns the findings to prove: those of a rule, or the first of each
// rule that can be proven.
func Choose(all []check.Finding, rule string) (chosen []check.Finding) {
	var seen []string
	for _, f := range all {
		if rule != "" && f.Rule != rule || !Can(f.Rule) || len(f.Changes) == 0 ||
			rule == "" && slices.Contains(seen, f.Rule) {
			continue
		}
		seen = append(seen, f.Rule)
		chosen = append(chosen, f)
	}
	return chosen
}
