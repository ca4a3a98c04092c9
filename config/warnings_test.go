package config

import (
	"strings"
	"testing"
)

// Each body of a dependency in testdata/warnings.txt is followed by what it is
// warned of, if anything: few warnings and right ones.
func TestWarningsGolden(t *testing.T) {
	const path = "testdata/warnings.txt"
	var b strings.Builder
	for line := range strings.Lines(string(source(t, path))) {
		body, isBody := strings.CutPrefix(strings.TrimSpace(line), "a: ")
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			b.WriteString(line)
		}
		if !isBody {
			continue
		}
		b.WriteString(line)
		file := "version: 1\nservice: s\ndependencies:\na: " + body + "\n"
		for _, w := range mustParse(t, strings.Replace(file, "\na:", "\n  a:", 1)).Warnings() {
			_, text, _ := strings.Cut(w.String(), "warning: ")
			b.WriteString(strings.Repeat(" ", w.Column-3) + "^\n    " + text + "\n")
			if w.Line != 4 || w.File != "seakeep.yaml" {
				t.Errorf("the warning is at %s:%d", w.File, w.Line)
			}
		}
	}
	golden(t, path, b.String())
}
