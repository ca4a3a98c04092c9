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

// Whoever limits the connections to the program behind the door lets in no more
// than those, or is warned: what waits for one is in no queue that can be seen.
func TestWarnsOfRequestsThatWaitBehindTheDoor(t *testing.T) {
	for text, want := range map[string]string{
		"connections: {max: 30}":                                             "as many requests as come",
		"connections: {max: 30}, concurrency: {}":                            "as many requests as the algorithm finds",
		"connections: {max: 30}, concurrency: {max: 40}":                     "40 requests",
		"connections: {max: 30}, concurrency: {max: 30}":                     "",
		"connections: {max: 30}, concurrency: {algorithm: fixed, limit: 31}": "31 requests",
		"connections: {max: 30}, concurrency: {algorithm: fixed, limit: 30}": "",
		"connections: {max: 3}, protocol: h2c":                               "",
		"connections: {idle: 3}":                                             "",
	} {
		f := mustParse(t, "version: 1\nservice: s\nserve: {listen: 127.0.0.1:1, upstream: http://h:1, "+text+"}\n")
		got := ""
		for _, w := range f.Warnings() {
			got += w.String()
		}
		if (want == "") != (got == "") || !strings.Contains(got, "serve.connections.max: ") && want != "" ||
			!strings.Contains(got, " for "+want+": ") && want != "" {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
