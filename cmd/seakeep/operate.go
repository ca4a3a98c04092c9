package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seakeep/seakeep/cmd/seakeep/proxy"
)

// orderTime is how long an order to a proxy may take. It is a small request to
// an address that answers without a queue.
const orderTime = 10 * time.Second

const adminUsage = "`address` of the proxy's admin listener, as host:port"

// admitFlags are the arguments of "admit".
type admitFlags struct {
	admin string
	ramp  time.Duration
	share float64
}

const admitLong = `Lets in a share of what comes to a proxy's serve listener, at once, the most
important requests first; then more and more until, after the ramp, everything
is let in again. Without a ramp the share stays until the next order, and
"seakeep admit 100%" ends it.

It is the way out of an overload that feeds itself: when retries keep a service
down, admit less than it can do, wait until useful work is done again, and come
back slowly.`

func newAdmitCommand() *cobra.Command {
	f := &admitFlags{}
	c := &cobra.Command{
		Use:     "admit SHARE",
		Short:   "Let in a share of the demand, and the rest again over a ramp",
		Long:    admitLong,
		Example: "  seakeep admit 40% --ramp 60s",
		Args:    cobra.ExactArgs(1),
		PreRunE: func(cmd *cobra.Command, args []string) error { return f.check(cmd, args[0]) },
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	c.Flags().StringVar(&f.admin, "admin", "127.0.0.1:9901", adminUsage)
	c.Flags().DurationVar(&f.ramp, "ramp", 0, "how long the way back to everything takes")
	return c
}

func (f *admitFlags) check(cmd *cobra.Command, share string) (err error) {
	if err := fromEnvironment(cmd); err != nil {
		return err
	}
	percent, isPercent := strings.CutSuffix(share, "%")
	f.share, err = strconv.ParseFloat(percent, 64)
	if isPercent {
		f.share /= 100
	}
	switch {
	case err != nil || !(f.share >= 0 && f.share <= 1):
		return fmt.Errorf("SHARE is %q; give a share such as 40%% or 0.4, from 0%% to 100%%", share)
	case !isPercent && f.share == 1:
		return errors.New(`SHARE is "1", which may mean 1% or 100%; say which`)
	case f.ramp < 0 || f.ramp > proxy.MaxRamp:
		return fmt.Errorf("--ramp is %v; give a time from 0s to %v, such as 60s", f.ramp,
			proxy.MaxRamp)
	}
	return checkAddress(f.admin)
}

func checkAddress(address string) error {
	host, port, err := net.SplitHostPort(address)
	if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil ||
		strings.ContainsAny(host, "/?#@ ") {
		return fmt.Errorf("--admin is %q; give host:port, such as 127.0.0.1:9901", address)
	}
	return nil
}

func (f *admitFlags) run(cmd *cobra.Command) error {
	order := proxy.AdmissionOrder{Share: &f.share}
	if f.ramp > 0 {
		order.Ramp = f.ramp.String()
	}
	if err := tell(cmd.Context(), f.admin, "/v1/serve/admission", order, door); err != nil {
		return err
	}
	percent := strconv.FormatFloat(math.Round(1e6*f.share)/1e4, 'f', -1, 64) + "%"
	switch {
	case f.share == 1:
		fmt.Fprintln(cmd.OutOrStdout(), "everything is let in")
	case f.ramp > 0:
		fmt.Fprintf(cmd.OutOrStdout(), "%s of the demand is let in now, and everything in %v\n",
			percent, f.ramp)
	default:
		fmt.Fprintf(cmd.OutOrStdout(), "%s of the demand is let in until the next order\n", percent)
	}
	return nil
}

// degradeFlags are the arguments of "degrade".
type degradeFlags struct {
	admin string
	order proxy.DegradeOrder
}

const degradeLong = `Sets by hand how many features of the serve section's degrade list are off, the
first of the list first. It holds until "seakeep degrade auto" gives the choice
back to the pressure.`

func newDegradeCommand() *cobra.Command {
	f := &degradeFlags{}
	c := &cobra.Command{
		Use:     "degrade LEVEL|auto",
		Short:   "Set by hand how many features are left out",
		Long:    degradeLong,
		Example: "  seakeep degrade 2\n  seakeep degrade auto",
		Args:    cobra.ExactArgs(1),
		PreRunE: func(cmd *cobra.Command, args []string) error { return f.check(cmd, args[0]) },
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	c.Flags().StringVar(&f.admin, "admin", "127.0.0.1:9901", adminUsage)
	return c
}

func (f *degradeFlags) check(cmd *cobra.Command, level string) error {
	if err := fromEnvironment(cmd); err != nil {
		return err
	}
	if level == "auto" {
		f.order.Auto = true
		return checkAddress(f.admin)
	}
	n, err := strconv.Atoi(level)
	if err != nil || n < 0 {
		return fmt.Errorf("LEVEL is %q; give how many features are off, such as 2, or auto", level)
	}
	f.order.Level = &n
	return checkAddress(f.admin)
}

func (f *degradeFlags) run(cmd *cobra.Command) error {
	if err := tell(cmd.Context(), f.admin, "/v1/serve/degrade", f.order, door); err != nil {
		return err
	}
	if f.order.Auto {
		fmt.Fprintln(cmd.OutOrStdout(), "the pressure decides what is left out")
	} else {
		fmt.Fprintf(cmd.OutOrStdout(), "%d of the features are off\n", *f.order.Level)
	}
	return nil
}

// direct reaches a proxy's admin address as it is: through no proxy of the
// environment, because the address is one of a private network, and to nowhere
// else, because an order that was carried to another place is not obeyed.
var direct = &http.Client{Transport: &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// shows is what a proxy shows after an order was carried out.
type shows struct {
	what string // that the proxy must have
	is   func(answer []byte) bool
}

var door = shows{"serve", func(answer []byte) bool {
	var v struct {
		Service *string `json:"service"`
		Shed    *struct {
			Reduced *float64 `json:"reduced_to_share"`
		} `json:"shed"`
	}
	return json.Unmarshal(answer, &v) == nil && v.Service != nil && v.Shed != nil && v.Shed.Reduced != nil
}}

// tell gives an order to a proxy.
func tell(ctx context.Context, admin, path string, order any, then shows) error {
	ctx, cancel := context.WithTimeout(ctx, orderTime)
	defer cancel()
	text, err := json.Marshal(order)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+admin+path,
		bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := direct.Do(req)
	if err != nil {
		return fmt.Errorf("no proxy answers at %s: %w", admin, err)
	}
	defer resp.Body.Close()
	return obeyed(admin, resp, then)
}

// obeyed reads whether the order was carried out. Whatever else says 200 at the
// address is no proxy.
func obeyed(admin string, resp *http.Response, then shows) error {
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return fmt.Errorf("the answer of %s broke off, so see what is in force: %w", admin, err)
	}
	switch {
	case resp.StatusCode == http.StatusOK && then.is(answer):
		return nil
	case strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") && resp.StatusCode >= 400 &&
		len(answer) < 1000:
		return fmt.Errorf("the proxy at %s says: %s", admin, strings.TrimSpace(string(answer)))
	}
	return fmt.Errorf("what answers at %s is not the admin listener of a proxy with %s: "+
		"it says %s", admin, then.what, resp.Status)
}
