package tune

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seakeep/seakeep/cmd/seakeep/review/check"
	"github.com/seakeep/seakeep/config"
)

// Report is what tune has to say about a file.
type Report struct {
	File    string    `json:"file"`
	Source  string    `json:"source"`
	Advice  []*Advice `json:"dependencies"`
	Unknown []string  `json:"not_in_the_file,omitempty"` // what the source has and the file does not
	Missing []string  `json:"not_measured,omitempty"`    // the other way round
	Shows   []string  `json:"check_finds,omitempty"`     // what the measured figures bring to light
	Patch   string    `json:"patch"`

	Before, After []byte `json:"-"`
}

// Run proposes changes of a file by samples. A sample that does not say of which
// dependency it is belongs to the one that is named, or to the file's only one.
func Run(file *config.File, all []Sample, only string, o Options) (*Report, error) {
	r := &Report{File: file.Name(), Before: file.Text(), After: file.Text(), Advice: []*Advice{}}
	if err := assign(file, all, only); err != nil {
		return nil, err
	}
	for _, s := range all {
		dep := file.Dependency(s.Dependency)
		switch {
		case dep == nil:
			r.Unknown = append(r.Unknown, s.Dependency)
		case only != "" && s.Dependency != only:
		default:
			r.Advice = append(r.Advice, advise(dep, s, o))
		}
	}
	if len(r.Advice) == 0 {
		return nil, fmt.Errorf("the source has nothing of the file's dependencies; it has %s",
			strings.Join(r.Unknown, ", "))
	}
	for _, d := range file.Dependencies {
		if !slices.ContainsFunc(r.Advice, func(a *Advice) bool { return a.Dependency == d.Name }) && only == "" {
			r.Missing = append(r.Missing, d.Name)
		}
	}
	if err := r.write(); err != nil {
		return nil, err
	}
	r.Patch = Diff(r.File, string(r.Before), string(r.After))
	return r, nil
}

// assign gives samples without a name the one that they are of.
func assign(file *config.File, all []Sample, only string) error {
	if only != "" && file.Dependency(only) == nil {
		return fmt.Errorf("%s has no dependency %s; it has %s", file.Name(), only, names(file))
	}
	for i := range all {
		if all[i].Dependency != "" {
			continue
		}
		switch {
		case only != "":
			all[i].Dependency = only
		case len(file.Dependencies) == 1:
			all[i].Dependency = file.Dependencies[0].Name
		default:
			return fmt.Errorf("the source does not say of which dependency it is; give --dependency: %s", names(file))
		}
	}
	return nil
}

func names(file *config.File) string {
	var all []string
	for _, d := range file.Dependencies {
		all = append(all, d.Name)
	}
	return strings.Join(all, ", ")
}

const rounds = 5 // of mending what check refuses

// write makes the changes, dependency by dependency, and takes out again what
// "seakeep check" would refuse.
func (r *Report) write() error {
	for _, a := range r.Advice {
		seen, _, _ := apply(r.After, a.changes(true))
		known, err := finds(r.File, seen)
		if err != nil { // the measured figures alone are no file
			known = nil
		}
		var text []byte
		for round := 0; ; round++ {
			var left map[string]error
			text, _, left = apply(r.After, a.changes(false))
			for i := range a.Proposals {
				if e := left[a.Proposals[i].Path]; e != nil && a.Proposals[i].Left == "" {
					a.Proposals[i].Left = e.Error()
				}
			}
			found, err := finds(r.File, text)
			if err != nil {
				return err
			}
			fresh := without(found, known)
			if len(fresh) == 0 {
				break
			}
			if round == rounds || !a.giveWay(fresh) {
				return errors.New("what was proposed cannot be made to please seakeep check: " + fresh[0].Rule)
			}
		}
		r.After = text
		a.settle()
	}
	before, err := finds(r.File, r.Before)
	if err != nil {
		return err
	}
	after, err := finds(r.File, r.After)
	if err != nil {
		return err
	}
	for _, f := range without(after, before) {
		r.Shows = append(r.Shows, fmt.Sprintf("%s: %s: %s", f.Rule, f.Why, f.Fix))
	}
	return nil
}

// changes are those that stand; measured: what was seen alone.
func (a *Advice) changes(measured bool) (all []change) {
	for _, p := range a.Proposals {
		if p.Left == "" && (!measured || strings.HasSuffix(p.Path, ".measured")) {
			all = append(all, change{p.Path, p.Value})
		}
	}
	return all
}

// finds is what check finds in a text, but for what is only worth knowing.
func finds(name string, text []byte) ([]check.Finding, error) {
	file, err := config.Parse(name, text)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(check.Files([]*config.File{file}), func(f check.Finding) bool {
		return f.Severity == check.Info
	}), nil
}

// without are the findings that are not among the known: by rule and key, as
// their numbers may have moved.
func without(found, known []check.Finding) (fresh []check.Finding) {
	for _, f := range found {
		if !slices.ContainsFunc(known, func(k check.Finding) bool { return k.Rule == f.Rule && k.Path == f.Path }) {
			fresh = append(fresh, f)
		}
	}
	return fresh
}

// giveWay takes the proposals back that findings are about; those of the whole
// dependency if none is. It reports whether there was any left to take.
func (a *Advice) giveWay(found []check.Finding) bool {
	gone := false
	for _, whole := range []bool{false, true} {
		for _, f := range found {
			for i := range a.Proposals {
				p := &a.Proposals[i]
				if p.Left != "" || strings.HasSuffix(p.Path, ".measured") {
					continue
				}
				if whole || p.Path == f.Path || strings.HasPrefix(f.Path, p.Path+".") ||
					strings.HasPrefix(p.Path, f.Path+".") {
					p.Left = fmt.Sprintf("seakeep check would refuse it: %s: %s", f.Rule, f.Why)
					gone = true
				}
			}
		}
		if gone {
			break
		}
	}
	return gone
}

// settle moves proposals that were not made to what is kept.
func (a *Advice) settle() {
	for _, p := range a.Proposals {
		if p.Left != "" {
			a.keep("%s: not set to %s: %s", strings.TrimPrefix(p.Path, pathOf(a.Dependency, "")), p.Value, p.Left)
		}
	}
	a.Proposals = slices.DeleteFunc(a.Proposals, func(p Proposal) bool { return p.Left != "" })
	// A measured section that says what it said is no change.
	if len(a.Proposals) == 1 && a.Proposals[0].Now == a.Proposals[0].Value {
		a.Proposals = nil
	}
}
