package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/seakeep/seakeep/cmd/seakeep/demo"
)

// demoFlags are the flags of "demo" as they were written.
type demoFlags struct {
	options demo.Options
	slow    []string
	protect string
	json    bool
	play    bool
	noShow  bool

	dashboard dashboardFlags
}

const demoLong = `Runs a checkout program with a pool of 200 workers, the three services it depends
on, and its users, all over real sockets on this machine. One of the services
gets slow. What happens then depends on which rungs of the policy file are on.

With --play its wall and "Try it" are pages in a browser, where the services can
be made slow by hand, and it stays until Ctrl-C.

Nothing is needed and nothing is left behind. Ctrl-C ends it early, with a
report.`

// playAt is where the pages are with --play, if nobody else is there.
const playAt = "127.0.0.1:9901"

func newDemoCommand() *cobra.Command {
	f := demoFlags{options: demo.Defaults(30 * time.Second)}
	c := &cobra.Command{
		Use:     "demo",
		Short:   "Watch one slow dependency take a service down, or be stopped from it",
		Long:    demoLong,
		Args:    cobra.NoArgs,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return f.check(cmd.Flags().Changed("for")) },
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	o, flags := &f.options, c.Flags()
	flags.DurationVar(&o.For, "for", o.For,
		"how long to run; with --play or --admin, unless this or --json is given, until Ctrl-C")
	flags.BoolVar(&f.play, "play", false,
		"show the wall and Try it in a browser, at "+playAt+" or the next free port")
	flags.BoolVar(&f.noShow, "no-browser", false, "with --play: leave the browser alone")
	flags.IntVar(&o.Rate, "rate", o.Rate, "requests a second, a third of them for each endpoint")
	flags.StringArrayVar(&f.slow, "slow", nil,
		"NAME=LATENCY@START+LENGTH: what gets slow; LATENCY may be down, or none for no answer;\n"+
			"repeat it for more, or say off (default recommendations=2s, for half of the run)")
	flags.StringVar(&f.protect, "protect", "all",
		"none, all, or a list of timeout, retry, budget, breaker, bulkhead and fallback")
	flags.BoolVar(&f.json, "json", false, "print the report as JSON, and what happens to stderr")
	flags.IntVar(&o.Pool, "pool", o.Pool, "workers of the checkout program")
	flags.IntVar(&o.Queue, "queue", o.Queue, "requests that may wait for a worker")
	flags.Uint64Var(&o.Seed, "seed", o.Seed, "of arrivals and latencies")
	flags.StringVar(&o.Admin, "admin", "",
		"`address` of the dashboard and of /metrics while it runs, such as 127.0.0.1:9901")
	f.dashboard.add(flags)
	addCommands(c, newDemoOverloadCommand(), newDemoTenantsCommand(), newDemoMetastableCommand(),
		newDemoTailCommand())
	return c
}

// check reads the flags. timed says that there is one for how long to run.
func (f *demoFlags) check(timed bool) (err error) {
	o := &f.options
	if f.play && o.Admin == "" {
		o.Admin, o.Spare = playAt, true
	}
	o.Stay = o.Admin != "" && !timed && !f.json
	if f.options.Protect, err = demo.ParseRungs(f.protect); err != nil {
		return err
	}
	if f.options.Slow, err = f.windows(); err != nil {
		return err
	}
	if err := f.dashboard.check(); err != nil {
		return err
	}
	return f.options.Validate()
}

// windows reads what gets slow.
func (f *demoFlags) windows() (list []demo.Slow, err error) {
	switch {
	case len(f.slow) == 0:
		return demo.Defaults(f.options.For).Slow, nil
	case len(f.slow) == 1 && f.slow[0] == "off":
		return nil, nil
	case slices.Contains(f.slow, "off"):
		return nil, errors.New("--slow off says that nothing gets slow; remove it, or the others")
	}
	for _, text := range f.slow {
		s, err := demo.ParseSlow(text)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

func (f *demoFlags) run(cmd *cobra.Command) (err error) {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	screen := demo.Screen{Out: cmd.OutOrStdout()}
	if f.json {
		screen.Out = cmd.ErrOrStderr()
	} else if isTerminal(screen.Out) {
		screen.Live, screen.Color = true, os.Getenv("NO_COLOR") == ""
		if f.play && !f.noShow {
			screen.Open = openPages
		}
	}
	// What its log would say is on the dashboard, and would spoil the picture.
	if f.options.Dashboard, err = f.dashboard.options(slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	report, err := demo.Run(ctx, f.options, screen)
	if err != nil {
		return err
	}
	if f.json {
		return report.WriteJSON(cmd.OutOrStdout())
	}
	return report.WriteTable(cmd.OutOrStdout(), invocation(os.Args[0]))
}

// isTerminal reports whether w is a terminal that can be drawn on.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	// The null device is a character device as well.
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// invocation is how to call the demo again, so that what it proposes can be
// pasted.
func invocation(program string) string {
	switch {
	case strings.Contains(program, "go-build"): // where "go run" builds
		program = "go run ./cmd/seakeep"
	case !strings.ContainsRune(program, filepath.Separator):
		program = "seakeep" // found on the path
	}
	return fmt.Sprint(program, " demo")
}
