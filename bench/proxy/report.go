package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
)

// report is everything that was measured.
type report struct {
	About   string   `json:"about"`
	Results []result `json:"results"`
	Idle    []idle   `json:"idle"`
	Targets []target `json:"targets"`
}

// target is what we want to reach, and whether we did.
type target struct {
	What    string  `json:"what"`
	Most    float64 `json:"most"`
	Got     float64 `json:"got"`
	Reached bool    `json:"reached"`
}

func judge(results []result, memory []idle) (out []target) {
	add := func(what string, most, got float64) {
		out = append(out, target{what, most, got, got <= most})
	}
	for _, r := range rows() {
		for _, res := range results {
			if res.Row != r.id || res.Party != onName {
				continue
			}
			add(fmt.Sprintf("row %s: of plain's processor time", r.id), r.most, res.Ratio.Median)
			if res.OfOff != nil {
				add(fmt.Sprintf("row %s: ladder on, of ladder off", r.id), mostLadder, res.OfOff.Median)
			}
		}
	}
	for _, i := range memory {
		if i.Party == onName {
			add("KiB for an idle connection", mostIdle/1024, i.Bytes/1024)
		}
	}
	return out
}

func printRow(w io.Writer, r row, results []result) {
	fmt.Fprintf(w, "\n%s  %s\n", r.id, r.title)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\treq/s\tCPU us\tuser\tsystem\tof plain\tquartiles\tp50 us\tp99 us\t")
	for _, res := range results {
		fmt.Fprintf(t, "%s\t%.0f\t%.1f\t%.1f\t%.1f\t%.2f\t%.2f-%.2f\t%.0f\t%.0f\t\n", res.Party,
			res.Requests, res.CPU, res.User, res.System, res.Ratio.Median, res.Ratio.Low,
			res.Ratio.High, res.P50, res.P99)
	}
	_ = t.Flush()
	for _, res := range results {
		if q := res.OfOff; q != nil {
			fmt.Fprintf(w, "ladder on, of ladder off: %.2f (%.2f-%.2f)\n", q.Median, q.Low, q.High)
		}
	}
}

func printIdle(w io.Writer, all []idle) {
	fmt.Fprintf(w, "\nmemory of an idle connection, in KiB (%d of them)\n", idleConns)
	for _, i := range all {
		fmt.Fprintf(w, "  %-20s %6.1f\n", i.Party, i.Bytes/1024)
	}
}

func printTargets(w io.Writer, all []target) {
	fmt.Fprintln(w, "\ntargets")
	for _, t := range all {
		word := "reached"
		if !t.Reached {
			word = "MISSED"
		}
		fmt.Fprintf(w, "  %-7s %.2f of at most %.2f  %s\n", word, t.Got, t.Most, t.What)
	}
}

// printMarkdown writes the table of README.md.
func printMarkdown(w io.Writer, all report) {
	fmt.Fprintln(w, "| row | proxy | req/s | CPU us (user + system) | of plain (quartiles) | p50 / p99 us |")
	fmt.Fprintln(w, "| --- | --- | ---: | ---: | ---: | ---: |")
	for _, r := range rows() {
		first := "**" + r.id + "** " + r.title
		for _, res := range all.Results {
			if res.Row != r.id {
				continue
			}
			name := res.Party
			if name == onName {
				name = "**" + name + "**"
			}
			fmt.Fprintf(w, "| %s | %s | %.0f | %.1f (%.1f + %.1f) | %.2f (%.2f-%.2f) | %.0f / %.0f |\n",
				first, name, res.Requests, res.CPU, res.User, res.System, res.Ratio.Median,
				res.Ratio.Low, res.Ratio.High, res.P50, res.P99)
			first = ""
		}
	}
	printIdle(w, all.Idle)
	printTargets(w, all.Targets)
}

// about names the machine.
func about() string {
	model := runtime.GOARCH
	if f, err := os.Open("/proc/cpuinfo"); err == nil {
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			if name, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	load, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(load), " ")
	return fmt.Sprintf("%d processors, %s, %s, load %s at the start", runtime.NumCPU(), model,
		runtime.Version(), first)
}
