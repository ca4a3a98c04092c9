package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/seakeep/seakeep/cmd/seakeep/top"
)

const topLong = `Shows the wall of dependencies of a running proxy or demo in the terminal, the
worst first, over the API of its dashboard. A line that begins with "!" needs to
be looked at.

  q    quit
  s    sort by the next: worst first, rate, success, p99, name (S: the one before)
  /    show only names that contain what is typed; Enter keeps it, Esc ends it

Into a pipe it writes one table.`

func newTopCommand() *cobra.Command {
	admin := ""
	c := &cobra.Command{
		Use:     "top",
		Short:   "Watch the dependencies of a running proxy in the terminal",
		Long:    topLong,
		Example: "  seakeep top\n  seakeep top --admin 127.0.0.1:9901 | head",
		Args:    cobra.NoArgs,
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := fromEnvironment(cmd); err != nil {
				return err
			}
			admin = strings.TrimSuffix(strings.TrimPrefix(admin, "http://"), "/")
			return checkAddress(admin)
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return runTop(cmd, "http://"+admin) },
	}
	c.Flags().StringVar(&admin, "admin", "127.0.0.1:9901", adminUsage)
	return c
}

func runTop(cmd *cobra.Command, base string) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	out := cmd.OutOrStdout()
	if !isTerminal(out) {
		ctx, cancel := context.WithTimeout(ctx, orderTime)
		defer cancel()
		if err := top.Print(ctx, base, out); err != nil {
			return &workError{err}
		}
		return nil
	}
	screen := out.(*os.File) // it is a terminal
	t := top.Terminal{Out: out, Color: os.Getenv("NO_COLOR") == "", Size: func() (int, int) {
		width, height, err := term.GetSize(int(screen.Fd()))
		if err != nil {
			return 80, 24
		}
		return width, height
	}}
	restore, err := keyboard(cmd.InOrStdin(), &t)
	if err != nil {
		return &workError{err}
	}
	defer restore()
	if err := top.Run(ctx, base, t); err != nil {
		return &workError{err}
	}
	return nil
}

// keyboard has keys come as they are pressed, if there is a keyboard.
func keyboard(in io.Reader, t *top.Terminal) (restore func(), err error) {
	file, ok := in.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return func() {}, nil
	}
	before, err := term.MakeRaw(int(file.Fd()))
	if err != nil {
		return nil, errors.Join(errors.New("the terminal gives no single keys"), err)
	}
	t.Keys = file
	return func() { _ = term.Restore(int(file.Fd()), before) }, nil
}
