package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/config"
)

// policies are all policy files of this repository that load.
func policies(t testing.TB) (all []*config.File) {
	t.Helper()
	for _, pattern := range []string{"config/testdata/valid/*.yaml", "testdata/scenarios/policies/*.yaml",
		"testdata/check/*.yaml", "testdata/check/graph/*.yaml", "examples/*/*.yaml", "cmd/seakeep/review/testdata/*.yaml"} {
		paths, err := filepath.Glob(filepath.Join("../../../..", pattern))
		if err != nil || len(paths) == 0 {
			t.Fatal(pattern, err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if f, err := config.Parse(path, data); err == nil {
				all = append(all, f)
			}
		}
	}
	return all
}

// Whatever a file has, findings have a place in it, and the changes that mend
// one leave a file that loads.
func TestEveryPolicyOfTheRepository(t *testing.T) {
	all := policies(t)
	if len(all) < 200 {
		t.Fatalf("only %d files", len(all))
	}
	for _, f := range all {
		text := string(f.Text())
		for _, found := range Files([]*config.File{f}) {
			if n := strings.Count(text, "\n") + 1; found.Line < 1 || found.Line > n || found.Column < 1 {
				t.Errorf("%s: %s is at %d:%d of %d lines", f.Name(), found.Rule, found.Line, found.Column, n)
			}
			out := f.Text()
			for _, c := range found.Changes {
				next, err := config.Set(out, c.Path, c.Value)
				if err != nil {
					t.Errorf("%s: %s: %v: %v", f.Name(), found.Rule, c, err)
					break
				}
				out = next
			}
			if _, err := config.Parse(f.Name(), out); err != nil {
				t.Errorf("%s:%d: %s: %v leaves %v", f.Name(), found.Line, found.Rule, found.Changes, err)
			}
		}
	}
}

// The same files give the same report, in whatever order they are named, but for
// the order of the files.
func TestOrderOfFilesDoesNotMatter(t *testing.T) {
	var files []*config.File
	for _, path := range []string{"retry-layers", "graph/orders-retrying", "graph/stock-retrying",
		"graph/orders-slow", "call-cycle"} {
		f, err := config.Load(filepath.Join(pairs, path+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	told := func() (all []string) {
		for _, f := range Files(files) {
			all = append(all, f.File+": "+f.message())
		}
		slices.Sort(all)
		return all
	}
	want := told()
	slices.Reverse(files)
	if got := told(); !slices.Equal(got, want) {
		t.Errorf("%q\nreversed %q", want, got)
	}
}

func FuzzFiles(f *testing.F) {
	for _, file := range policies(f) {
		f.Add(file.Text())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := config.Parse("f", data)
		if err != nil {
			return
		}
		for _, found := range Run([]*config.File{file}).Findings {
			if found.Line < 1 || found.Why == "" || found.Fix == "" {
				t.Errorf("%+v", found)
			}
		}
	})
}
