package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/seakeep/seakeep/cmd/seakeep/alerts"
	"github.com/seakeep/seakeep/cmd/seakeep/board"
	"github.com/seakeep/seakeep/config"
)

const exportLong = `Writes what a policy file means to other programs, on standard output.`

func newExportCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "export",
		Short: "Write rules and dashboards for other programs",
		Long:  exportLong,
		Args:  knownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	addCommands(c, newExportPrometheusCommand(), newExportGrafanaCommand(), newExportOpenSLOCommand())
	return c
}

const exportPrometheusLong = `Writes rules for Prometheus: what the file's objectives promise, as recording
rules and burn alerts, and an alert for each way in which a protected service
still fails. docs/alerts.md says of each what to do.`

// ruleFlags are the flags of "export prometheus".
type ruleFlags struct{ alerts.Options }

func newExportPrometheusCommand() *cobra.Command {
	var f ruleFlags
	c := exporter("prometheus FILE", "Write recording rules and alerts", exportPrometheusLong,
		func(file *config.File, w io.Writer) error {
			_, err := alerts.Rules(file, f.Options).WriteTo(w)
			return err
		})
	c.Example = "  seakeep export prometheus seakeep.yaml >seakeep.rules.yml\n" +
		"  seakeep export prometheus seakeep.yaml --match 'job=\"checkout\"' --sloth-names"
	c.Flags().StringVar(&f.Match, "match", "", "more `matchers` for every series, such as job=\"checkout\"")
	c.Flags().BoolVar(&f.SlothNames, "sloth-names", false, "also record what Sloth would, under its names")
	c.PreRunE = func(*cobra.Command, []string) error { return alerts.CheckMatch(f.Match) }
	return c
}

const exportGrafanaLong = `Writes a dashboard for Grafana: what users get, what each dependency does to the
service, and what is left of the error budgets. Import it as it is; it asks for
the Prometheus to use.`

func newExportGrafanaCommand() *cobra.Command {
	c := exporter("grafana FILE", "Write a dashboard", exportGrafanaLong,
		func(file *config.File, w io.Writer) error { return board.New(file).Write(w) })
	c.Example = "  seakeep export grafana seakeep.yaml >seakeep.json"
	return c
}

// exporter is a command that reads a policy file and writes something else.
func exporter(use, about, long string, write func(*config.File, io.Writer) error) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: about,
		Long:  long,
		Args:  onePolicy,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, _, err := readFile(args[0], cmd.InOrStdin())
			if err != nil {
				return err
			}
			return write(file, cmd.OutOrStdout())
		},
		DisableFlagsInUseLine: true,
	}
}

const exportOpenSLOLong = `Writes the objectives as documents of OpenSLO v1: a Service, an SLO for each, and
an AlertPolicy and an AlertCondition for each alert. What OpenSLO cannot say goes
to standard error.`

func newExportOpenSLOCommand() *cobra.Command {
	c := exporter("openslo FILE", "Write objectives as OpenSLO v1", exportOpenSLOLong, nil)
	c.Example = "  seakeep export openslo seakeep.yaml >openslo.yaml"
	c.RunE = func(cmd *cobra.Command, args []string) error {
		file, shown, err := readFile(args[0], cmd.InOrStdin())
		if err != nil {
			return err
		}
		if file.SLO == nil {
			return fmt.Errorf("%s: %w", shown, errNoObjectives)
		}
		losses, err := alerts.OpenSLO(file, cmd.OutOrStdout())
		for _, loss := range losses {
			fmt.Fprintln(cmd.ErrOrStderr(), "not in the documents:", loss)
		}
		return err
	}
	return c
}
