package main

import (
	"github.com/spf13/cobra"

	"github.com/seakeep/seakeep/config"
)

const schemaLong = `Prints the JSON Schema (draft-07) of the policy file, or of the scenario file.
Keep it beside the file and let the file begin with

  # yaml-language-server: $schema=seakeep.schema.json

so that an editor completes keys, explains them and marks mistakes. What two
settings mean together only "seakeep validate" sees.`

func newSchemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:       "schema [policy|scenario]",
		Short:     "Print the JSON Schema of the policy file, or of the scenario file",
		Long:      schemaLong,
		Example:   "  seakeep schema >seakeep.schema.json\n  seakeep schema scenario",
		ValidArgs: []string{"policy", "scenario"},
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			schema := config.Schema()
			if len(args) == 1 && args[0] == "scenario" {
				schema = config.ScenarioSchema()
			}
			_, err := cmd.OutOrStdout().Write(schema)
			return err
		},
	}
}
