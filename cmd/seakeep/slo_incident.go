package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seakeep/seakeep/cmd/seakeep/alerts"
	"github.com/seakeep/seakeep/config"
)

const sloTestLong = `Plays an incident to the rules that "seakeep export prometheus" writes, with
Prometheus' own engine, and says when each alert fires, when it clears, and how
much of the budget is spent by then.

The incident is a share of errors for a time, after a whole period without any;
or what users see in a scenario of "seakeep sim". Rules are evaluated every 30
seconds, from counters that are scraped every 15.`

// sloTestFlags are the flags of "slo test".
type sloTestFlags struct {
	slo, errors, rate, scenario string
	length                      time.Duration
	endpoints                   []string
	asJSON                      bool

	share, perSecond float64
}

func newSLOTestCommand() *cobra.Command {
	var f sloTestFlags
	c := &cobra.Command{
		Use:   "test FILE",
		Short: "See when the alerts would fire in an incident",
		Long:  sloTestLong,
		Example: "  seakeep slo test seakeep.yaml --errors 2% --for 1h\n" +
			"  seakeep slo test seakeep.yaml --scenario testdata/scenarios/checkout-cascade.yaml",
		Args:    onePolicy,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return f.check(cmd) },
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },

		DisableFlagsInUseLine: true,
	}
	flags := c.Flags()
	flags.StringVar(&f.slo, "slo", "", "only the objective of this `name`")
	flags.StringVar(&f.errors, "errors", "", "`share` of events that are bad, such as 2%")
	flags.DurationVar(&f.length, "for", time.Hour, "how long the incident lasts")
	flags.StringVar(&f.rate, "rate", "100/s", "how many events there are")
	flags.StringVar(&f.scenario, "scenario", "", "`file` of a scenario whose users see the incident")
	flags.StringArrayVar(&f.endpoints, "endpoint", nil,
		"only users of this endpoint of the scenario; may be repeated")
	flags.BoolVar(&f.asJSON, "json", false, "print it as JSON")
	return c
}

func (f *sloTestFlags) check(cmd *cobra.Command) error {
	if f.scenario != "" {
		for _, name := range []string{"errors", "for", "rate"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s makes no sense beside --scenario, which says it", name)
			}
		}
		return nil
	}
	if len(f.endpoints) > 0 {
		return errors.New("--endpoint makes no sense without --scenario")
	}
	if f.errors == "" {
		return errors.New("give --errors, such as 2%, or --scenario, such as checkout-cascade.yaml")
	}
	percent, isPercent := strings.CutSuffix(f.errors, "%")
	var err error
	f.share, err = strconv.ParseFloat(percent, 64)
	if isPercent {
		f.share /= 100
	}
	if err != nil || !(f.share > 0 && f.share <= 1) || f.share == 1 && !isPercent {
		return fmt.Errorf("--errors is %q; give a share such as 2%%, over 0%% and at most 100%%", f.errors)
	}
	if f.perSecond, err = config.ParseRate(f.rate); err != nil {
		return fmt.Errorf("--rate: %w", err)
	}
	if f.length < time.Minute || f.length > 7*24*time.Hour {
		return fmt.Errorf("--for is %v; give a time from 1m to 168h, such as 1h", f.length)
	}
	return nil
}

func (f *sloTestFlags) run(cmd *cobra.Command, name string) error {
	file, shown, err := readFile(name, cmd.InOrStdin())
	if err != nil {
		return err
	}
	if file.SLO == nil {
		return fmt.Errorf("%s: %w", shown, errNoObjectives)
	}
	if f.slo != "" && file.SLO.Objective(f.slo) == nil {
		return fmt.Errorf("%s has no objective %s", shown, f.slo)
	}
	var all []*alerts.Replay
	for i := range file.SLO.Objectives {
		o := &file.SLO.Objectives[i]
		if f.slo != "" && o.Name != f.slo {
			continue
		}
		in, err := f.incident(o)
		if err != nil {
			return err
		}
		r, err := alerts.Run(file, o.Name, in)
		if err != nil {
			return err
		}
		all = append(all, r)
	}
	if f.asJSON {
		e := json.NewEncoder(cmd.OutOrStdout())
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"replays": all})
	}
	for i, r := range all {
		if i > 0 {
			fmt.Fprintln(cmd.OutOrStdout())
		}
		if err := r.Write(cmd.OutOrStdout()); err != nil {
			return err
		}
	}
	return nil
}

func (f *sloTestFlags) incident(o *config.Objective) (alerts.Incident, error) {
	if f.scenario == "" {
		return alerts.Steady(f.perSecond, f.share, f.length), nil
	}
	s, err := config.LoadScenario(f.scenario)
	if err != nil {
		return alerts.Incident{}, err
	}
	in, err := alerts.Simulated(s, o, f.endpoints)
	if err != nil {
		err = fmt.Errorf("%s: %w", f.scenario, err)
	}
	return in, err
}
