package config

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// golden compares got with the file beside path that ends in .txt.
func golden(t *testing.T, path, got string) {
	t.Helper()
	path = strings.TrimSuffix(path, filepath.Ext(path)) + ".txt"
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("differs from %s, which -update rewrites; got:\n%s", path, got)
	}
}

func files(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files match %s (%v)", pattern, err)
	}
	return paths
}

func source(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The messages are the product: each is pinned to the letter, with the line
// and the caret that a terminal shows.
func TestInvalidFilesGolden(t *testing.T) {
	for _, path := range files(t, "testdata/invalid/*.yaml") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data := source(t, path)
			f, err := Parse("seakeep.yaml", data)
			var all Errors
			if f != nil || !errors.As(err, &all) || len(all) == 0 {
				t.Fatalf("Parse gives %v, %v; want Errors alone", f, err)
			}
			var b strings.Builder
			for _, e := range all {
				b.WriteString(e.Error() + "\n" + Snippet(data, e.Line, e.Column))
			}
			golden(t, path, b.String())
		})
	}
}

// F175: the values in effect, defaults included, are pinned; so a default that
// changes shows in a diff.
func TestF175EffectiveGolden(t *testing.T) {
	for _, path := range files(t, "testdata/valid/*.yaml") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			f, err := Parse(path, source(t, path))
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := f.WriteEffective(&b); err != nil {
				t.Fatal(err)
			}
			golden(t, path, b.String())
			for _, d := range f.Dependencies {
				checkCall(t, d.Settings)
				for _, op := range d.Operations {
					checkCall(t, op.Settings)
				}
			}
		})
	}
}

// checkCall holds the promise of Parse that its settings are ready for use.
func checkCall(t *testing.T, s Settings) {
	t.Helper()
	if err := s.Call.Validate(); err != nil {
		t.Errorf("%s passes Parse but not its own Validate: %v", s.Call.Name, err)
	}
	if (s.Call.Budget != nil) && s.Call.Retry == nil {
		t.Errorf("%s has a budget without retries", s.Call.Name)
	}
	for _, a := range s.Fallback.Order {
		if a.Cache == nil {
			continue
		}
		if err := a.Cache.Validate(); err != nil {
			t.Errorf("%s: cache: %v", s.Call.Name, err)
		}
	}
}
