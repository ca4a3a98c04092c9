package config

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Source says where a value in effect comes from.
type Source uint8

const (
	// FromDefault: the file does not give the key.
	FromDefault Source = iota
	// FromFile: the file gives the key.
	FromFile
	// FromDependency: an operation takes the value from its dependency.
	FromDependency
)

// String returns "default", "file" or "dependency".
func (s Source) String() string {
	switch s {
	case FromDefault:
		return "default"
	case FromFile:
		return "file"
	case FromDependency:
		return "dependency"
	}
	return "invalid"
}

// Effective is one value in effect: the difference between a key that is left
// out and one that is written as zero stays visible in Source.
type Effective struct {
	Path   string
	Value  string // as the file would have it; "off" where nothing is in effect
	Source Source
	Line   int // zero with FromDefault
}

// Effective returns every value in effect, in the order of the grammar. It
// reads the file's text once more, as Parse keeps only what calls need.
func (f *File) Effective() []Effective {
	_, d := parse(f.name, f.text, true)
	return d.values
}

// WriteEffective prints Effective as a table: path, value, source.
func (f *File) WriteEffective(w io.Writer) error { return writeEffective(w, f.Effective()) }

func writeEffective(w io.Writer, values []Effective) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, e := range values {
		from := e.Source.String()
		if e.Line > 0 {
			from = fmt.Sprintf("%s, line %d", from, e.Line)
		}
		fmt.Fprintf(t, "%s\t%s\t(%s)\n", e.Path, e.Value, from)
	}
	return t.Flush()
}

// note records the value in effect for key. A nil f is a default. What an
// operation takes from its dependency as it stands is recorded once.
func (o *object) note(key string, f *field, value string) {
	if !o.d.record {
		return
	}
	e := Effective{Path: join(o.path, key), Value: value}
	if o.d.noted[e.Path] {
		return
	}
	o.d.noted[e.Path] = true
	if f != nil {
		e.Source, e.Line = FromFile, f.node.Line
		if f.inherited {
			e.Source = FromDependency
		}
	}
	o.d.values = append(o.d.values, e)
}
