package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// probe is a command that can fail in each of the ways a real one can.
func probe() *cobra.Command {
	c := &cobra.Command{
		Use:  "probe",
		Args: cobra.NoArgs,
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if n, _ := cmd.Flags().GetInt("number"); n < 0 {
				return errors.New("--number is below 0")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if broken, _ := cmd.Flags().GetBool("broken"); broken {
				return errors.New("the work went wrong")
			}
			cmd.Println("done")
			return nil
		},
	}
	c.Flags().Int("number", 0, "a number")
	c.Flags().Bool("broken", false, "fail")
	return c
}

func TestExitStatusAndStreams(t *testing.T) {
	for _, tc := range []struct {
		args   string
		status int
		stdout string // a part of it; empty: nothing may be printed there
		stderr string
	}{
		{"", exitOK, "Usage:", ""},
		{"--help", exitOK, "Usage:", ""},
		{"--version", exitOK, "seakeep version ", ""},
		{"help probe", exitOK, "seakeep probe", ""},
		{"probe", exitOK, "done", ""},
		{"probe --help", exitOK, "--number", ""},
		{"completion bash", exitOK, "bash completion", ""},
		{"probe --broken", exitWork, "", "seakeep: the work went wrong\n"},
		{"--nope", exitUsage, "", "unknown flag: --nope"},
		{"prboe", exitUsage, "", `unknown command "prboe"; did you mean probe?`},
		{"help nope", exitUsage, "", `no help for "nope"`},
		{"completion fsh", exitUsage, "", `unknown command "fsh"`},
		{"probe --number x", exitUsage, "", "Run 'seakeep probe --help' for usage."},
		{"probe --number=-1", exitUsage, "", "--number is below 0"},
		{"probe extra", exitUsage, "", "extra"},
	} {
		t.Run(tc.args, func(t *testing.T) {
			root := newRootCommand()
			addCommands(root, probe())
			root.SetArgs(strings.Fields(tc.args))
			var stdout, stderr bytes.Buffer
			status := execute(context.Background(), root, &stdout, &stderr)
			if status != tc.status {
				t.Errorf("status %d, want %d", status, tc.status)
			}
			expect(t, "standard output", stdout.String(), tc.stdout)
			expect(t, "standard error", stderr.String(), tc.stderr)
		})
	}
}

func expect(t *testing.T, stream, got, want string) {
	t.Helper()
	if want == "" && got != "" {
		t.Errorf("%s should be empty, is %q", stream, got)
	}
	if !strings.Contains(got, want) {
		t.Errorf("%s is %q, want it to hold %q", stream, got, want)
	}
}
