package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/cmd/seakeep/proxy"
)

// proxyFlags are what the proxy command is given beside its policy file.
type proxyFlags struct {
	config  string
	log     string
	options proxy.Options
	// processors is how many to work on; 0: see useProcessors.
	processors int
	tracing    tracing
	dashboard  dashboardFlags
}

func newProxyCommand() *cobra.Command {
	var f proxyFlags
	c := &cobra.Command{
		Use:   "proxy",
		Short: "Stand in front of the dependencies of a policy file",
		Long: `Stand in front of the dependencies of a policy file: each "listen" address
forwards to its endpoints through the policies that the file gives it.

The file is loaded again when it changes and on SIGHUP; a file that is wrong
changes nothing. SIGTERM and SIGINT drain, and a second one ends the program at
once. Every flag can be given as an environment variable too, such as
SEAKEEP_GRACE=10s; a flag wins over the variable, and that over the file.`,
		Example: `  seakeep proxy -c seakeep.yaml
  seakeep proxy -c seakeep.yaml --admin 127.0.0.1:9901 --drain-delay 5s --log json`,
		Args: cobra.NoArgs,
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := fromEnvironment(cmd); err != nil {
				return err
			}
			return f.check()
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := c.Flags()
	flags.StringVarP(&f.config, "config", "c", "seakeep.yaml", "the policy `file`")
	flags.StringVar(&f.options.Admin, "admin", "",
		"`address` of the dashboard, /livez, /readyz, /metrics and /v1/...; wins over the file's admin.listen")
	flags.DurationVar(&f.options.DrainDelay, "drain-delay", 0,
		"go on accepting for so long after SIGTERM, with /readyz saying 503")
	flags.DurationVar(&f.options.Grace, "grace", 30*time.Second,
		"how long requests under way may take to end after that")
	flags.IntVar(&f.options.MaxHead, "max-head", 64<<10,
		"the most `bytes` of a request's line and fields; more is answered with 431")
	flags.IntVar(&f.options.MaxConns, "max-connections", 10_000,
		"the most connections open at one address; the next one waits")
	flags.BoolVar(&f.options.NativeHistograms, "native-histograms", false,
		"offer durations on /metrics in fine buckets too, for a Prometheus that takes native histograms")
	flags.BoolVar(&f.options.Standard, "net-http", false,
		"leave clients, and plain HTTP/1.1 to endpoints, to Go's net/http: the reference, at twice the cost")
	flags.StringVar(&f.tracing.endpoint, "otlp-endpoint", "",
		"`address` that takes spans by OTLP over HTTP; OTEL_EXPORTER_OTLP_ENDPOINT does the same")
	flags.IntVar(&f.processors, "processors", 0,
		"how many processors to work on; 0: GOMAXPROCS, or else half of them, rounded up")
	f.dashboard.add(flags)
	flags.StringVar(&f.log, "log", "text", "form of the log on standard error: text or json")
	return c
}

func (f *proxyFlags) check() error {
	switch {
	case f.config == "":
		return errors.New("--config is empty; give the policy file")
	case f.log != "text" && f.log != "json":
		return fmt.Errorf("--log is %q; give text or json", f.log)
	case f.options.DrainDelay < 0:
		return fmt.Errorf("--drain-delay is %v; give 0s or more", f.options.DrainDelay)
	case f.options.Grace <= 0:
		return fmt.Errorf("--grace is %v; give a time such as 30s", f.options.Grace)
	case f.options.MaxHead < 1<<10 || f.options.MaxHead > 1<<20:
		return fmt.Errorf("--max-head is %d; give 1024 to 1048576", f.options.MaxHead)
	case f.processors < 0 || f.processors > 1024:
		return fmt.Errorf("--processors is %d; give 1 to 1024, or 0 for half of what there is", f.processors)
	case f.options.MaxConns < 1 || f.options.MaxConns > 1_000_000:
		return fmt.Errorf("--max-connections is %d; give 1 to 1000000", f.options.MaxConns)
	}
	if err := f.dashboard.check(); err != nil {
		return err
	}
	return f.tracing.check()
}

func (f *proxyFlags) run(cmd *cobra.Command) error {
	f.options.Log = newLog(cmd.ErrOrStderr(), f.log)
	slog.SetDefault(f.options.Log) // net/http says some things by itself, in no form
	makeRoom()
	useProcessors(f.processors)
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT)
	defer signal.Stop(signals)
	if f.tracing.log = f.options.Log; f.tracing.wanted() {
		f.options.Trace = f.tracing.start
		defer f.tracing.stop()
	}
	board, err := f.dashboard.open(f.options.Log)
	if err != nil {
		return err
	}
	defer live.Background(func(ctx context.Context) error { board.Run(ctx); return nil })()
	f.options.Pages, f.options.Observer, f.options.Hosts = board.ForProxy, board, f.dashboard.hosts
	p, err := proxy.Open(f.config, f.options)
	if err != nil {
		return err
	}
	ctx, drain := context.WithCancel(cmd.Context())
	defer drain()
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		for {
			select {
			case s := <-signals:
				obey(ctx, s, p, drain)
			case <-ended:
				return
			}
		}
	}()
	return p.Run(ctx)
}

// obey does what a signal asks for. The first one to end drains, the second
// ends at once.
func obey(ctx context.Context, s os.Signal, p *proxy.Proxy, drain func()) {
	switch {
	case s == syscall.SIGHUP:
		_ = p.Reload() // it is logged, and shown on the admin address
	case ctx.Err() == nil:
		drain()
	default:
		p.Close()
	}
}

func newLog(w io.Writer, form string) *slog.Logger {
	if form == "json" {
		return slog.New(slog.NewJSONHandler(w, nil))
	}
	return slog.New(slog.NewTextHandler(w, nil))
}

// fromEnvironment gives every flag that is not on the command line the value
// of its variable: SEAKEEP_DRAIN_DELAY for --drain-delay.
func fromEnvironment(cmd *cobra.Command) (err error) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name := "SEAKEEP_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, ok := os.LookupEnv(name)
		if !ok || f.Changed || f.Name == "help" {
			return
		}
		if e := cmd.Flags().Set(f.Name, value); e != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", name, e))
		}
	})
	return err
}
