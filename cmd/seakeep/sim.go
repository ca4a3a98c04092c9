package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/seakeep/seakeep/cmd/seakeep/simulate"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim/study"
)

const simLong = `Runs a scenario: the very policies of production, in virtual time, with models of
the servers, pools, queues, networks and users around them. Prints what users saw
and what each dependency had to bear, every figure with its interval.

The same file and seed give the same report, to the byte. A file named - is
standard input.

The exit status is 0 if all that the scenario expects holds, 1 if it does not or
the files hold mistakes, and 2 for a mistake in the command line.`

// simFlags are the flags of "sim".
type simFlags struct {
	asJSON, asCSV, trace, why bool
	page                      string
	seed                      uint64
	runs                      int
	length                    time.Duration
	until, sets               []string

	question simulate.Question
}

func newSimCommand() *cobra.Command {
	var f simFlags
	c := &cobra.Command{
		Use:   "sim FILE",
		Short: "See a policy fail or hold before it ships",
		Long:  simLong,
		Example: `  seakeep sim testdata/scenarios/checkout-cascade.yaml --why
  seakeep sim checkout.yaml --set dependencies.pricing.timeout.request=250ms --html report.html
  seakeep sim checkout.yaml --until-half-width endpoints.pricing.success=0.5%`,
		Args:    oneScenario,
		PreRunE: func(cmd *cobra.Command, args []string) error { return f.read(cmd, args[0]) },
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },

		DisableFlagsInUseLine: true,
	}
	flags := c.Flags()
	flags.BoolVar(&f.asJSON, "json", false, "print the report as JSON")
	flags.BoolVar(&f.asCSV, "csv", false, "print the figures as CSV, one a line")
	flags.StringVar(&f.page, "html", "", "also write the report to this file, as a page with charts")
	flags.BoolVar(&f.trace, "trace", false,
		"print every decision of the first run, one a line; with --json as the dashboard's events")
	flags.BoolVar(&f.why, "why", false, "also tell what led to what in the first run")
	flags.Uint64Var(&f.seed, "seed", 1, "of the random numbers, instead of the scenario's")
	flags.IntVar(&f.runs, "runs", 5, "how many runs, instead of the scenario's")
	flags.DurationVar(&f.length, "for", 0, "how long a run is, instead of the scenario's")
	flags.StringArrayVar(&f.until, "until-half-width", nil,
		"KEY=HALF: run on until the interval of a figure is that narrow; may be repeated")
	flags.StringArrayVar(&f.sets, "set", nil,
		"KEY=VALUE: change a key of the scenario, or of a policy if it begins with\n"+
			"dependencies. or SERVICE:dependencies.; KEY= removes it; may be repeated")
	addCommands(c, newSimEdgeCommand(), newSimCompareCommand(), newSimMetastableCommand(),
		newSimGalleryCommand())
	return c
}

func oneScenario(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return errors.New("give a scenario file, such as testdata/scenarios/checkout-cascade.yaml")
	case 1:
		return nil
	}
	return fmt.Errorf("one scenario at a time; %q is left over", args[1])
}

// read reads the flags and then the scenario, because whether a flag makes
// sense depends on it. Mistakes in files are no mistakes in the command line.
func (f *simFlags) read(cmd *cobra.Command, path string) error {
	q := &f.question
	if err := f.formats(); err != nil {
		return err
	}
	for _, text := range f.until {
		w, err := study.ParseWish(text)
		if err != nil {
			return fmt.Errorf("--until-half-width: %w", err)
		}
		q.Wishes = append(q.Wishes, w)
	}
	draft, err := openDraft(path, cmd.InOrStdin())
	if err != nil {
		return err
	}
	if err := f.change(cmd, draft); err != nil {
		return err
	}
	q.File, q.Why, q.Page = path, f.why, f.page != ""
	if err := q.Check(); err != nil {
		if strings.HasPrefix(err.Error(), "expect ") {
			return &workError{fmt.Errorf("%s: %w", draft.Name, err)}
		}
		return fmt.Errorf("--until-half-width: %w", err)
	}
	return nil
}

// formats checks that the flags ask for one thing.
func (f *simFlags) formats() error {
	n := 0
	for _, on := range []bool{f.asJSON || f.trace, f.asCSV} {
		if on {
			n++
		}
	}
	switch {
	case n > 1:
		return errors.New("--csv goes with neither --json nor --trace; give one of them")
	case f.trace && (f.why || f.page != "" || len(f.until) > 0):
		return errors.New("--trace prints one run and no report; leave the other flags out")
	case f.asCSV && f.why:
		return errors.New("--csv has figures only; leave --why out")
	}
	return nil
}

// openDraft reads a scenario that flags may change. Its mistakes are no mistakes
// in the command line.
func openDraft(path string, stdin io.Reader) (d config.Draft, err error) {
	if path != "-" {
		d, err = config.OpenDraft(path)
	} else {
		d, err = config.OpenDraft(os.DevNull) // for how it opens policy files
		d.Name = "stdin"
		if err == nil {
			d.Data, err = config.ReadAll(stdin)
		}
	}
	if err == nil {
		_, err = d.Parse()
	}
	if err != nil {
		return d, &workError{err}
	}
	return d, nil
}

// change applies --set and the flags that stand for keys.
func (f *simFlags) change(cmd *cobra.Command, d config.Draft) error {
	q := &f.question
	var with []string
	for _, one := range []struct{ flag, value string }{
		{"seed", strconv.FormatUint(f.seed, 10)}, {"runs", strconv.Itoa(f.runs)},
		{"for", f.length.String()},
	} {
		if cmd.Flags().Changed(one.flag) {
			with = append(with, "--"+one.flag+" "+one.value)
			var err error
			if d, err = d.Set(one.flag, one.value); err != nil {
				return err
			}
		}
	}
	_, s, err := changed(d, f.sets, with...)
	q.Sets, q.Scenario = f.sets, s
	return err
}

// changed applies --set, and reads the scenario that comes out. Whatever is
// wrong with it is a mistake in the command line; with says what else there was
// changed.
func changed(d config.Draft, sets []string, with ...string) (config.Draft, *config.Scenario, error) {
	for _, set := range sets {
		key, value, ok := strings.Cut(set, "=")
		if !ok {
			return d, nil, fmt.Errorf("--set %s: give KEY=VALUE, %s", set,
				"such as dependencies.pricing.retry.attempts=1")
		}
		var err error
		if d, err = d.Set(key, value); err != nil {
			return d, nil, fmt.Errorf("--set %w", err)
		}
		with = append(with, "--set "+set)
	}
	s, err := d.Parse()
	var mistakes config.Errors
	if errors.As(err, &mistakes) {
		return d, nil, fmt.Errorf("with %s: %w", strings.Join(with, ", "), mistakesOf(mistakes))
	}
	return d, s, err
}

// mistakesOf tells what is wrong with a changed file. Its lines are not those
// of any file that there is.
func mistakesOf(all config.Errors) error {
	var lines []string
	for _, e := range all {
		text := e.Path + ": " + e.Problem
		if e.Fix != "" {
			text += "; " + e.Fix
		}
		lines = append(lines, text)
	}
	return errors.New(strings.Join(lines, "\n"))
}

func (f *simFlags) run(cmd *cobra.Command) error {
	out := cmd.OutOrStdout()
	switch {
	case f.trace && f.asJSON:
		return simulate.WriteTraceJSON(out, f.question.Scenario)
	case f.trace:
		return simulate.WriteTrace(out, f.question.Scenario)
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	r, err := simulate.Run(ctx, f.question)
	if err != nil {
		return err
	}
	if f.page != "" {
		if err := writePage(f.page, r.WriteHTML); err != nil {
			return err
		}
	}
	if err := f.write(out, r); err != nil {
		return err
	}
	if n := r.Failed(); n > 0 {
		return fmt.Errorf("%d of %d expectations of %s fail", n, len(r.Findings), f.question.File)
	}
	return nil
}

func (f *simFlags) write(out io.Writer, r *simulate.Report) error {
	switch {
	case f.asJSON:
		return r.WriteJSON(out)
	case f.asCSV:
		return r.WriteCSV(out)
	}
	return r.WriteText(out, simulate.Style{Fancy: isTerminal(out) && os.Getenv("NO_COLOR") == ""})
}
