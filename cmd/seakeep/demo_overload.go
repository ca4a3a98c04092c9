package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/overload"
)

// overloadFlags are the flags that the three demos of overload share.
type overloadFlags struct {
	measuring
	loads      string
	options    overload.Options
	tenants    overload.TenantOptions
	metastable overload.MetastableOptions
}

const demoOverloadLong = `Offers a program half of what it can do, then more and more, up to ten times
that: once bare, once behind "serve:" of a policy file. Program, proxy and users
are real and talk over sockets of this machine. Users are of four classes, come
when they come, and leave after a second.

It takes less than a minute and a half. Ctrl-C ends it early, with a report.`

const demoTenantsLong = `Ten tenants share a program. Nine of them send what they always send; the tenth
sends ten times what the program can do. What happens to the nine is measured
bare and behind "serve:" of a policy file, without the flood and with it.`

const demoMetastableLong = `A program gets 80% of what it can do. For five seconds it gets half as much again
as it can do, from clients that wait a second and ask three times. Then it is 80%
again, and the program is down all the same: its clients' repeats keep it there.

Side by side: bare; behind "serve:", whose queue is bounded; and behind a "serve:"
that lets everything through, so that the collapse happens behind it, and the way
back is found by itself, or by an operator. The simulator's word is beside each.`

func newDemoOverloadCommand() *cobra.Command {
	f := overloadFlags{options: overload.Defaults()}
	c := f.command("overload", "Watch a program get ten times what it can do", demoOverloadLong,
		func(ctx context.Context, out io.Writer) (measured, error) {
			return overload.Sweep(ctx, f.options, out)
		})
	c.PreRunE = func(*cobra.Command, []string) (err error) {
		if f.options.Loads, err = parseLoads(f.loads); err != nil {
			return err
		}
		return f.options.Validate()
	}
	o, flags := &f.options, c.Flags()
	flags.StringVar(&f.loads, "load", formatLoads(o.Loads), "what to offer, in times the capacity")
	flags.DurationVar(&o.For, "for", o.For, "how long each point counts")
	flags.DurationVar(&o.Warm, "warm-up", o.Warm, "how long each point runs before it counts")
	flags.IntVar(&o.Machine.Workers, "workers", o.Machine.Workers, "of the program")
	flags.Uint64Var(&o.Seed, "seed", o.Seed, "of arrivals, classes and times")
	return c
}

func newDemoTenantsCommand() *cobra.Command {
	f := overloadFlags{tenants: overload.TenantDefaults()}
	c := f.command("tenants", "Watch one tenant flood a program that ten share", demoTenantsLong,
		func(ctx context.Context, out io.Writer) (measured, error) {
			return overload.Tenants(ctx, f.tenants, out)
		})
	c.PreRunE = func(*cobra.Command, []string) error { return f.tenants.Validate() }
	o, flags := &f.tenants, c.Flags()
	flags.Float64Var(&o.Flood, "flood", o.Flood, "what the tenth sends, in times the capacity")
	flags.DurationVar(&o.For, "for", o.For, "how long each run counts")
	flags.DurationVar(&o.Warm, "warm-up", o.Warm, "how long each run is quiet before it counts")
	flags.IntVar(&o.Machine.Workers, "workers", o.Machine.Workers, "of the program")
	flags.Uint64Var(&o.Seed, "seed", o.Seed, "of arrivals and times")
	return c
}

func newDemoMetastableCommand() *cobra.Command {
	f := overloadFlags{metastable: overload.MetastableDefaults()}
	c := f.command("metastable", "Watch a program stay down when the reason is gone",
		demoMetastableLong, func(ctx context.Context, out io.Writer) (measured, error) {
			r, err := overload.Metastable(ctx, f.metastable, out)
			if err != nil {
				return nil, err
			}
			return r, r.Predict()
		})
	c.PreRunE = func(*cobra.Command, []string) error { return f.metastable.Validate() }
	o, flags := &f.metastable, c.Flags()
	flags.DurationVar(&o.For, "for", o.For, "how long to run")
	flags.Float64Var(&o.Rate, "rate", o.Rate, "requests a second, before and after the spike")
	flags.Float64Var(&o.Spike.Rate, "spike", o.Spike.Rate, "requests a second during the spike")
	flags.DurationVar(&o.Spike.For, "spike-for", o.Spike.For, "how long the spike is")
	return c
}

// command returns one of the three, without the flags of its own.
func (f *overloadFlags) command(name, short, long string,
	run func(context.Context, io.Writer) (measured, error)) *cobra.Command {
	c := &cobra.Command{Use: name, Short: short, Long: long, Args: cobra.NoArgs}
	f.offer(c, run, func(w io.Writer) error { return overload.WritePolicies(w, name) })
	return c
}

// parseLoads reads loads such as 0.5,1,3.
func parseLoads(text string) (loads []float64, err error) {
	for word := range strings.SplitSeq(text, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil {
			return nil, fmt.Errorf("--load %q: %q is no number; give times the capacity, such as 0.5,1,3",
				text, word)
		}
		loads = append(loads, x)
	}
	return loads, nil
}

func formatLoads(loads []float64) string {
	var words []string
	for _, x := range loads {
		words = append(words, strconv.FormatFloat(x, 'g', -1, 64))
	}
	return strings.Join(words, ",")
}
