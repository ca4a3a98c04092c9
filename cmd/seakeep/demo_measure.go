package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// measuring is what the demos share that measure what they promise.
type measuring struct{ json, check, policy bool }

// measured is what such a demo comes to.
type measured interface {
	WriteJSON(io.Writer) error
	WriteText(io.Writer) error
	Held() bool
}

// offer gives a command what all of them do.
func (m *measuring) offer(c *cobra.Command, run func(context.Context, io.Writer) (measured, error),
	policies func(io.Writer) error) {
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if m.policy {
			return policies(cmd.OutOrStdout())
		}
		return m.run(cmd, run)
	}
	flags := c.Flags()
	flags.BoolVar(&m.json, "json", false, "print the report as JSON, and what happens to stderr")
	flags.BoolVar(&m.check, "check", false, "exit with 1 if something promised does not hold")
	flags.BoolVar(&m.policy, "policy", false, "print the policy files that protect, and end")
}

func (m *measuring) run(cmd *cobra.Command,
	run func(context.Context, io.Writer) (measured, error)) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	out := cmd.OutOrStdout()
	if m.json {
		out = cmd.ErrOrStderr()
	}
	report, err := run(ctx, out)
	if err != nil {
		return err
	}
	if err := report.WriteText(out); err != nil {
		return err
	}
	if m.json {
		if err := report.WriteJSON(cmd.OutOrStdout()); err != nil {
			return err
		}
	}
	if m.check && !report.Held() {
		return errors.New("not everything that was promised holds; see above")
	}
	return nil
}
