package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

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
type planFlags struct {
	output string
	values bool
}

// planFormats are what --format takes.
var planFormats = []string{"text", "table", "md", "html", "json"}

func newPlanCommand() *cobra.Command {
	var f planFlags
	c := &cobra.Command{
		Use:     "plan FILE",
		Short:   "Say on a page what a policy file means",
		Long:    planLong,
		Example: "  seakeep plan seakeep.yaml\n  seakeep plan seakeep.yaml --format md >plan.md",
		Args:    onePolicy,
		PreRunE: func(*cobra.Command, []string) error { return f.check() },
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },

		DisableFlagsInUseLine: true,
	}
	flags := c.Flags()
	flags.StringVarP(&f.output, "format", "f", "text", "text, the pages; or table, md, html, json")
	flags.StringVarP(&f.output, "output", "o", "text", "the same as --format")
	flags.BoolVar(&f.values, "values", false,
		"table, md and html: print every value in effect too, and where it comes from")
	return c
}

func onePolicy(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New("give one policy file, such as seakeep.yaml, or - for standard input")
	}
	return nil
}

func (f *planFlags) check() error {
	if !slices.Contains(planFormats, f.output) {
		return fmt.Errorf("--format is %q; use %s", f.output, strings.Join(planFormats, ", "))
	}
	if f.values && (f.output == "text" || f.output == "json") {
		return fmt.Errorf("--values goes with table, md and html; %s has them", map[string]string{
			"text": "seakeep validate --values", "json": "json"}[f.output])
	}
	return nil
}

func (f *planFlags) run(cmd *cobra.Command, name string) error {
	file, shown, err := readFile(name, cmd.InOrStdin())
	if err != nil {
		return err
	}
	sheet := review.New(file, shown)
	out := cmd.OutOrStdout()
	switch f.output {
	case "text":
		return sheet.Write(out)
	case "table":
		return sheet.WriteTable(out, columns(), f.values)
	case "md":
		return sheet.WriteMarkdown(out, f.values)
	case "html":
		return sheet.WriteHTML(out, f.values)
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(sheet)
}

// columns is how wide a table may be: what the shell says of the terminal, or
// what is usual on a wide one.
func columns() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return min(n, 1000)
	}
	return 160
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
