package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/cmd/seakeep/load"
)

const loadLong = `Offers a server more and more requests until it is past its limit, and says where
that is and what it does beyond it. It is an open loop: requests come when they
come, and do not wait for each other's answers. Latency is told from the planned
start of a request, as its user feels it, and beside it from the real send.

A request is good if it is answered with a 2xx within --good; a rate holds if 99 %
of its requests are good. Without --rate or --to the rate doubles from --from until
it does not hold, the gap is halved four times, and then 1.25, 1.5 and 2 times the
limit are offered. --rate offers one rate, --to steps from --from up to it,
--ramp a steady rise between the two.

It makes load. Point it at what is yours.`

// loadFlags are the flags of "load".
type loadFlags struct {
	rate, from, to, most string
	each, good, timeout  time.Duration
	steps, connections   int
	ramp, http2, json    bool
	method, body, log    string
	headers              []string
	seed                 uint64

	test           load.Test
	one, low, high float64
	highest        float64
}

func newLoadCommand() *cobra.Command {
	var f loadFlags
	c := &cobra.Command{
		Use:   "load URL",
		Short: "Find the limit of a server, and what it does past it",
		Long:  loadLong,
		Example: "  seakeep load http://127.0.0.1:8080/quote\n" +
			"  seakeep load --from 50/s --to 800/s --steps 8 --for 10s --good 100ms http://127.0.0.1:8080/\n" +
			"  seakeep load --rate 200/s --for 1m --log calls.csv http://127.0.0.1:8080/\n" +
			"  seakeep tune seakeep.yaml --dependency pricing --from csv:calls.csv",
		PreRunE: func(_ *cobra.Command, args []string) error { return f.read(args) },
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },

		DisableFlagsInUseLine: true,
	}
	flags := c.Flags()
	flags.StringVar(&f.rate, "rate", "", "offer this rate only, such as 200/s")
	flags.StringVar(&f.from, "from", "10/s", "the first rate")
	flags.StringVar(&f.to, "to", "", "the last rate (default: until past the limit)")
	flags.StringVar(&f.most, "most", "20000/s", "the highest rate that may be tried")
	flags.IntVar(&f.steps, "steps", 10, "with --to: how many rates")
	flags.BoolVar(&f.ramp, "ramp", false, "with --to: a steady rise, told in --steps parts")
	flags.DurationVar(&f.each, "for", 5*time.Second, "how long a rate is offered")
	flags.DurationVar(&f.good, "good", 250*time.Millisecond, "an answer within this is good")
	flags.DurationVar(&f.timeout, "timeout", 0, "how long users wait (default: 4 times --good, at least 1s)")
	flags.IntVarP(&f.connections, "connections", "c", 1000, "most requests under way, and connections")
	flags.StringVarP(&f.method, "method", "X", http.MethodGet, "method")
	flags.StringArrayVarP(&f.headers, "header", "H", nil, `header, such as "X-Tenant: a"; may be given again`)
	flags.StringVarP(&f.body, "body", "d", "", "body; @FILE is that of a file")
	flags.BoolVar(&f.http2, "http2", false, "speak HTTP/2, in the clear too (h2c)")
	flags.BoolVar(&f.json, "json", false, `print one object; "seakeep tune" takes it as load:FILE`)
	flags.StringVar(&f.log, "log", "", `write each request to this file, as CSV; "seakeep tune" takes it as csv:FILE`)
	flags.Uint64Var(&f.seed, "seed", 1, "draws the moments of requests")
	return c
}

func (f *loadFlags) read(args []string) error {
	if len(args) != 1 {
		return errors.New("give one URL, such as http://127.0.0.1:8080/")
	}
	u, err := url.Parse(args[0])
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("%q is no URL to load; give one such as http://127.0.0.1:8080/", args[0])
	}
	if err := f.rates(); err != nil {
		return err
	}
	if f.timeout == 0 {
		f.timeout = max(4*f.good, time.Second)
	}
	switch {
	case f.each < 100*time.Millisecond || f.each > time.Hour:
		return fmt.Errorf("--for is %v; use 100ms to 1h", f.each)
	case f.good < time.Millisecond || f.good > time.Minute:
		return fmt.Errorf("--good is %v; use 1ms to 1m", f.good)
	case f.timeout < f.good || f.timeout > 10*time.Minute:
		return fmt.Errorf("--timeout is %v; use --good, %v, to 10m", f.timeout, f.good)
	case f.connections < 1 || f.connections > 50_000:
		return fmt.Errorf("--connections is %d; use 1 to 50000", f.connections)
	case f.steps < 1 || f.steps > 100:
		return fmt.Errorf("--steps is %d; use 1 to 100", f.steps)
	}
	f.test = load.Test{URL: args[0], Method: strings.ToUpper(f.method), Good: f.good, Timeout: f.timeout,
		Most: f.connections, HTTP2: f.http2, Seed: f.seed}
	if f.test.Header, err = readHeaders(f.headers); err != nil {
		return err
	}
	f.test.Body = []byte(f.body)
	if name, file := strings.CutPrefix(f.body, "@"); file {
		if _, f.test.Body, err = readImport(name, nil); err != nil {
			return fmt.Errorf("--body: %w", err)
		}
	}
	if _, err := http.NewRequest(f.test.Method, args[0], nil); err != nil {
		return fmt.Errorf("--method: %w", err)
	}
	return nil
}

// rates reads the rates that were given.
func (f *loadFlags) rates() (err error) {
	for _, r := range []struct {
		flag, text string
		to         *float64
	}{{"--rate", f.rate, &f.one}, {"--from", f.from, &f.low}, {"--to", f.to, &f.high}, {"--most", f.most, &f.highest}} {
		if r.text == "" {
			continue
		}
		if *r.to, err = readRate(r.text); err != nil {
			return fmt.Errorf("%s: %w", r.flag, err)
		}
		if *r.to > 1e6 {
			return fmt.Errorf("%s is %s; one machine does not offer more than 1000000/s", r.flag, r.text)
		}
	}
	switch {
	case f.one > 0 && f.high > 0:
		return errors.New("--rate is one rate, and --to the last of several; give one of them")
	case f.ramp && f.high == 0:
		return errors.New("--ramp needs --to")
	case f.high > 0 && f.high < f.low:
		return fmt.Errorf("--to, %s, is below --from, %s", f.to, f.from)
	case f.one == 0 && f.high == 0 && f.highest < f.low:
		return fmt.Errorf("--most, %s, is below --from, %s", f.most, f.from)
	}
	return nil
}

func readHeaders(lines []string) (http.Header, error) {
	h := http.Header{}
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); !ok || name == "" || strings.ContainsAny(name+value, "\r\n") {
			return nil, fmt.Errorf("--header is %q; use a name and a value, such as X-Tenant: a", line)
		}
		h.Add(name, strings.TrimSpace(value))
	}
	return h, nil
}

func (f *loadFlags) run(cmd *cobra.Command) (err error) {
	if f.log != "" {
		closeLog, openErr := f.openLog()
		if openErr != nil {
			return openErr
		}
		defer func() { err = errors.Join(err, closeLog()) }()
	}
	out := cmd.OutOrStdout()
	if !f.json {
		fmt.Fprintf(out, "%s %s, good: 2xx within %s\n\n%s", f.test.Method, f.test.URL, live.Short(f.good),
			load.Header())
		f.test.Between = func(r load.Result) { fmt.Fprint(out, r.Line()) }
	}
	r := load.Report{Tool: load.ToolName, URL: f.test.URL, Method: f.test.Method, Most: f.connections,
		GoodMS: f.good.Seconds() * 1000, Timeout: f.timeout.Seconds() * 1000}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	switch {
	case f.one > 0:
		r.Steps, err = f.test.Run(ctx, []load.Step{{From: f.one, To: f.one, For: f.each}})
	case f.high > 0 && f.ramp:
		r.Steps, err = f.test.Run(ctx, load.Ramp(f.low, f.high, f.steps, f.each))
	case f.high > 0:
		r.Steps, err = f.test.Run(ctx, load.Steps(f.low, f.high, f.steps, f.each))
	default:
		r.Steps, r.Limit, err = f.test.Search(ctx, f.low, f.highest, f.each)
	}
	interrupted := errors.Is(err, context.Canceled) && cmd.Context().Err() == nil
	if err != nil && (!interrupted || len(r.Steps) == 0) {
		return err
	}
	if f.one > 0 || f.high > 0 || interrupted {
		r.Limit = load.LimitOf(r.Steps)
	}
	if f.json {
		err = live.WriteJSON(out, r)
	} else {
		err = r.WriteText(out)
	}
	switch why := r.NothingGood(); {
	case err != nil:
		return err
	case interrupted:
		return errors.New("it was interrupted: the steps that had ended are above")
	case why != "":
		return errors.New(why)
	}
	return nil
}

// openLog begins the file of requests.
func (f *loadFlags) openLog() (stop func() error, err error) {
	file, err := os.Create(f.log)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriter(file)
	_, err = io.WriteString(w, "time_s,latency_s,outcome\n")
	f.test.Each = func(planned, latency time.Duration, kind string) error {
		if kind == "" {
			kind = "ok"
		}
		_, err := fmt.Fprintf(w, "%.6f,%.6f,%s\n", planned.Seconds(), latency.Seconds(),
			strings.ReplaceAll(kind, " ", "-"))
		return err
	}
	return func() error { return errors.Join(w.Flush(), file.Close()) }, err
}
