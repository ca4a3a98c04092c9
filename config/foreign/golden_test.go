package foreign

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The policies and the reports are the product: each is pinned to the letter.
func TestGolden(t *testing.T) {
	for format, f := range importers {
		for _, path := range inputs(t, format) {
			t.Run(filepath.Join(format, filepath.Base(path)), func(t *testing.T) {
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				tr, _ := translate(t, f, string(data))
				golden(t, path+".policy", tr.Policy)
				var report bytes.Buffer
				if err := tr.Report.Write(&report); err != nil {
					t.Fatal(err)
				}
				golden(t, path+".report", report.String())
			})
		}
	}
}

// Each leaf of the input is accounted for, by its own line of the report or by
// that of a section around it, and the same input gives the same output.
func TestEachSettingOnce(t *testing.T) {
	for format, f := range importers {
		for _, path := range inputs(t, format) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			read := map[string]func([]byte) (*node, error){"envoy": readFragments, "grpc": readTree,
				"resilience4j": readSpring, "openslo": readFragments}[format]
			root, err := read(data)
			if err != nil {
				t.Fatal(err)
			}
			tr, _ := translate(t, f, string(data))
			r := tr.Report
			if got, want := r.Mapped+r.Approximated+r.Dropped, root.leaves(); got != want {
				t.Errorf("%s has %d settings, the report speaks of %d", path, want, got)
			}
			seen := map[string]bool{}
			for _, s := range r.Settings {
				if seen[s.Path] && s.Fate != Dropped && format != "resilience4j" {
					t.Errorf("%s: %s is there twice", path, s.Path)
				}
				seen[s.Path] = true
			}
			again, _ := translate(t, f, string(data))
			if again.Policy != tr.Policy {
				t.Errorf("%s gives another policy the second time", path)
			}
		}
	}
}
