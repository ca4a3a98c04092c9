package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/seakeep/seakeep/cmd/seakeep/proxy"
)

const faultLong = `Hurts requests on purpose, to see what then happens: delays, errors, connections
that are refused or break, answers that never come or come slowly. A fault takes
hold of the next request, and always has an end.

The policy file must allow it, with "faults: {allow: true}" in the dependency's
section, or in serve for what is behind the door.`

func newFaultCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "fault",
		Short: "Hurt requests on purpose, to see what then happens",
		Long:  faultLong,
		Args:  knownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	addCommands(c, newFaultStartCommand(), newFaultStopCommand(), newFaultListCommand())
	return c
}

// faultFlags are the arguments of the fault commands.
type faultFlags struct {
	admin      string
	dependency string
	force      bool
	json       bool
	dryRun     bool
	texts      map[string]*string // of the fault, by key
	numbers    map[string]*int
	marked     bool
}

// faultKeys are the keys of a fault that are text in its JSON.
var faultKeys = []struct{ key, usage string }{
	{"name", "`name` of the fault; by default that of its kind"},
	{"share", "`share` of the requests in its scope, such as 10%"},
	{"for", "`time` until it ends by itself, at most 1h"},
	{"delay", "`time`: latency: how long; reset: after how long; slow-body: before each piece"},
	{"jitter", "`time`: latency: how much more or less"},
	{"shape", "`shape` of latency: uniform or normal"},
	{"bytes", "`size`: slow-body: of a piece; bandwidth: a second"},
	{"operation", "only requests of this `operation`"},
	{"endpoint", "only requests to this `endpoint`"},
	{"method", "only requests with this `method`"},
	{"path", "only requests with this `path`, or below it if it ends in *"},
}

func newFaultStartCommand() *cobra.Command {
	f := &faultFlags{texts: map[string]*string{}, numbers: map[string]*int{}}
	c := &cobra.Command{
		Use:   "start KIND",
		Short: "Start a fault: latency, error, refused, reset, no-answer, slow-body or bandwidth",
		Example: "  seakeep fault start latency --dependency pricing --delay 200ms --share 10% --for 5m\n" +
			"  seakeep fault start error --dependency pricing --status 503 --share 100% --marked",
		Args:    cobra.ExactArgs(1),
		PreRunE: func(cmd *cobra.Command, _ []string) error { return f.check(cmd) },
		RunE:    func(cmd *cobra.Command, args []string) error { return f.start(cmd, args[0]) },
	}
	flags := c.Flags()
	f.common(c)
	for _, k := range faultKeys {
		f.texts[k.key] = flags.String(k.key, "", k.usage)
	}
	f.numbers["status"] = flags.Int("status", 0, "`status` of an error, such as 503")
	f.numbers["grpc"] = flags.Int("grpc", 0, "gRPC `code` of an error, in place of a status")
	flags.BoolVar(&f.marked, "marked", false, "only requests whose X-Seakeep-Fault names it")
	flags.BoolVar(&f.force, "force", false, "beyond the share that the policy file allows")
	flags.BoolVar(&f.dryRun, "dry-run", false, "only say whether it could begin now, with status 1 if not")
	return c
}

func newFaultStopCommand() *cobra.Command {
	f := &faultFlags{}
	c := &cobra.Command{
		Use:     "stop [NAME]",
		Short:   "Stop a fault, or all",
		Args:    cobra.MaximumNArgs(1),
		PreRunE: func(cmd *cobra.Command, _ []string) error { return f.check(cmd) },
		RunE: func(cmd *cobra.Command, args []string) error {
			path := faultsPath
			if len(args) > 0 {
				path += "/" + url.PathEscape(args[0])
			}
			return f.ask(cmd, http.MethodDelete, path, nil)
		},
	}
	f.common(c)
	return c
}

func newFaultListCommand() *cobra.Command {
	f := &faultFlags{}
	c := &cobra.Command{
		Use:     "list",
		Short:   "Show the faults that run, and those that have run",
		Args:    cobra.NoArgs,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return f.check(cmd) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.ask(cmd, http.MethodGet, faultsPath, nil)
		},
	}
	f.common(c)
	return c
}

func (f *faultFlags) common(c *cobra.Command) {
	c.Flags().StringVar(&f.admin, "admin", "127.0.0.1:9901", adminUsage)
	c.Flags().StringVar(&f.dependency, "dependency", "",
		"`name` of the dependency, or empty: behind the door; to stop or list, left out: everywhere")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON")
}

const faultsPath = "/v1/faults"

func (f *faultFlags) check(cmd *cobra.Command) error {
	if err := fromEnvironment(cmd); err != nil {
		return err
	}
	return checkAddress(f.admin)
}

// start gives the fault's keys as they are: the proxy knows what they mean.
func (f *faultFlags) start(cmd *cobra.Command, kind string) error {
	rule := map[string]any{"name": kind, "kind": kind}
	for _, k := range faultKeys {
		if v := *f.texts[k.key]; v != "" {
			rule[k.key] = v
		}
	}
	for key, v := range f.numbers {
		if *v != 0 {
			rule[key] = *v
		}
	}
	if f.marked {
		rule["marked"] = true
	}
	text, err := json.Marshal(rule)
	if err != nil {
		return err
	}
	return f.ask(cmd, http.MethodPost, faultsPath,
		proxy.FaultOrder{Dependency: f.dependency, Force: f.force, DryRun: f.dryRun,
			Fault: text})
}

// ask talks to a proxy about faults, and prints those that there are then.
func (f *faultFlags) ask(cmd *cobra.Command, method, path string, order any) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), orderTime)
	defer cancel()
	var body io.Reader
	if order != nil {
		text, err := json.Marshal(order)
		if err != nil {
			return err
		}
		body = strings.NewReader(string(text))
	} else if cmd.Flags().Changed("dependency") {
		path += "?dependency=" + url.QueryEscape(f.dependency)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+f.admin+path, body)
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := direct.Do(req)
	if err != nil {
		return fmt.Errorf("no proxy answers at %s: %w", f.admin, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the proxy at %s says: %s", f.admin, strings.TrimSpace(string(answer)))
	}
	var v proxy.FaultsView
	if err = errors.Join(err, json.Unmarshal(answer, &v)); err == nil && v.Faults == nil {
		err = errors.New("it shows no faults")
	}
	if err != nil {
		return fmt.Errorf("what answers at %s is no proxy: %w", f.admin, err)
	}
	if f.json {
		_, err = cmd.OutOrStdout().Write(answer)
		return err
	}
	if f.dryRun {
		_, err = fmt.Fprintln(cmd.OutOrStdout(), "it could begin now; nothing was begun")
		return err
	}
	return printFaults(cmd.OutOrStdout(), v)
}

func printFaults(w io.Writer, v proxy.FaultsView) error {
	if len(v.Faults) == 0 {
		_, err := fmt.Fprintln(w, "no faults")
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "WHERE\tNAME\tKIND\tSHARE\tHURT\tSEEN\tSTATE")
	for _, f := range v.Faults {
		where, state := f.Dependency, f.Over
		if where == "" {
			where = "(the door)"
		}
		if f.Running {
			left := time.Duration(f.LeftMS * float64(time.Millisecond)).Round(time.Second)
			state = "ends in " + left.String()
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%.4g%%\t%d\t%d\t%s\n", where, f.Name, f.Kind, 100*f.Share, f.Hurt,
			f.Seen, state)
	}
	return t.Flush()
}
