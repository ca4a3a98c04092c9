package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures what the arguments ask for and writes it to w.
func run(args []string, w io.Writer) error {
	o := options{procs: []int{1, 2}}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.IntVar(&o.rounds, "rounds", 9, "how often each variant is measured")
	flags.DurationVar(&o.time, "time", 100*time.Millisecond, "how long a variant's round takes")
	pattern := flags.String("run", "", "measure only rows whose \"id title\" matches this `regexp`")
	asJSON := flags.Bool("json", false, "print JSON")
	asMarkdown := flags.Bool("markdown", false, "print the table of README.md")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.rounds < 1 || o.time <= 0 || flags.NArg() > 0 {
		return errors.New("give -rounds of 1 or more, a -time above 0, and no arguments")
	}
	chosen, err := choose(*pattern)
	if err != nil {
		return err
	}
	out := report{About: about(), Began: load()}
	asText := !*asJSON && !*asMarkdown
	if asText {
		out.header(w)
	}
	for _, r := range chosen {
		for _, procs := range o.procs {
			samples, lent := measure(r, procs, o)
			results := summarize(r, procs, samples, lent)
			out.Results = append(out.Results, results...)
			if asText {
				printRow(w, r, procs, results)
			}
		}
	}
	out.Targets, out.Ended = judge(out.Results), load()
	if *asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(out)
	}
	if *asMarkdown {
		printMarkdown(w, chosen, o.procs, out.Results)
	}
	printTargets(w, out.Targets)
	fmt.Fprintf(w, "\nload of the machine: %s at the start, %s at the end\n", out.Began, out.Ended)
	return nil
}

// choose returns the rows that match.
func choose(pattern string) ([]row, error) {
	match, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	chosen := slices.DeleteFunc(rows(), func(r row) bool {
		return !match.MatchString(r.id + " " + r.title)
	})
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no row matches %q", pattern)
	}
	return chosen, nil
}

// report is everything that a run found out.
type report struct {
	About   []string  `json:"about"`
	Began   string    `json:"load_at_start"`
	Ended   string    `json:"load_at_end"`
	Results []result  `json:"results"`
	Targets []verdict `json:"targets"`
}

func (r *report) header(w io.Writer) {
	fmt.Fprintln(w, strings.Join(r.About, "\n"))
	fmt.Fprint(w, `cpu: processor time of the whole process for each call; wall: elapsed time for
each call; medians of the rounds. With 2 procs two goroutines share one object.
Ratios are of processor time, taken round by round; in brackets the middle half.
`)
}

// about says what was measured on what.
func about() []string {
	out := []string{fmt.Sprintf("%s %s/%s, %d processors", runtime.Version(), runtime.GOOS,
		runtime.GOARCH, runtime.NumCPU())}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return out
	}
	var peers []string
	for _, m := range info.Deps {
		for _, peer := range []string{"failsafe-go", "gobreaker", "backoff", "x/sync"} {
			if strings.Contains(m.Path, peer) {
				peers = append(peers, m.Path+" "+m.Version)
			}
		}
	}
	return append(out, strings.Join(peers, ", "))
}

// load is how many programs want a processor, over 1, 5 and 15 minutes.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 3 {
		return "unknown"
	}
	return strings.Join(fields[:3], " ")
}
