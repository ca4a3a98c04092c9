package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/cmd/seakeep/tune"
)

const tuneLong = `Proposes settings of a policy file from what was measured: timeouts, slots, the
queue for them, connections, when copies are due, how many calls decide a breaker
and what is slow, and the retry budget.

The patch goes to standard output, as a unified diff, and the reasons to standard
error; --write changes the file instead. Comments, order and anchors of the file
stay. Nothing is proposed that "seakeep check" would refuse, and nothing from too
few calls.

Without --false-timeouts a timeout is the p99.9 and half of it again. With it, it
is the latency that this share of healthy calls exceeds, and no more than that
unless --headroom says so; the file keeps the share as timeout.false-timeouts.

Sources (--from):
`

// tuneFlags are the flags of "tune".
type tuneFlags struct {
	from, dependency, match, unit, output string
	falseTimeouts, headroom               string
	over                                  time.Duration
	write, noEffect                       bool

	source  tune.Source
	options tune.Options
}

func newTuneCommand() *cobra.Command {
	var f tuneFlags
	long := tuneLong
	for _, k := range tune.Kinds {
		long += fmt.Sprintf("  %-11s %s\n", k[0], k[1])
	}
	c := &cobra.Command{
		Use:   "tune FILE --from SOURCE",
		Short: "Propose settings from what was measured",
		Long:  strings.TrimSpace(long),
		Example: "  seakeep tune seakeep.yaml --from prometheus:http://127.0.0.1:9090 --over 6h\n" +
			"  seakeep tune seakeep.yaml --from csv:calls.csv --dependency pricing --false-timeouts 0.1%\n" +
			"  seakeep tune seakeep.yaml --from admin:http://127.0.0.1:9901 | patch -p0",
		Args:    onePolicy,
		PreRunE: func(cmd *cobra.Command, args []string) error { return f.read(cmd, args[0]) },
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },

		DisableFlagsInUseLine: true,
	}
	flags := c.Flags()
	flags.StringVar(&f.from, "from", "", "where the figures are")
	flags.StringVar(&f.dependency, "dependency", "", "of which dependency they are; only this one is tuned")
	flags.StringVar(&f.falseTimeouts, "false-timeouts", "",
		"share of healthy calls a timeout may cut off, such as 0.1%")
	flags.StringVar(&f.headroom, "headroom", "", "what a timeout has above that, such as 50%")
	flags.DurationVar(&f.over, "over", time.Hour, "of prometheus: how far back")
	flags.StringVar(&f.match, "match", "", `of prometheus: further matchers, such as job="shop"`)
	flags.StringVar(&f.unit, "unit", "ns", "of hlog: what its values are in: s, ms, us, ns")
	flags.BoolVarP(&f.write, "write", "w", false, "change the file, and print no patch")
	flags.StringVarP(&f.output, "output", "o", "text", "text, or json: all in one object on standard output")
	flags.BoolVar(&f.noEffect, "no-effect", false, "do not run the simulator")
	return c
}

func (f *tuneFlags) read(cmd *cobra.Command, name string) (err error) {
	if f.from == "" {
		return errors.New("--from is missing; say where the figures are, such as --from csv:calls.csv")
	}
	if f.source, err = tune.ParseSource(f.from); err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	f.source.Stdin, f.source.Over, f.source.Match = cmd.InOrStdin(), f.over, f.match
	f.source.Unit = map[string]float64{"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[f.unit]
	f.options.Headroom = -1
	if f.falseTimeouts != "" {
		if f.options.FalseTimeouts, err = readShare(f.falseTimeouts, 0.00001, 0.1); err != nil {
			return fmt.Errorf("--false-timeouts: %w", err)
		}
	}
	if f.headroom != "" {
		if f.options.Headroom, err = readShare(f.headroom, 0, 10); err != nil {
			return fmt.Errorf("--headroom: %w", err)
		}
	}
	switch {
	case f.source.Unit == 0:
		return fmt.Errorf("--unit is %q; use s, ms, us or ns", f.unit)
	case f.over < time.Minute || f.over > 90*24*time.Hour:
		return fmt.Errorf("--over is %v; use 1m to 2160h", f.over)
	case f.output != "text" && f.output != "json":
		return fmt.Errorf("--output is %q; use text or json", f.output)
	case name == "-" && f.write:
		return errors.New("standard input cannot be changed; leave --write out")
	case name == "-" && f.source.Where == "-":
		return errors.New("standard input, -, can be read once only")
	}
	return nil
}

// readShare reads 0.1% or 0.001.
func readShare(text string, least, most float64) (float64, error) {
	number, isPercent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(number, 64)
	if isPercent {
		v /= 100
	}
	if err != nil || !(v >= least && v <= most) {
		return 0, fmt.Errorf("%q is not a share from %g%% to %g%%; use one such as 0.1%%", text, 100*least, 100*most)
	}
	return v, nil
}

func (f *tuneFlags) run(cmd *cobra.Command, name string) error {
	file, _, err := readFile(name, cmd.InOrStdin())
	if err != nil {
		return err
	}
	samples, err := f.source.Read(cmd.Context())
	if err != nil {
		return err
	}
	r, err := tune.Run(file, samples, f.dependency, f.options)
	if err != nil {
		return err
	}
	r.Source = f.from
	if !f.noEffect {
		if err := r.Effects(); err != nil {
			return err
		}
	}
	if f.output == "json" {
		err = live.WriteJSON(cmd.OutOrStdout(), r)
	} else {
		err = r.WriteText(cmd.ErrOrStderr())
	}
	switch {
	case err != nil:
		return err
	case f.write && r.Patch != "":
		return replaceFile(name, r.After)
	case f.output == "json" || f.write:
		return nil
	}
	_, err = io.WriteString(cmd.OutOrStdout(), r.Patch)
	return err
}

// replaceFile puts another text in a file's place at once, so that whoever
// watches it never sees half.
func replaceFile(name string, text []byte) error {
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(target), ".seakeep-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(text)
	err = errors.Join(err, tmp.Chmod(info.Mode().Perm()), tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), target)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}
