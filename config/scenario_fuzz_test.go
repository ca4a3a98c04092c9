package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// FuzzParseScenario: whatever the bytes, ParseScenario returns, and either a
// scenario that keeps its promises or mistakes with a position within the text
// that they are in.
func FuzzParseScenario(f *testing.F) {
	policies := map[string][]byte{}
	for _, pattern := range []string{"testdata/scenario-*/*.yaml", "../testdata/scenarios/*.yaml",
		"../testdata/scenarios/policies/*.yaml", "../examples/*/*.yaml"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			f.Fatal(pattern, err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			policies[filepath.Base(path)] = data
			f.Add(data)
		}
	}
	open := func(path string) ([]byte, error) {
		data, ok := policies[filepath.Base(path)]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return data, nil
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseScenario("f", data, open)
		if err == nil {
			checkScenario(t, s)
			for _, w := range s.Warnings() {
				checkPlace(t, data, w.Line, w.Column)
			}
			if len(s.Effective()) < 10 {
				t.Error("hardly anything is in effect")
			}
			return
		}
		var all Errors
		if !errors.As(err, &all) || len(all) == 0 || s != nil {
			t.Fatalf("ParseScenario gives %v, %T", s, err)
		}
		for _, e := range all {
			text := data
			if e.File != "f" {
				text = policies[filepath.Base(e.File)]
			}
			checkPlace(t, text, e.Line, e.Column)
			if e.Problem == "" {
				t.Error("a mistake without a problem")
			}
		}
	})
}
