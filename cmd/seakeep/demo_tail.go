package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/tail"
)

const demoTailLong = `Twenty replicas of a service, of which one stalls now and then and one is ten times
as slow as the others. What the slowest of a thousand requests take is measured with
endpoints by turns, with ejection of outliers, with copies of what takes long, and
with both; and how many more calls that costs. In the end all replicas are slow.

Replicas, proxy and users are real and talk over sockets of this machine. It takes
less than a minute and a half, and up to two and a half if a busy machine makes it
repeat a part. Ctrl-C ends it early, with a report.`

func newDemoTailCommand() *cobra.Command {
	m, o := measuring{}, tail.Defaults()
	c := &cobra.Command{Use: "tail", Short: "Watch two bad replicas of twenty make the tail of all",
		Long: demoTailLong, Args: cobra.NoArgs}
	m.offer(c, func(ctx context.Context, out io.Writer) (measured, error) {
		return tail.Run(ctx, o, out)
	}, tail.WritePolicies)
	c.PreRunE = func(*cobra.Command, []string) error { return o.Validate() }
	flags := c.Flags()
	flags.Float64Var(&o.Rate, "rate", o.Rate, "requests a second")
	flags.DurationVar(&o.For, "for", o.For, "how long each run counts")
	flags.DurationVar(&o.Warm, "warm-up", o.Warm, "how long each run goes on before it counts")
	flags.Uint64Var(&o.Seed, "seed", o.Seed, "of arrivals and times")
	return c
}
