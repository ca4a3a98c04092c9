package main

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/internal/race"
)

var updateDocs = flag.Bool("update-docs", false, "write what commands print into docs/simulator.md")

// shown is a block of a page that shows a command and what it prints. A line of
// three dots stands for lines that are left out.
var shown = regexp.MustCompile("(?ms)^```\n\\$ seakeep (sim [^\n]*)\n(.*?)^```$")

// What docs/simulator.md shows is what its commands print.
func TestSimulatorPageIsTrue(t *testing.T) {
	race.OneGoroutine(t)
	t.Chdir("../..")
	const path = "docs/simulator.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	blocks := shown.FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 2 {
		t.Fatalf("%s shows %d commands", path, len(blocks))
	}
	text := string(page)
	for _, block := range blocks {
		_, stdout, stderr := sim(strings.ReplaceAll(strings.TrimPrefix(block[1], "sim "), " ", "|"), "")
		if printed(stdout, block[2]) {
			continue
		}
		if *updateDocs && !strings.Contains("\n"+block[2], "\n...\n") {
			text = strings.Replace(text, block[2], stdout, 1)
			continue
		}
		t.Errorf("%s: seakeep %s prints something else than the page shows:\n%s%s", path, block[1], stdout, stderr)
	}
	if text != string(page) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// printed reports whether what is shown is what was printed, lines of three dots
// standing for any others.
func printed(all, parts string) bool {
	all = "\n" + all
	for i, part := range strings.Split("\n"+parts, "\n...\n") {
		part = strings.TrimSuffix("\n"+strings.TrimPrefix(part, "\n"), "\n")
		before, rest, ok := strings.Cut(all, part)
		if !ok || i == 0 && before != "" {
			return false
		}
		all = rest
	}
	return strings.HasSuffix("\n"+parts, "\n...\n") || strings.TrimSpace(all) == ""
}

func TestPrinted(t *testing.T) {
	const all = "a\nb\nc\nd\n"
	for parts, want := range map[string]bool{
		"a\nb\nc\nd\n": true, "a\nb\n...\n": true, "...\nb\nc\n...\n": true, "...\nd\n": true,
		"a\n...\nd\n": true,
		"b\n...\n":    false, "a\nb\n": false, "...\nc\n": false, "...\nc\n...\nb\n...\n": false,
		"...\nbc\n": false, "a\nx\n": false, "...\nx\n...\n": false,
	} {
		if printed(all, parts) != want {
			t.Errorf("%q is shown of %q: %v", parts, all, !want)
		}
	}
}
