package window

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

var update = flag.Bool("update", false, "write the answers into testdata/*.txt")

// TestScripts plays the scripts in testdata: "config" makes a window, "ok" and
// "fail", with or without "slow", record a result, and what the window then
// holds stands behind the arrow.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var w *Window
		lines := strings.Split(string(text), "\n")
		for i, line := range lines {
			if config, ok := strings.CutPrefix(line, "config "); ok {
				w = New(parseConfig(t, config))
			}
			question, want, asked := strings.Cut(line, " -> ")
			if !asked {
				continue
			}
			got, err := play(w, strings.Fields(question))
			if err != nil {
				t.Fatalf("%s:%d: %v", file, i+1, err)
			}
			if got != want && !*update {
				t.Errorf("%s:%d: %s\n got %s\nwant %s", file, i+1, question, got, want)
			}
			lines[i] = question + " -> " + got
		}
		if *update {
			if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func play(w *Window, words []string) (string, error) {
	d, err := time.ParseDuration(words[0])
	if err != nil || len(words) < 2 {
		return "", fmt.Errorf("want a time and a verb: %v", words)
	}
	now := core.Instant(d)
	switch verb := words[1]; verb {
	case "ok", "fail":
		w.Record(now, verb == "fail", len(words) > 2 && words[2] == "slow")
	case "reset":
		w.Reset(now)
	case "read":
	default:
		return "", fmt.Errorf("no verb %q", verb)
	}
	c := w.Counts(now)
	return fmt.Sprintf("%d calls %d failed %d slow, %d in a row",
		c.Calls, c.Failed, c.Slow, w.InARow()), nil
}

func parseConfig(t *testing.T, text string) (c Config) {
	for _, word := range strings.Fields(text) {
		key, value, _ := strings.Cut(word, "=")
		var err error
		switch key {
		case "over":
			c.Over, err = time.ParseDuration(value)
		case "buckets":
			c.Buckets, err = strconv.Atoi(value)
		case "calls":
			c.Calls, err = strconv.Atoi(value)
		case "row":
			c.Consecutive, err = strconv.Atoi(value)
		default:
			t.Fatalf("no setting %q", key)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return c
}
