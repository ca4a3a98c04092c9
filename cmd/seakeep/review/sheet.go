package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seakeep/seakeep/config"
)

// Sheet is what a policy file means. Times are in milliseconds.
type Sheet struct {
	File         string    `json:"file"`
	Service      string    `json:"service"`
	Door         *Door     `json:"serve,omitempty"` // nil: the service takes what comes
	Dependencies []Subject `json:"dependencies"`
	Warnings     []string  `json:"warnings"`

	Table  []Row      `json:"table"`
	Series *Series    `json:"series,omitempty"` // nil: no dependency says what it keeps
	Values []InEffect `json:"values"`
}

// InEffect is a value in effect, and where it comes from: a file and a line, or
// the default.
type InEffect struct {
	Path  string `json:"path"`
	Value string `json:"value"`
	From  string `json:"from"`
}

// Door is what stands before the service.
type Door struct {
	Rungs []Rung   `json:"rungs"`
	Off   []string `json:"off"`
}

// Subject is a dependency or an operation of it.
type Subject struct {
	Name       string    `json:"name"`
	Kind       string    `json:"kind,omitempty"` // of a dependency
	Endpoints  int       `json:"endpoints,omitempty"`
	Match      string    `json:"match,omitempty"` // of an operation
	Rungs      []Rung    `json:"rungs"`
	Off        []string  `json:"off"`
	As         []string  `json:"as_dependency,omitempty"` // rungs an operation writes nothing of
	Worst      Worst     `json:"worst"`
	Load       Load      `json:"load"`
	Slots      *Slots    `json:"slots,omitempty"`
	Shards     *Shards   `json:"shards,omitempty"`
	Second     *Second   `json:"failover,omitempty"`
	Operations []Subject `json:"operations,omitempty"`
}

// Rung is a section of the file with its numbers as they take effect.
type Rung struct {
	Name   string  `json:"name"`
	Values []Value `json:"values"`
}

// Value is one number of a rung. Its Key may have dots.
type Value struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Source string `json:"source"` // default, file or dependency
}

// New makes the sheet of a file.
func New(f *config.File, name string) *Sheet {
	s := &Sheet{File: name, Service: f.Service, Dependencies: []Subject{}, Warnings: []string{}}
	all := f.Effective()
	if f.Serve != nil {
		s.Door = new(Door)
		s.Door.Rungs, s.Door.Off = rungs(all, "serve")
	}
	s.Table, s.Series = []Row{}, seriesOf(f)
	for _, d := range f.Dependencies {
		s.Dependencies = append(s.Dependencies, dependency(d, all))
		s.Table = append(s.Table, rowOf(d))
	}
	for _, e := range all {
		from := "default"
		if e.Line > 0 {
			from = fmt.Sprintf("%s:%d", name, e.Line)
		}
		s.Values = append(s.Values, InEffect{e.Path, e.Value, from})
	}
	for _, w := range f.Warnings() {
		s.Warnings = append(s.Warnings, w.String())
	}
	return s
}

func dependency(d *config.Dependency, all []config.Effective) Subject {
	path := "dependencies." + quoted(d.Name)
	s := Subject{Name: d.Name, Kind: d.Kind.String(), Endpoints: len(d.Endpoints)}
	s.Rungs, s.Off = rungs(all, path)
	s.Worst, s.Load = worstOf(&d.Settings), loadOf(&d.Settings, d.Measured)
	s.Slots, s.Shards, s.Second = slotsOf(d, s.Worst), shardsOf(d), secondOf(d)
	for i := range d.Operations {
		s.Operations = append(s.Operations, operation(&d.Operations[i], i, path, all))
	}
	return s
}

// operation leaves out the rungs of which the operation writes nothing itself.
func operation(op *config.Operation, i int, path string, all []config.Effective) Subject {
	s := Subject{Name: op.Name, Match: matching(op.Match)}
	every, off := rungs(all, path+".operations["+itoa(i)+"]")
	for _, r := range every {
		if slices.ContainsFunc(r.Values, func(v Value) bool { return v.Source == "file" }) {
			s.Rungs = append(s.Rungs, r)
		} else {
			s.As = append(s.As, r.Name)
		}
	}
	s.Off = off
	// Of an operation it is not known how much of the traffic is its.
	s.Worst, s.Load = worstOf(&op.Settings), loadOf(&op.Settings, config.Measured{})
	return s
}

// quoted writes a name as it stands in a path.
func quoted(name string) string {
	if strings.ContainsRune(name, '.') {
		return `"` + name + `"`
	}
	return name
}

// plain are keys of a dependency or of the door that are no rungs.
var plain = []string{"kind", "listen", "endpoints", "operations", "name", "match", "upstream",
	"availability", "when-down", "policy"}

// rungs returns the sections below a path, and which of them are off.
func rungs(all []config.Effective, path string) (on []Rung, off []string) {
	off = []string{}
	for _, e := range all {
		key, below := strings.CutPrefix(e.Path, path+".")
		if !below {
			continue
		}
		name, key, _ := strings.Cut(key, ".")
		name, index, list := strings.Cut(name, "[")
		if list {
			key = "[" + index + "." + key
		}
		switch {
		case slices.Contains(plain, name), name == "measured" && e.Value == "unknown":
			continue
		case key == "" && (e.Value == "off" || e.Value == "none"):
			off = append(off, name)
			continue
		}
		if n := len(on); n == 0 || on[n-1].Name != name {
			on = append(on, Rung{Name: name})
		}
		last := &on[len(on)-1]
		last.Values = append(last.Values, Value{key, e.Value, e.Source.String()})
	}
	return on, off
}

// matching says which requests are an operation's.
func matching(m config.Match) string {
	if m.Empty() {
		return "by name"
	}
	var parts []string
	if len(m.Methods) > 0 {
		parts = append(parts, strings.Join(m.Methods, " or "))
	}
	for _, part := range []string{m.Host, m.Path} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	for _, h := range m.Headers {
		parts = append(parts, h.Name+": "+h.Value)
	}
	return strings.Join(parts, " ")
}
