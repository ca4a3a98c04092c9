package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seakeep/seakeep/cmd/seakeep/explore"
	"github.com/seakeep/seakeep/config"
)

// answer is what a search found.
type answer interface {
	Text(io.Writer) error
	JSON(io.Writer) error
}

func show(cmd *cobra.Command, a answer, asJSON bool) error {
	if asJSON {
		return a.JSON(cmd.OutOrStdout())
	}
	return a.Text(cmd.OutOrStdout())
}

func newSimEdgeCommand() *cobra.Command {
	var q explore.EdgeQuestion
	var sets []string
	var asJSON bool
	c := &cobra.Command{
		Use:   "edge FILE --vary KEY --from X --to Y --until STATEMENT",
		Short: "Find the value at which the outcome tips over",
		Long: `Bisects one key of a scenario or policy file until a statement about the outcome
begins to hold, and says how sure that is and how far away the value in use is.`,
		Example: `  seakeep sim edge checkout.yaml --vary services.checkout.queue.length \
    --from 20 --to 2000 --until 'endpoints.pricing.success < 30%'`,
		Args: oneScenario,
		PreRunE: func(cmd *cobra.Command, args []string) error {
			if q.Key == "" || q.From == "" || q.To == "" || q.Until == "" {
				return errors.New("give --vary, --from, --to and --until")
			}
			if _, _, _, err := explore.ParseScale(q.From, q.To); err != nil {
				return err
			}
			if _, err := config.ParseExpectation(q.Until); err != nil {
				return err
			}
			if !(q.Within > 0 && q.Within <= 1) {
				return fmt.Errorf("--within is %v; give a share of the range such as 0.01, up to 1", q.Within)
			}
			if err := countOf("runs", q.Runs); err != nil {
				return err
			}
			d, err := openDraft(args[0], cmd.InOrStdin())
			if err != nil {
				return err
			}
			q.Draft, _, err = changed(d, sets)
			return err
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := explore.Edge(q)
			if err != nil {
				return err
			}
			return show(cmd, a, asJSON)
		},
	}
	f := c.Flags()
	f.StringVar(&q.Key, "vary", "", "the key to vary, such as dependencies.pricing.timeout.request; "+
		"several, with commas between, all get the value")
	f.StringVar(&q.From, "from", "", "the lowest value, as a file has it: 20, 50ms, 10%, 100/s, 20 calls")
	f.StringVar(&q.To, "to", "", "the highest value")
	f.StringVar(&q.Until, "until", "", "the statement, such as 'endpoints.pricing.success < 99%'")
	f.IntVar(&q.Runs, "runs", 5, "runs for each value")
	f.Float64Var(&q.Within, "within", 0.01, "how close, as a share of the range")
	f.StringArrayVar(&sets, "set", nil, "change a key first: KEY=VALUE")
	f.BoolVar(&asJSON, "json", false, "write JSON")
	return c
}

func newSimCompareCommand() *cobra.Command {
	var sets []string
	var runs int
	var asJSON bool
	var s explore.Sides
	c := &cobra.Command{
		Use:   "compare FILE [OTHER] [--set KEY=VALUE]...",
		Short: "Run two policies on the same arrivals and service times",
		Long: `Compares two scenarios, or one with itself after --set has changed some keys. Both
have the same arrivals and the same service times, request by request, so that
every difference is the doing of what was changed.`,
		Example: `  seakeep sim compare checkout.yaml --set dependencies.pricing.retry.attempts=1`,
		PreRunE: func(cmd *cobra.Command, args []string) (err error) {
			switch {
			case len(args) == 0:
				return oneScenario(cmd, args)
			case len(args) > 2:
				return fmt.Errorf("two scenarios at most; %q is left over", args[2])
			case len(args) == 1 && len(sets) == 0:
				return errors.New("give a second scenario, or --set KEY=VALUE")
			}
			if err := countOf("runs", runs); err != nil {
				return err
			}
			s, err = sides(cmd.InOrStdin(), args, sets)
			return err
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := explore.Compare(s, runs)
			if err != nil {
				return err
			}
			return show(cmd, a, asJSON)
		},
	}
	c.Flags().StringArrayVar(&sets, "set", nil, "what differs in B: KEY=VALUE")
	c.Flags().IntVar(&runs, "runs", 5, "runs of each")
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return c
}

// sides reads the two scenarios to compare.
func sides(stdin io.Reader, args, sets []string) (s explore.Sides, err error) {
	last := args[len(args)-1]
	if len(args) == 2 && args[0] == "-" && last == "-" {
		return s, errors.New("standard input, -, can be read once only")
	}
	d, err := openDraft(args[0], stdin)
	if err != nil {
		return s, err
	}
	s.NameA = d.Name
	if _, s.A, err = changed(d, nil); err != nil {
		return s, err
	}
	if len(args) == 2 {
		if d, err = openDraft(last, stdin); err != nil {
			return s, err
		}
	}
	s.NameB = strings.Join(append([]string{d.Name}, sets...), " with ")
	_, s.B, err = changed(d, sets)
	return s, err
}

func newSimMetastableCommand() *cobra.Command {
	var sets []string
	var sizes, lengths, cuts, page string
	var q explore.MetastableQuestion
	var asJSON bool
	c := &cobra.Command{
		Use:   "metastable FILE",
		Short: "Ask whether the system comes back after it was upset, and what would help",
		Long: `Takes the first change of the scenario that has an end as the trigger. Tries it in
many sizes and lengths, raises and lowers the load, finds the load from which it
always comes back, the mildest cut of load that gets it out, and the switches
that would have prevented it.`,
		Example: `  seakeep sim metastable testdata/scenarios/metastable-spike.yaml --lengths 1s,2s,3s,5s`,
		Args:    oneScenario,
		PreRunE: func(cmd *cobra.Command, args []string) (err error) {
			if q.Sizes, err = numbers(sizes); err != nil {
				return err
			}
			if q.Lengths, err = times(lengths); err != nil {
				return err
			}
			if q.Cuts, err = times(cuts); err != nil {
				return err
			}
			if err := watching(q); err != nil {
				return err
			}
			d, err := openDraft(args[0], cmd.InOrStdin())
			if err != nil {
				return err
			}
			_, q.Scenario, err = changed(d, sets)
			return err
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := explore.Metastable(q)
			if err != nil {
				return err
			}
			if page != "" {
				if err := writePage(page, a.HTML); err != nil {
					return err
				}
			}
			return show(cmd, a, asJSON)
		},
	}
	f := c.Flags()
	f.StringVar(&sizes, "sizes", "0.5,1,1.5,2", "sizes of the trigger, as multiples of the scenario's")
	f.StringVar(&lengths, "lengths", "1s,2s,3s,5s,10s", "lengths of the trigger")
	f.StringVar(&cuts, "cuts", "5s,10s,20s,40s", "how long the load is cut, to get out")
	f.DurationVar(&q.Watch, "watch", 110*time.Second, "how long the system is watched after the trigger")
	f.IntVar(&q.Steps, "steps", 12, "steps of the load's ramp")
	f.StringArrayVar(&sets, "set", nil, "change a key first: KEY=VALUE")
	f.StringVar(&page, "html", "", "also write a page with the map as a picture")
	f.BoolVar(&asJSON, "json", false, "write JSON")
	return c
}

// longest is how long a trigger, a cut or the watch after them may be. Each is
// simulated many times.
const longest = 24 * time.Hour

// countOf checks a flag that says how many runs there are, as files do.
func countOf(flag string, n int) error {
	if n < 1 || n > 1000 {
		return fmt.Errorf("--%s is %d; give a whole number from 1 to 1000, such as 5", flag, n)
	}
	return nil
}

func watching(q explore.MetastableQuestion) error {
	if q.Watch < time.Second || q.Watch > longest {
		return fmt.Errorf("--watch is %v; give a time such as 110s, from 1s to %v", q.Watch, longest)
	}
	if q.Steps < 2 || q.Steps > 100 {
		return fmt.Errorf("--steps is %d; give a whole number such as 12, from 2 to 100", q.Steps)
	}
	return nil
}

func writePage(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

func numbers(list string) (out []float64, err error) {
	for _, one := range strings.Split(list, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(one), 64)
		if err != nil || !(x > 0 && x <= 100) || len(out) == 50 {
			return nil, fmt.Errorf("%q: give at most 50 positive numbers, such as 0.5,1,2, up to 100", list)
		}
		out = append(out, x)
	}
	return out, nil
}

func times(list string) (out []time.Duration, err error) {
	for _, one := range strings.Split(list, ",") {
		d, err := time.ParseDuration(strings.TrimSpace(one))
		if err != nil || d <= 0 || d > longest || len(out) == 50 {
			return nil, fmt.Errorf("%q: give at most 50 times, such as 1s,2s,5s, up to %v", list, longest)
		}
		out = append(out, d)
	}
	return out, nil
}
