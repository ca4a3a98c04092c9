package config

import (
	"errors"
	"strings"
	"testing"
)

// mustParse parses a file that holds no mistake.
func mustParse(t *testing.T, text string) *File {
	t.Helper()
	f, err := Parse("seakeep.yaml", []byte(text))
	if err != nil {
		t.Fatalf("refused:\n%v\n%s", err, text)
	}
	return f
}

// mistakes parses a file and returns what is wrong with it, without the name.
func mistakes(t *testing.T, text string) []string {
	t.Helper()
	f, err := Parse("seakeep.yaml", []byte(text))
	if err == nil {
		return nil
	}
	var all Errors
	if !errors.As(err, &all) || f != nil {
		t.Fatalf("Parse gives %v, %T; want nil, Errors", f, err)
	}
	lines := make([]string, len(all))
	for i, e := range all {
		if e.Line < 1 || e.Column < 1 {
			t.Errorf("no position: %v", e)
		}
		lines[i] = strings.TrimPrefix(e.Error(), "seakeep.yaml:")
	}
	return lines
}

// dependency is a file with one dependency, given in flow style on line 4.
func dependency(body string) string {
	return "version: 1\nservice: s\ndependencies:\n  a: {" + body + "}\n"
}

// wants fails unless exactly one mistake is found and it holds each part.
func wants(t *testing.T, text string, parts ...string) {
	t.Helper()
	found := mistakes(t, text)
	if len(found) != 1 {
		t.Errorf("%d mistakes, want 1: %q in\n%s", len(found), found, text)
		return
	}
	for _, part := range parts {
		if !strings.Contains(found[0], part) {
			t.Errorf("%q does not hold %q", found[0], part)
		}
	}
}
