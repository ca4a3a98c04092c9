package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestErrorsSayWhereAndHow(t *testing.T) {
	_, err := Parse("seakeep.yaml", []byte(dependency("breaker: {failures: 150%}")))
	const want = `seakeep.yaml:4:27: dependencies.a.breaker.failures: "150%" is above 100%; ` +
		`give a share from 0.01% to 100%, such as 50%`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	var first *Error
	if !errors.As(err, &first) || first.Line != 4 || first.Column != 27 ||
		first.Path != "dependencies.a.breaker.failures" || first.Problem != `"150%" is above 100%` {
		t.Errorf("the parts are %+v", first)
	}
}

// One run tells everything, so that a file is mended in one go.
func TestAllErrorsAtOnceInOrder(t *testing.T) {
	found := mistakes(t, "version: 3\nservice: s\ndependencies:\n  a:\n    bulkhead: {}\n"+
		"    timeout: {total: 5}\n    kind: none\nextra: 1\n")
	want := []string{"1:10: version", "5:5: dependencies.a.bulkhead.limit",
		"6:22: dependencies.a.timeout.total", "7:11: dependencies.a.kind", "8:1: extra"}
	if len(found) != len(want) {
		t.Fatalf("%d mistakes, want %d: %q", len(found), len(want), found)
	}
	for i := range want {
		if !strings.HasPrefix(found[i], want[i]) {
			t.Errorf("mistake %d is %q, want %q", i, found[i], want[i])
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "seakeep.yaml")
	if _, err := Load(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there gives %v", err)
	}
	if _, err := Load(dir); err == nil {
		t.Error("a directory loads")
	}
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(dependency(""))
	f, err := Load(path)
	if err != nil || f.Service != "s" || f.Dependency("a") == nil || f.Dependency("b") != nil {
		t.Errorf("Load gives %+v, %v", f, err)
	}
	write(dependency("") + "#" + strings.Repeat("x", maxFile))
	var all Errors
	_, err = Load(path)
	if !errors.As(err, &all) || len(all) != 1 || all[0].Problem != "the file is larger than 1MiB" {
		t.Errorf("a file that is too large gives %v", err)
	}
	if !strings.HasPrefix(err.Error(), path+":1:1: ") {
		t.Errorf("the path is not told: %v", err)
	}
}

func TestSnippet(t *testing.T) {
	long := strings.Repeat("a", 200) + "X" + strings.Repeat("b", 200)
	for _, tc := range []struct {
		source       string
		line, column int
		want         string
	}{
		{"a: 1\nbc: 2\n", 2, 5, "    2 | bc: 2\n      |     ^\n"},
		{"a: 1", 1, 1, "    1 | a: 1\n      | ^\n"},
		{"a: 1\n", 1, 99, "    1 | a: 1\n      |     ^\n"},
		{"a: 1\n", 3, 1, ""},
		{"\ufeffa: 1", 1, 1, "    1 | a: 1\n      | ^\n"},
		{"é: x", 1, 4, "    1 | é: x\n      |    ^\n"},
		{"\ta", 1, 2, "    1 |  a\n      |  ^\n"},
		{"a\x1b[31m", 1, 1, "    1 | a·[31m\n      | ^\n"},
		{"a\r\nb\rc\u2028d\u0085e", 5, 1, "    5 | e\n      | ^\n"},
		{"a\r\nb\rc", 2, 1, "    2 | b\n      | ^\n"},
		{long, 1, 201, "    1 | " + strings.Repeat("a", 35) + "X" + strings.Repeat("b", 34) +
			"\n      | " + strings.Repeat(" ", 35) + "^\n"},
		{"", 1, 1, "    1 | \n      | ^\n"},
	} {
		if got := Snippet([]byte(tc.source), tc.line, tc.column); got != tc.want {
			t.Errorf("Snippet(%.20q, %d, %d) is\n%q, want\n%q",
				tc.source, tc.line, tc.column, got, tc.want)
		}
	}
}

func TestNearest(t *testing.T) {
	keys := []string{"for", "jitter", "growth", "cap", "max-wait", "ignore-retry-after", "on"}
	for word, want := range map[string]string{
		"jiter": "jitter", "jitterr": "jitter", "jtiter": "jitter", "JITTER": "jitter",
		"maxWait": "max-wait", "max_wait": "max-wait", "ignoreRetriesAfter": "ignore-retry-after",
		"fro": "for", "c": "", "po": "", "ON": "on", "n": "", "": "", "something": "", "gap": "cap",
		strings.Repeat("jitter", 10): "",
	} {
		if got := nearest(word, keys); got != want {
			t.Errorf("nearest(%q) is %q, want %q", word, got, want)
		}
	}
}
