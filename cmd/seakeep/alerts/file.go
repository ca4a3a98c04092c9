package alerts

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// File is a file of rules.
type File struct {
	Head   []string // comments
	Groups []Group
}

// Group is rules that are evaluated together, in order.
type Group struct {
	Name     string
	Interval string // such as 30s; empty: as Prometheus is set
	Rules    []Rule
}

// Rule is a recording rule or an alert.
type Rule struct {
	Record, Alert string // one of them
	Expr          string // with line breaks where a person wants them
	For, Keep     string // empty: none
	Labels        []Pair
	Annotations   []Pair
}

// Pair is a name and its value.
type Pair struct{ Name, Value string }

// WriteTo writes the file as YAML.
func (f *File) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	for _, line := range f.Head {
		b.WriteString(strings.TrimRight("# "+line, " ") + "\n")
	}
	b.WriteString("groups:\n")
	for _, g := range f.Groups {
		fmt.Fprintf(&b, "  - name: %s\n", g.Name)
		if g.Interval != "" {
			fmt.Fprintf(&b, "    interval: %s\n", g.Interval)
		}
		b.WriteString("    rules:\n")
		for _, r := range g.Rules {
			r.write(&b)
		}
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

func (r *Rule) write(b *strings.Builder) {
	if r.Record != "" {
		fmt.Fprintf(b, "      - record: %s\n", r.Record)
	} else {
		fmt.Fprintf(b, "      - alert: %s\n", r.Alert)
	}
	if lines := strings.Split(r.Expr, "\n"); len(lines) > 1 {
		b.WriteString("        expr: |\n")
		for _, line := range lines {
			fmt.Fprintf(b, "          %s\n", line)
		}
	} else {
		fmt.Fprintf(b, "        expr: %s\n", strconv.Quote(r.Expr))
	}
	if r.For != "" {
		fmt.Fprintf(b, "        for: %s\n", r.For)
	}
	if r.Keep != "" {
		fmt.Fprintf(b, "        keep_firing_for: %s\n", r.Keep)
	}
	writePairs(b, "labels", r.Labels)
	writePairs(b, "annotations", r.Annotations)
}

func writePairs(b *strings.Builder, key string, pairs []Pair) {
	if len(pairs) == 0 {
		return
	}
	fmt.Fprintf(b, "        %s:\n", key)
	for _, p := range pairs {
		fmt.Fprintf(b, "          %s: %s\n", p.Name, strconv.Quote(p.Value))
	}
}

// String returns the file as text.
func (f *File) String() string {
	var b strings.Builder
	_, _ = f.WriteTo(&b) // a Builder takes everything
	return b.String()
}
