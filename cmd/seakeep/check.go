package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seakeep/seakeep/cmd/seakeep/review/check"
	"github.com/seakeep/seakeep/cmd/seakeep/review/prove"
	"github.com/seakeep/seakeep/config"
)

const checkLong = `Finds settings that are allowed but that an incident will punish: limits that
healthy calls run into, retries that multiply, fallbacks that fall with what they
stand in for. Each finding has a place, a reason, a number beside the one it
should be, a fix, and what has to happen for it to bite.

Give the files of all services that call one another, or one that names the
others (policy: under a dependency), and the call graph is checked too. A file
named - is standard input.

A comment "# seakeep:ignore RULE: reason" on the line of a finding or above it
takes the finding away.

The exit status is 0 if nothing is as severe as --fail-on, 1 if something is, and
2 if the command line is wrong or a file cannot be read.`

// checkFlags are the flags of "check".
type checkFlags struct {
	format, failOn, explain string
	list                    bool
	prove                   string

	at    check.Severity
	rule  *check.Rule
	names []string // of the files
}

// everyRule is what --prove says that names no rule.
const everyRule = "all"

func newCheckCommand() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check FILE...",
		Short: "Find settings that an incident will punish",
		Long:  checkLong,
		Example: `  seakeep check seakeep.yaml
  seakeep check --format sarif --fail-on warning services/*/seakeep.yaml
  seakeep check --prove timeout-missing seakeep.yaml
  seakeep check --explain retry-layers`,
		Args:    cobra.ArbitraryArgs,
		PreRunE: func(_ *cobra.Command, args []string) error { return f.read(args) },
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },

		DisableFlagsInUseLine: true,
	}
	flags := c.Flags()
	flags.StringVarP(&f.format, "format", "o", "text", strings.Join(check.Formats, ", "))
	flags.StringVar(&f.failOn, "fail-on", "error", "least severity with exit status 1: error, warning, info, or never")
	flags.BoolVar(&f.list, "list-rules", false, "print the rules and check nothing")
	flags.StringVar(&f.explain, "explain", "", "print what a rule is about and check nothing")
	flags.StringVar(&f.prove, "prove", "", "run what makes the findings bite, of one rule or of each the first,\n"+
		"as the file is and with the fix; with --format text or json")
	flags.Lookup("prove").NoOptDefVal = everyRule
	return c
}

// named takes a rule out of the arguments that is meant for --prove, which may
// stand there without one.
func (f *checkFlags) named(args []string) []string {
	if f.prove != everyRule || len(args) == 0 || check.Find(args[0]) == nil {
		return args
	}
	if _, err := os.Stat(args[0]); err == nil {
		return args
	}
	f.prove = args[0]
	return args[1:]
}

// read checks the command line.
func (f *checkFlags) read(args []string) (err error) {
	args = f.named(args)
	f.names = args
	if !slices.Contains(check.Formats, f.format) {
		return fmt.Errorf("--format is %q; use %s", f.format, strings.Join(check.Formats, ", "))
	}
	f.at = check.Error + 1
	if f.failOn != "never" {
		if f.at, err = check.ParseSeverity(f.failOn); err != nil {
			return fmt.Errorf("--fail-on: %w, or never", err)
		}
	}
	if f.explain != "" {
		if f.rule = check.Find(f.explain); f.rule == nil {
			return fmt.Errorf("--explain: there is no rule %q; --list-rules prints them", f.explain)
		}
	}
	if err := f.checkProve(); err != nil {
		return err
	}
	if f.list || f.rule != nil {
		if len(args) > 0 {
			return errors.New("--list-rules and --explain check no file; leave the files out")
		}
		return nil
	}
	if err := somePolicies(nil, args); err != nil {
		return err
	}
	return (&validateFlags{output: "text"}).check(args) // standard input once
}

func (f *checkFlags) checkProve() error {
	switch {
	case f.prove == "":
		return nil
	case f.format != "text" && f.format != "json":
		return fmt.Errorf("--prove prints text or json, not %s", f.format)
	case f.prove != everyRule && !prove.Can(f.prove):
		return fmt.Errorf("--prove: no scenario for %q; there is one for %s", f.prove,
			strings.Join(prove.Rules(), ", "))
	}
	return nil
}

func (f *checkFlags) run(cmd *cobra.Command) error {
	out := cmd.OutOrStdout()
	switch {
	case f.list:
		return listRules(out)
	case f.rule != nil:
		return explainRule(out, f.rule)
	}
	files, err := f.files(cmd.InOrStdin())
	if err != nil {
		return &unreadable{err}
	}
	if f.prove != "" {
		return f.proofs(out, files)
	}
	o := check.Output{Report: check.Run(files), Files: files, Version: version()}
	if err := o.Write(out, f.format); err != nil {
		return err
	}
	if o.Worst(f.at) {
		return fmt.Errorf("findings at or above %s", f.at)
	}
	return nil
}

// files reads the files, and those that they name.
func (f *checkFlags) files(stdin io.Reader) (files []*config.File, err error) {
	var errs []error
	for _, name := range f.names {
		file, _, err := readFile(name, stdin)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		files = append(files, file)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return check.Follow(files, config.Load)
}

func listRules(w io.Writer) error {
	var b strings.Builder
	for _, r := range check.Rules() {
		fmt.Fprintf(&b, "%-26s %-8s %s\n", r.ID, r.Severity, r.Title)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func explainRule(w io.Writer, r *check.Rule) error {
	_, err := fmt.Fprintf(w, "%s (%s): %s\n\n%s\n\nnumber  %s\nfix     %s\nbites   %s\n", r.ID, r.Severity,
		r.Title, r.Why, r.Number, r.Fix, r.Bites)
	return err
}

// unreadable marks files that cannot be read, as opposed to files in which
// something was found.
type unreadable struct{ error }

func (e *unreadable) Unwrap() error { return e.error }
