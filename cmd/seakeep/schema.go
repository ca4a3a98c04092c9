package main

import (
	"github.com/spf13/cobra"

	"github.com/seakeep/seakeep/config"
)

const schemaLong = `Prints the JSON Schema (draft-07) of the policy file. Keep it beside the file
and let the file begin with

  # yaml-language-server: $schema=seakeep.schema.json

so that an editor completes keys, explains them and marks mistakes. What two
settings mean together only "seakeep validate" sees.`

func newSchemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of the policy file",
		Long:    schemaLong,
		Example: "  seakeep schema >seakeep.schema.json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(config.Schema())
			return err
		},
	}
}
