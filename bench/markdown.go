package main

import (
	"fmt"
	"io"
	"strings"
)

// printMarkdown writes the results as the table of README.md: a line for each
// variant, with one value for each number of procs.
func printMarkdown(w io.Writer, chosen []row, procs []int, results []result) {
	var heads, rules []string
	for _, n := range procs {
		heads = append(heads, plural(n, "proc"))
		rules = append(rules, "---:")
	}
	fmt.Fprintf(w, "| | %s | B | allocs | of the time of |\n", strings.Join(heads, " | "))
	fmt.Fprintf(w, "| --- | %s | ---: | ---: | --- |\n", strings.Join(rules, " | "))
	for _, r := range chosen {
		fmt.Fprintf(w, "| **%s** %s |%s\n", r.id, r.title, strings.Repeat(" |", len(procs)+3))
		for _, v := range r.variants {
			printLine(w, v, only(results, r.id, v.name))
		}
	}
	for _, r := range chosen {
		for _, v := range only(results, r.id, r.variants[0].name) {
			if short := shortOf(v); short != "" {
				fmt.Fprintf(w, "\nRow %s:%s", r.id, short)
			}
		}
	}
}

// only returns the results of one variant.
func only(results []result, id, variant string) (out []result) {
	for _, r := range results {
		if r.Row == id && r.Variant == variant {
			out = append(out, r)
		}
	}
	return out
}

func printLine(w io.Writer, v variant, results []result) {
	name := v.name
	if v.ours != nil {
		name = "**" + name + "**"
	}
	fmt.Fprintf(w, "| %s |", name)
	for _, r := range results {
		fmt.Fprintf(w, " %s%s |", number(r.CPU), plus(r.Adds))
	}
	fmt.Fprintf(w, " %s | %s | %s |\n", number(results[0].Bytes), number(results[0].Allocs),
		peersOf(results))
}

func plus(adds *float64) string {
	if adds == nil {
		return ""
	}
	return " (+" + number(*adds) + ")"
}

// peersOf is our share of each peer's time, at every number of procs.
func peersOf(results []result) string {
	var parts []string
	for i, peer := range results[0].Ratios {
		var shares []string
		for _, r := range results {
			shares = append(shares, share(r.Ratios[i].CPU))
		}
		parts = append(parts, peer.Peer+": "+strings.Join(shares, ", "))
	}
	return strings.Join(parts, "; ")
}
