package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// Exit statuses. A caller's script may tell a mistake in the command line,
// which repeating cannot mend, from work that went wrong.
const (
	exitOK    = 0
	exitWork  = 1
	exitUsage = 2
)

// execute runs root, whose arguments are set, and returns the exit status.
func execute(ctx context.Context, root *cobra.Command, stdout, stderr io.Writer) int {
	root.SetOut(stdout)
	root.SetErr(stderr)
	strictBuiltins(root)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(stderr, "seakeep: %v\n", err)
	var cannot *unreadable
	var work *workError
	switch {
	case errors.As(err, &cannot):
		return exitUsage
	case errors.As(err, &work):
		return exitWork
	}
	fmt.Fprintf(stderr, "Run '%s --help' for usage.\n", cmd.CommandPath())
	return exitUsage
}

// newRootCommand returns the program with all its commands.
func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "seakeep",
		Short: "Keep a service standing when something it depends on gets slow or fails",
		Long: `Seakeep keeps a service standing when something it depends on gets slow or
fails. One policy file says how each dependency is protected.`,
		Version: version(),
		Args:    knownCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		DisableFlagsInUseLine: true,
		// execute prints errors itself, in one form, with the right status.
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	addCommands(root, newDemoCommand(), newProxyCommand(), newValidateCommand(),
		newPlanCommand(), newCheckCommand(), newSchemaCommand(), newSimCommand(), newImportCommand(), newAdmitCommand(),
		newSLOCommand(), newTopCommand(), newExportCommand(),
		newInitCommand(), newLoadCommand(), newTuneCommand(), newLabCommand(),
		newBreakerCommand(), newDegradeCommand(), newFaultCommand())
	return root
}

// addCommands puts commands below root and marks the errors of their work.
// What else Execute returns, from flags, Args or PreRunE, is then known to be
// a mistake in the command line, so that is where a command checks its flags.
func addCommands(root *cobra.Command, commands ...*cobra.Command) {
	for _, c := range commands {
		run := c.RunE
		c.RunE = func(cmd *cobra.Command, args []string) error {
			if err := run(cmd, args); err != nil {
				return &workError{err}
			}
			return nil
		}
		root.AddCommand(c)
	}
}

// strictBuiltins makes cobra's own commands refuse a word they do not know.
// Left alone they print help to standard output and report success. It comes
// after the streams are set, because "completion" remembers them when made.
func strictBuiltins(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = knownTopic
		case "completion":
			c.Args = knownCommand
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// knownCommand is the Args of a command that only holds others: whatever is
// left after the search for a command is a name that nobody has.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2 // letters that may differ
	hint := ""
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return fmt.Errorf("unknown command %q%s", args[0], hint)
}

// knownTopic is the Args of "help": the words must lead to a command.
func knownTopic(cmd *cobra.Command, args []string) error {
	if found, rest, err := cmd.Root().Find(args); err != nil || len(rest) > 0 {
		return fmt.Errorf("no help for %q: unknown command below %q",
			strings.Join(args, " "), found.CommandPath())
	}
	return nil
}

// workError marks an error of a command's work.
type workError struct{ error }

func (e *workError) Unwrap() error { return e.error }

// version says what was built: the module's version, which carries the commit
// when there is no tag, and the toolchain.
func version() string {
	v := "(unknown)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v = info.Main.Version
	}
	return fmt.Sprintf("%s (%s %s/%s)", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
