package check

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table of rules in docs/check.md")

// The page has the rules as the program has them. -update rewrites it.
func TestPageHasTheRules(t *testing.T) {
	const page = "../../../../docs/check.md"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const heading = "| rule | severity | why | number | fix | bites when |\n|---|---|---|---|---|---|\n"
	var b strings.Builder
	b.WriteString(heading)
	for _, r := range Rules() {
		fmt.Fprintf(&b, "| `%s` | %s | %s. %s | %s | %s | %s |\n", r.ID, r.Severity, upper(r.Title), r.Why,
			r.Number, r.Fix, r.Bites)
	}
	text := string(data)
	before, rest, found := strings.Cut(text, heading)
	if *update {
		for found && strings.HasPrefix(rest, "|") {
			_, rest, _ = strings.Cut(rest, "\n")
		}
		if err := os.WriteFile(page, []byte(before+b.String()+rest), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !found || !strings.Contains(text, b.String()) {
		t.Errorf("%s does not have the rules as they are; -update rewrites them", page)
	}
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
