package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench/proxy:", err)
		os.Exit(1)
	}
}

// settings are what the command line asks for.
type settings struct {
	options
	rows, parties    *regexp.Regexp
	role, to         string
	seakeep          string
	asJSON, markdown bool
	noIdle           bool
}

func parse(args []string) (s settings, err error) {
	flags := flag.NewFlagSet("bench/proxy", flag.ContinueOnError)
	flags.IntVar(&s.pairs, "pairs", 6, "rounds of a row: in each, every proxy has a burst")
	flags.DurationVar(&s.burst, "burst", 2*time.Second, "how long a burst takes")
	rows := flags.String("run", "", "measure only rows whose \"id title\" matches this `regexp`")
	names := flags.String("proxies", "", "measure only proxies whose name matches this `regexp`; plain always is")
	flags.StringVar(&s.seakeep, "seakeep", "", "the `program` to measure; made from this tree if not given")
	flags.BoolVar(&s.asJSON, "json", false, "print JSON")
	flags.BoolVar(&s.markdown, "markdown", false, "print the table of README.md")
	flags.BoolVar(&s.noIdle, "no-idle", false, "do not measure idle connections")
	flags.StringVar(&s.role, "role", "", "run as `one` of the parties: backend, plain, plain-h2")
	flags.StringVar(&s.to, "to", "", "the backend's `address`, for a role")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if s.pairs < 1 || s.burst <= 0 || flags.NArg() > 0 {
		return s, errors.New("give -pairs of 1 or more, a -burst above 0, and no arguments")
	}
	if s.rows, err = regexp.Compile(*rows); err != nil {
		return s, err
	}
	s.parties, err = regexp.Compile(*names)
	return s, err
}

// run measures what the arguments ask for and writes it to w.
func run(args []string, w io.Writer) error {
	s, err := parse(args)
	if err != nil {
		return err
	}
	if s.role != "" {
		return play(s.role, s.to)
	}
	if runtime.GOOS != "linux" {
		return errors.New("processor time and memory are read from /proc, so this needs Linux")
	}
	st, stop, err := set(s)
	if err != nil {
		return err
	}
	defer stop()
	return s.measure(st, w)
}

// set makes the stage ready.
func set(s settings) (st *stage, stop func(), err error) {
	dir, err := os.MkdirTemp("", "bench-proxy-")
	if err != nil {
		return nil, nil, err
	}
	st = &stage{dir: dir, seakeep: s.seakeep}
	stop = func() { _ = os.RemoveAll(dir) }
	defer func() {
		if err != nil {
			stop()
		}
	}()
	if err = os.Chmod(dir, 0o755); err != nil { // nginx's workers are others
		return nil, nil, err
	}
	if st.self, err = os.Executable(); err != nil {
		return nil, nil, err
	}
	if st.seakeep == "" {
		if st.seakeep, err = build(dir); err != nil {
			return nil, nil, err
		}
	}
	st.backend, err = spawn("backend", at{}, exec.Command(st.self, "-role", "backend"))
	if err != nil {
		return nil, nil, err
	}
	return st, func() { st.backend.stop(); _ = os.RemoveAll(dir) }, nil
}

func (s settings) measure(st *stage, w io.Writer) error {
	out := report{About: about()}
	asText := !s.asJSON && !s.markdown
	which := slices.DeleteFunc(parties(), func(p party) bool {
		return p.name != plainName && !s.parties.MatchString(p.name)
	})
	if asText {
		fmt.Fprintln(w, out.About)
		for _, p := range which {
			if !p.installed() {
				fmt.Fprintf(w, "%s is not installed\n", p.name)
			}
		}
	}
	for _, r := range rows() {
		if !s.rows.MatchString(r.id + " " + r.title) {
			continue
		}
		here := slices.DeleteFunc(slices.Clone(which), func(p party) bool { return !r.takes(p) })
		results, err := measureRow(st, r, here, s.options)
		if err != nil {
			return err
		}
		out.Results = append(out.Results, results...)
		if asText {
			printRow(w, r, results)
		}
	}
	for _, p := range which {
		if s.noIdle || !p.installed() {
			continue
		}
		i, err := measureIdle(st, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		out.Idle = append(out.Idle, i)
	}
	out.Targets = judge(out.Results, out.Idle)
	switch {
	case s.asJSON:
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(out)
	case s.markdown:
		fmt.Fprintf(w, "%s\n\n", out.About)
		printMarkdown(w, out)
	default:
		printIdle(w, out.Idle)
		printTargets(w, out.Targets)
	}
	return nil
}
