package telemetry

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of docs/monitoring.md")

// TestDocs holds the table that people read against the one of the code.
func TestDocs(t *testing.T) {
	const page = "../docs/monitoring.md"
	const begin, end = "-update\" -->\n", "<!-- end of metrics -->"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), begin)
	_, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatal("the marks of the table are gone")
	}
	text := before + begin + tables() + end + after
	if *update {
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text != string(data) {
		t.Error("docs/monitoring.md does not say what the code does: go test ./telemetry -update")
	}
}

// tables is every definition, under the headings of the parts.
func tables() string {
	var b strings.Builder
	part := ""
	for _, p := range parts() {
		for _, d := range Definitions() {
			if d.Part != p {
				continue
			}
			if p != part {
				part = p
				fmt.Fprintf(&b, "\n### %s\n\n| metric | type | unit | labels | |\n|---|---|---|---|---|\n", p)
			}
			labels := strings.Join(d.Labels, ", ")
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", d.Name, d.Kind, unitWords(d.Unit), labels, d.Help)
		}
	}
	return b.String() + "\n"
}

// parts lists the parts in the order in which they first come.
func parts() (all []string) {
	seen := map[string]bool{}
	for _, d := range Definitions() {
		if !seen[d.Part] {
			seen[d.Part] = true
			all = append(all, d.Part)
		}
	}
	return all
}

func unitWords(unit string) string {
	switch unit {
	case "s":
		return "seconds"
	case "By":
		return "bytes"
	case "1":
		return "share"
	case "":
		return "0 or 1"
	}
	return strings.Trim(unit, "{}") + "s"
}

// TestNamesInDocs: whatever page names a metric names one that there is.
func TestNamesInDocs(t *testing.T) {
	known := map[string]bool{}
	for _, d := range Definitions() {
		known[d.Name] = true
	}
	name := regexp.MustCompile(`\bseakeep_[a-z_]*[a-z]`)
	for _, pattern := range []string{"../README.md", "../docs/*.md", "../docs/*/*.md"} {
		pages, err := filepath.Glob(pattern)
		if err != nil || len(pages) == 0 {
			t.Fatal(pattern, err)
		}
		for _, page := range pages {
			data, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range name.FindAllString(string(data), -1) {
				for _, suffix := range []string{"_bucket", "_sum", "_count"} {
					found = strings.TrimSuffix(found, suffix)
				}
				if !known[found] {
					t.Errorf("%s: there is no metric %s", page, found)
				}
			}
		}
	}
}
