package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// printRow writes the results of one row with so many procs.
func printRow(w io.Writer, r row, procs int, results []result) {
	fmt.Fprintf(w, "\n%s  %s, %s\n", r.id, r.title, plural(procs, "proc"))
	fmt.Fprint(w, shortOf(results[0]))
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	head := "cpu ns/op\tmiddle half\twall ns/op\tB/op\tallocs/op\t"
	if r.base != "" {
		head += "adds ns\t"
	}
	fmt.Fprintln(t, "  \t"+head)
	width := 0
	for _, v := range results {
		width = max(width, len(v.Variant))
	}
	for _, v := range results {
		fmt.Fprintf(t, "  %-*s\t%s\t%s..%s\t%s\t%s\t%s\t", width, v.Variant, number(v.CPU),
			number(v.Low), number(v.High), number(v.Wall), number(v.Bytes), number(v.Allocs))
		if r.base != "" {
			fmt.Fprintf(t, "%s\t", addition(v))
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush()
	for _, v := range results {
		if len(v.Ratios) > 0 {
			fmt.Fprintf(w, "  %s takes %s\n", v.Variant, ratios(v.Ratios))
		}
	}
}

// shortOf is a warning if the machine was too busy for what was measured.
func shortOf(r result) string {
	if r.Procs == 1 || r.Lent >= 0.8*float64(r.Procs) {
		return ""
	}
	return fmt.Sprintf("   the machine lent %.1f processors only, which hides contention\n", r.Lent)
}

func addition(v result) string {
	if v.Adds == nil {
		return "-"
	}
	return number(*v.Adds)
}

func ratios(all []ratio) string {
	var parts []string
	for _, r := range all {
		parts = append(parts, fmt.Sprintf("%s (%s..%s) of %s", share(r.CPU), share(r.Low),
			share(r.High), r.Peer))
	}
	return strings.Join(parts, ", ")
}

// printTargets writes what was asked and what was reached.
func printTargets(w io.Writer, verdicts []verdict) {
	if len(verdicts) == 0 {
		return
	}
	fmt.Fprintln(w, "\nTargets")
	for _, v := range verdicts {
		word := "reached"
		if !v.Reached {
			word = "NOT REACHED"
		}
		var values []string
		for _, procs := range slices.Sorted(maps.Keys(v.Values)) {
			values = append(values, v.show(v.Values[procs])+" at "+plural(procs, "proc"))
		}
		fmt.Fprintf(w, "  %-11s  %s: %s\n", word, v.What, strings.Join(values, ", "))
	}
}

// share writes a ratio as people say it: 1/8 of the time, or 1.3 times.
func share(n float64) string {
	if n > 0 && n < 1 {
		return fmt.Sprintf("1/%.1f", 1/n)
	}
	return fmt.Sprintf("%.1fx", n)
}

// number writes three digits of what is small and no fractions of the rest.
func number(n float64) string {
	if math.Abs(n) < 0.05 {
		return "0"
	}
	if n < 10 && math.Abs(n-math.Round(n)) >= 0.05 {
		return fmt.Sprintf("%.1f", n)
	}
	return fmt.Sprintf("%.0f", n)
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
