package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/seakeep/seakeep/sim/gallery"
)

// gallerySays runs "gallery" below a root of its own.
func gallerySays(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	root := &cobra.Command{Use: "seakeep", SilenceErrors: true, SilenceUsage: true, Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	addCommands(root, newSimGalleryCommand())
	root.SetArgs(append([]string{"gallery"}, args...))
	var out, errs bytes.Buffer
	status = execute(context.Background(), root, &out, &errs)
	return status, out.String(), errs.String()
}

func TestGalleryTable(t *testing.T) {
	status, out, errs := gallerySays(t, "--only", "l1,H2")
	if status != exitOK || errs != "" {
		t.Fatalf("status %d, %s", status, errs)
	}
	for _, want := range []string{
		"L1  Threads of a healthy checkout\n",
		"    threads      22 threads  22 threads\n",
		"  match; the brief's \"most pages\" is wrong\n",
		"  seakeep sim gallery --only H2\n",
		"2 match, 0 differ, 0 missing\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

func TestGalleryJSON(t *testing.T) {
	status, out, errs := gallerySays(t, "--json", "--only", "R5,2.14,B8", "--seed", "7", "--runs", "20")
	if status != exitOK || errs != "" {
		t.Fatalf("status %d, %s", status, errs)
	}
	var cards []map[string]any
	if err := json.Unmarshal([]byte(out), &cards); err != nil {
		t.Fatal(err)
	}
	if len(cards) != 3 {
		t.Fatalf("%d cards, want 3", len(cards))
	}
	for _, c := range cards {
		for _, key := range []string{"id", "kind", "published", "ours", "interval", "verdict", "command"} {
			if _, ok := c[key].(string); !ok {
				t.Errorf("%v has no %s", c["id"], key)
			}
		}
	}
	verdicts := map[string]string{"R5": "match", "B8": "match", "2.14": "missing: Seakeep has no failure detector"}
	for _, c := range cards {
		if want := verdicts[c["id"].(string)]; c["verdict"] != want {
			t.Errorf("%v: verdict %v, want %q", c["id"], c["verdict"], want)
		}
	}
}

func TestGalleryUsage(t *testing.T) {
	for args, want := range map[string]string{
		"--only L99": `--only: no card is called "L99"`,
		"--runs 1":   "--runs: give at least 2",
		"--runs -3":  "--runs: give at least 2",
		"L1":         "unknown command",
	} {
		status, out, errs := gallerySays(t, strings.Fields(args)...)
		if status != exitUsage || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, stdout %q, stderr %q", args, status, out, errs)
		}
	}
}

func TestGalleryCounts(t *testing.T) {
	status, out, _ := gallerySays(t, "--only", "S6")
	if status != exitOK || !strings.HasSuffix(out, "\n0 match, 0 differ, 1 missing\n") {
		t.Errorf("status %d:\n%s", status, out)
	}
	c := gallery.Card{ID: "B1'", Verdict: "differs, because of that", Title: "Title"}
	if got, want := cardLine(&c), "B1'           differs  Title\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWrapped(t *testing.T) {
	if got, want := wrapped("one two  three", 7, "> "), "> one two\n> three"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := wrapped("", 7, "> "); got != "> " {
		t.Errorf("%q", got)
	}
}
