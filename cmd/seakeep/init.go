package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seakeep/seakeep/cmd/seakeep/presets"
	"github.com/seakeep/seakeep/cmd/seakeep/review/check"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/config/foreign"
)

const initLong = `Writes a first policy file, seakeep.yaml unless another is named, with a comment
beside each number that says why it is that number. A preset is one of the shapes
that a dependency commonly has; --list prints them.

On a terminal and without --preset it asks a few questions; anywhere else it
never asks. Figures that are given (--rate, --p50, --p99, --p999) go into the file
as measured, and timeouts, slots and windows follow from them; without any the
file has an example's. What "seakeep check" finds in the file is told.

A file that is there is left alone, unless --force is given. The file - is
standard output.`

// initFlags are the flags of "init".
type initFlags struct {
	preset, service, endpoint string
	rate                      string
	p50, p99, p999            time.Duration
	list, force               bool

	file   string
	chosen presets.Preset
	given  *presets.Figures // nil: none
}

func newInitCommand() *cobra.Command {
	var f initFlags
	c := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a first policy file",
		Long:  initLong,
		Example: "  seakeep init\n  seakeep init --preset cache --service shop --rate 2000/s --p99 3ms\n" +
			"  seakeep init --preset checkout - | seakeep plan -",
		PreRunE: func(cmd *cobra.Command, args []string) error { return f.read(cmd, args) },
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },

		DisableFlagsInUseLine: true,
	}
	flags := c.Flags()
	flags.StringVar(&f.preset, "preset", "", presets.Names())
	flags.StringVar(&f.service, "service", "", "name of your service (default: as the preset is called)")
	flags.StringVar(&f.endpoint, "endpoint", "", "where the dependency is, such as http://10.0.0.7:8080")
	flags.StringVar(&f.rate, "rate", "", "calls that it gets, such as 333/s or 20/m")
	flags.DurationVar(&f.p50, "p50", 0, "its median latency, as your service sees it")
	flags.DurationVar(&f.p99, "p99", 0, "its 99th percentile")
	flags.DurationVar(&f.p999, "p999", 0, "its 99.9th percentile")
	flags.BoolVar(&f.list, "list", false, "print the presets and write nothing")
	flags.BoolVar(&f.force, "force", false, "write over a file that is there")
	return c
}

// read checks the command line and, on a terminal, asks for what it lacks.
func (f *initFlags) read(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("one file at a time; %q is left over", args[1])
	}
	if f.file = "seakeep.yaml"; len(args) == 1 {
		f.file = args[0]
	}
	if f.list {
		return nil
	}
	if err := f.free(); err != nil {
		return err
	}
	if f.preset == "" {
		if !terminalIn(cmd.InOrStdin()) || !isTerminal(cmd.ErrOrStderr()) {
			return fmt.Errorf("--preset is missing; use %s", presets.Names())
		}
		if err := f.ask(bufio.NewReader(cmd.InOrStdin()), cmd.ErrOrStderr()); err != nil {
			return err
		}
	}
	return f.check()
}

// free reports an error if the file is there and is to stay.
func (f *initFlags) free() error {
	if f.file == "-" || f.force {
		return nil
	}
	if _, err := os.Lstat(f.file); !errors.Is(err, fs.ErrNotExist) {
		if err != nil {
			return err
		}
		return fmt.Errorf("%s is there already; name another file, or --force to write over it", f.file)
	}
	return nil
}

// check checks what flags or answers say.
func (f *initFlags) check() (err error) {
	found := false
	if f.chosen, found = presets.Find(f.preset); !found {
		return fmt.Errorf("--preset is %q; use %s", f.preset, presets.Names())
	}
	if f.service != "" && !foreign.ValidName(f.service) {
		return fmt.Errorf("--service is %q; use up to 63 letters, digits, dots, hyphens and underscores", f.service)
	}
	if f.endpoint != "" {
		u, err := url.Parse(f.endpoint)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" {
			return fmt.Errorf("--endpoint is %q; use an origin such as http://10.0.0.7:8080", f.endpoint)
		}
	}
	var given presets.Figures
	if f.rate != "" {
		if given.Rate, err = readRate(f.rate); err != nil {
			return fmt.Errorf("--rate: %w", err)
		}
	}
	given.P50, given.P99, given.P999 = f.p50, f.p99, f.p999
	if err := inOrder(given); err != nil {
		return err
	}
	if f.chosen.Many && given.P50+given.P99+given.P999 > 0 {
		return fmt.Errorf("the preset %s has dependencies of different latencies: leave --p50, --p99 and --p999 "+
			"out, and write into the file what each is measured to take", f.preset)
	}
	if need := given.TooMany(); need > 0 {
		return fmt.Errorf("%s of such calls need %.0f slots, more than one process has; give what one of yours makes",
			f.rate, need)
	}
	if given != (presets.Figures{}) {
		f.given = &given
	}
	return nil
}

// inOrder checks the quantiles that were given.
func inOrder(g presets.Figures) error {
	const least, most = time.Microsecond, 8760 * time.Hour
	before, name := time.Duration(0), ""
	for _, q := range []struct {
		flag string
		at   time.Duration
	}{{"--p50", g.P50}, {"--p99", g.P99}, {"--p999", g.P999}} {
		switch {
		case q.at == 0:
			continue
		case q.at < least || q.at > most:
			return fmt.Errorf("%s is %v; use 1us to 8760h, such as 75ms", q.flag, q.at)
		case q.at < before:
			return fmt.Errorf("%s, %v, is less than %s, %v", q.flag, q.at, name, before)
		}
		before, name = q.at, q.flag
	}
	return nil
}

// readRate reads a rate as policy files have it.
func readRate(text string) (perSecond float64, err error) {
	number, unit, _ := strings.Cut(strings.TrimSpace(text), "/")
	seconds := map[string]float64{"s": 1, "m": 60, "h": 3600}[unit]
	v, err := strconv.ParseFloat(number, 64)
	if v /= seconds; err != nil || seconds == 0 || math.IsNaN(v) || v < 0.0001 || v > 1e9 {
		return 0, fmt.Errorf("%q is not a rate; use 0.0001/s to 1000000000/s, such as 333/s, 20/m or 1/h", text)
	}
	return v, nil
}

func (f *initFlags) run(cmd *cobra.Command) error {
	out := cmd.OutOrStdout()
	if f.list {
		return listPresets(out)
	}
	text, err := f.chosen.Write(presets.Options{Service: f.service, Endpoint: f.endpoint, Figures: f.given})
	if err != nil {
		return err
	}
	file, err := config.Parse(f.file, text)
	if err != nil {
		return err
	}
	if f.file == "-" {
		_, err = out.Write(text)
	} else {
		err = writeNew(f.file, text, f.force)
	}
	if err != nil {
		return err
	}
	return f.tell(cmd.ErrOrStderr(), file)
}

// tell says what was written, what is wrong with it and what comes next.
func (f *initFlags) tell(w io.Writer, file *config.File) error {
	var b strings.Builder
	for _, found := range check.Files([]*config.File{file}) {
		fmt.Fprintf(&b, "line %d: %s: %s: %s; %s\n", found.Line, found.Severity, found.Rule, found.Why, found.Fix)
	}
	if f.file != "-" {
		fmt.Fprintf(&b, "%s is written. What it means: seakeep plan %s\n", f.file, f.file)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeNew writes a file that is not there, or over one that is.
func writeNew(name string, text []byte, over bool) error {
	how := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if over {
		how = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(name, how, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

func listPresets(w io.Writer) error {
	var b strings.Builder
	for _, p := range presets.All() {
		fmt.Fprintf(&b, "%-14s %s\n", p.Name, p.Title)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
