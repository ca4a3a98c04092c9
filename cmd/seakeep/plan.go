package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/seakeep/seakeep/cmd/seakeep/review"
	"github.com/seakeep/seakeep/config"
)

const planLong = `Prints what a policy file means, on a page: each rung's numbers as they take
effect, what is OFF, and what follows from the numbers together: how long a call
may take at worst, how many requests one call may become and how much load
retries and hedges add, how many slots the measured traffic needs, and whom one
bad tenant can hurt. A file named - is standard input.

What can be wrong with a file is what "seakeep validate" is for; a file with
mistakes has no plan.`

// planFlags are the flags of "plan".
type planFlags struct{ output string }

func newPlanCommand() *cobra.Command {
	var f planFlags
	c := &cobra.Command{
		Use:     "plan FILE",
		Short:   "Say on a page what a policy file means",
		Long:    planLong,
		Example: "  seakeep plan seakeep.yaml\n  seakeep plan --output json seakeep.yaml",
		Args:    onePolicy,
		PreRunE: func(*cobra.Command, []string) error { return f.check() },
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },

		DisableFlagsInUseLine: true,
	}
	c.Flags().StringVarP(&f.output, "output", "o", "text", "text or json")
	return c
}

func onePolicy(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New("give one policy file, such as seakeep.yaml, or - for standard input")
	}
	return nil
}

func (f *planFlags) check() error {
	if f.output != "text" && f.output != "json" {
		return fmt.Errorf("--output is %q; use text or json", f.output)
	}
	return nil
}

func (f *planFlags) run(cmd *cobra.Command, name string) error {
	file, shown, err := readFile(name, cmd.InOrStdin())
	if err != nil {
		return err
	}
	sheet := review.New(file, shown)
	if f.output == "text" {
		return sheet.Write(cmd.OutOrStdout())
	}
	e := json.NewEncoder(cmd.OutOrStdout())
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(sheet)
}

// readFile reads and checks a policy file, or standard input, and says what it
// is called in messages.
func readFile(name string, stdin io.Reader) (file *config.File, shown string, err error) {
	var data []byte
	if name == "-" {
		name = "stdin"
		data, err = config.ReadAll(stdin)
	} else {
		data, err = readPolicy(name)
	}
	if err != nil {
		return nil, name, err
	}
	file, err = config.Parse(name, data)
	return file, name, err
}
