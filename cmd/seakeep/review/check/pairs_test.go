package check

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/config"
)

const (
	pairs    = "../../../../testdata/check"
	examples = "../../../../examples/checkout"
)

// load reads a file, and those that it names.
func load(t *testing.T, path string) []*config.File {
	t.Helper()
	f, err := config.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	files, err := Follow([]*config.File{f}, config.Load)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var (
	wantHere  = regexp.MustCompile(`\bwant: ([a-z0-9-]+)`)
	wantBelow = regexp.MustCompile(`# want below: ([a-z0-9-]+)`)
)

// wanted are the findings that the comments of the files name, by place.
func wanted(files []*config.File) (all []string) {
	for _, f := range files {
		for i, line := range strings.Split(string(f.Text()), "\n") {
			for _, m := range wantHere.FindAllStringSubmatch(line, -1) {
				all = append(all, place(f.Name(), i+1)+m[1])
			}
			if m := wantBelow.FindStringSubmatch(line); m != nil {
				all = append(all, place(f.Name(), i+2)+m[1])
			}
		}
	}
	slices.Sort(all)
	return all
}

func place(name string, line int) string {
	return filepath.Base(name) + ":" + strconv.Itoa(line) + ": "
}

// Each rule has a file in which it finds what a comment there names, and a twin
// in which nothing is found.
func TestEveryRuleHasAPair(t *testing.T) {
	for _, r := range Rules() {
		t.Run(r.ID, func(t *testing.T) {
			bad := load(t, filepath.Join(pairs, r.ID+".yaml"))
			found := Files(bad)
			var got []string
			for _, f := range found {
				got = append(got, place(f.File, f.Line)+f.Rule)
			}
			slices.Sort(got)
			if want := wanted(bad); !slices.Equal(got, want) {
				t.Errorf("found %q, want %q", got, want)
			}
			if !slices.ContainsFunc(found, func(f Finding) bool { return f.Rule == r.ID }) {
				t.Errorf("%s finds nothing in its own file", r.ID)
			}
			for _, f := range Files(load(t, filepath.Join(pairs, r.ID+"-clean.yaml"))) {
				t.Errorf("the clean twin has %s at line %d: %s", f.Rule, f.Line, f.Why)
			}
		})
	}
}

// No file is left over when a rule goes.
func TestNoPairWithoutARule(t *testing.T) {
	files, err := filepath.Glob(pairs + "/*.yaml")
	if err != nil || len(files) != 2*len(Rules()) {
		t.Errorf("%d files for %d rules, %v", len(files), len(Rules()), err)
	}
	for _, path := range files {
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".yaml"), "-clean")
		if Find(name) == nil {
			t.Errorf("%s is about no rule", path)
		}
	}
}

// What a finding says is enough to act on, and its changes mend it: the file
// still loads, and neither the finding nor an error is left.
func TestChangesMend(t *testing.T) {
	mended := 0
	for _, r := range Rules() {
		path := filepath.Join(pairs, r.ID+".yaml")
		files := load(t, path)
		for _, f := range Files(files) {
			if f.Why == "" || f.Fix == "" || f.Bites == "" || f.Number.What == "" || f.Line < 1 || f.Column < 1 {
				t.Errorf("%s: says too little: %+v", r.ID, f)
			}
			if len(f.Changes) == 0 {
				continue
			}
			mended++
			for _, left := range Files(mend(t, files, f)) {
				if left.Rule == f.Rule && left.Path == f.Path && left.File == f.File {
					t.Errorf("%s: still there after %v: %s", r.ID, f.Changes, left.Why)
				} else if left.Severity == Error && !slices.Contains(wanted(files), place(left.File, left.Line)+left.Rule) {
					t.Errorf("%s: %v makes %s: %s", r.ID, f.Changes, left.Rule, left.Why)
				}
			}
		}
	}
	if mended < 40 {
		t.Errorf("only %d findings say how to mend them", mended)
	}
}

// mend carries the changes of a finding out in the file that it is in.
func mend(t *testing.T, files []*config.File, f Finding) []*config.File {
	t.Helper()
	files = slices.Clone(files)
	for i, file := range files {
		if file.Name() != f.File {
			continue
		}
		text := file.Text()
		for _, c := range f.Changes {
			var err error
			if text, err = config.Set(text, c.Path, c.Value); err != nil {
				t.Fatalf("%s: %v", f.Rule, err)
			}
		}
		var err error
		if files[i], err = config.Parse(file.Name(), text); err != nil {
			t.Fatalf("%s: after %v: %v", f.Rule, f.Changes, err)
		}
	}
	return files
}

// The example is one to copy, with a reason where it is not as usual.
func TestExampleIsClean(t *testing.T) {
	r := Run(load(t, examples+"/seakeep.yaml"))
	for _, f := range r.Findings {
		t.Errorf("line %d: %s: %s", f.Line, f.Rule, f.Why)
	}
	if len(r.Suppressed) != 1 || r.Suppressed[0].Reason == "" {
		t.Errorf("taken away: %+v", r.Suppressed)
	}
}

// The other example has nearly every mistake that one file can have.
func TestBadExample(t *testing.T) {
	files := load(t, examples+"/bad.yaml")
	var got []string
	kinds := map[string]bool{}
	for _, f := range Files(files) {
		got = append(got, place(f.File, f.Line)+f.Rule)
		kinds[f.Rule] = true
	}
	slices.Sort(got)
	if want := wanted(files); !slices.Equal(got, want) {
		t.Errorf("found %q\nwant  %q", got, want)
	}
	if len(kinds) < 40 {
		t.Errorf("only %d kinds of mistakes", len(kinds))
	}
}
