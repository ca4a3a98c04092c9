package config

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// FuzzParse: whatever the bytes, Parse returns, and either a file whose
// settings can be used or mistakes with a position within the text.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/*/*.yaml", "../examples/*/*.yaml"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			f.Fatal(pattern, err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse("f", data)
		if err == nil {
			for _, d := range file.Dependencies {
				checkCall(t, d.Settings)
				for _, op := range d.Operations {
					checkCall(t, op.Settings)
				}
			}
			for _, w := range file.Warnings() {
				checkPlace(t, data, w.Line, w.Column)
			}
			if err := file.WriteEffective(new(bytes.Buffer)); err != nil {
				t.Error(err)
			}
			return
		}
		var all Errors
		if !errors.As(err, &all) || len(all) == 0 || file != nil {
			t.Fatalf("Parse gives %v, %T", file, err)
		}
		for _, e := range all {
			checkPlace(t, data, e.Line, e.Column)
			if e.Problem == "" {
				t.Error("a mistake without a problem")
			}
		}
	})
}

func checkPlace(t *testing.T, data []byte, line, column int) {
	t.Helper()
	if line < 1 || column < 1 || Snippet(data, line, column) == "" {
		t.Errorf("position %d:%d is not in the text", line, column)
	}
}
