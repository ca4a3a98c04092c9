package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Error is one mistake in a policy file or a scenario file. Line and Column count from 1; Column
// counts characters.
type Error struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Path    string `json:"path"`    // the key, from the top of the file; empty: the file as a whole
	Problem string `json:"problem"` // what is wrong
	Fix     string `json:"fix"`     // how to mend it; may be empty
}

// Error returns the mistake on one line, beginning file:line:column so that
// editors and terminals can jump to it.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.message())
}

func (e *Error) message() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(e.Path)
		b.WriteString(": ")
	}
	b.WriteString(e.Problem)
	if e.Fix != "" {
		b.WriteString("; ")
		b.WriteString(e.Fix)
	}
	return b.String()
}

// Errors is everything that is wrong with a file, in the order of the text. It
// is never empty when it is returned as an error.
type Errors []*Error

// Error returns one mistake per line.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find the first *Error.
func (es Errors) Unwrap() []error {
	all := make([]error, len(es))
	for i, e := range es {
		all[i] = e
	}
	return all
}

func (es Errors) sort() { slices.SortStableFunc(es, byPlace) }

func byPlace(a, b *Error) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// Warning is something a file may say but hardly can mean. It is not an error:
// the file loads.
type Warning Error

// String returns the warning on one line, like Error.Error but marked.
func (w Warning) String() string {
	e := Error(w)
	return fmt.Sprintf("%s:%d:%d: warning: %s", w.File, w.Line, w.Column, e.message())
}
