package main

import (
	"fmt"

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
		Args:      oneSchema,
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

func oneSchema(_ *cobra.Command, args []string) error {
	switch {
	case len(args) > 1:
		return fmt.Errorf("one schema at a time; %q is left over", args[1])
	case len(args) == 1 && args[0] != "policy" && args[0] != "scenario":
		return fmt.Errorf("there is no schema %q; give policy or scenario", args[0])
	}
	return nil
}
