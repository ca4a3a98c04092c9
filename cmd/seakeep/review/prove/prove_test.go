package prove

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/cmd/seakeep/review/check"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/internal/race"
)

// load reads a file, and those that it names.
func load(t *testing.T, path string) []*config.File {
	t.Helper()
	f, err := config.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	files, err := check.Follow([]*config.File{f}, config.Load)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Each world makes the finding of its rule's own file bite: what comes out is
// worse than with the changes, beyond both intervals.
func TestEveryWorldBites(t *testing.T) {
	if n := len(Rules()); n < 20 || n != len(worlds)-1 { // one rule has two
		t.Errorf("%d rules can be proven, %d worlds", n, len(worlds))
	}
	for _, rule := range Rules() {
		t.Run(rule, func(t *testing.T) {
			if race.Enabled && rule != "fallback-missing" && rule != "retry-layers" {
				t.Skip("what runs at once is the same for all of them")
			}
			t.Parallel()
			files := load(t, filepath.Join("../../../../testdata/check", rule+".yaml"))
			chosen := Choose(check.Files(files), rule)
			if len(chosen) == 0 {
				t.Fatal("nothing to prove")
			}
			p, err := Of(chosen[0], files)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range p.Figures {
				t.Logf("%-50s %25s %25s", f.Name, f.AsIs.Text, f.Fixed.Text)
			}
			if !p.Worse {
				t.Errorf("no worse: %v\n%s", p.Changes, p.Scenario)
			}
		})
	}
}

// What hides a finding is mended first, and the proof says so.
func TestHiddenFindings(t *testing.T) {
	race.OneGoroutine(t)
	files := load(t, "../../../../examples/checkout/bad.yaml")
	for rule, hidden := range map[string]bool{"breaker-open-time": false, "retry-budget-missing": true} {
		chosen := Choose(check.Files(files), rule)
		p, err := Of(chosen[0], files)
		if err != nil {
			t.Fatal(err)
		}
		if !p.Worse || len(p.Mended) > 0 != hidden {
			t.Errorf("%s: worse %v, mended first: %v", rule, p.Worse, p.Mended)
		}
	}
}

// A proof is the same each time, and says in words and numbers what it shows.
func TestProofInWords(t *testing.T) {
	files := load(t, "../../../../testdata/check/bulkhead-missing.yaml")
	var last string
	for range 2 {
		p, err := Of(Choose(check.Files(files), "")[0], files)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		if last != "" && b.String() != last {
			t.Errorf("once\n%s\nand then\n%s", last, b.String())
		}
		last = b.String()
	}
	for _, want := range []string{"The dependency takes nine tenths", "Changed: dependencies.stock.bulkhead: {limit: 15}",
		"as it is", "users of another page served in time", "threads of ours held (mean)", "It is worse as it is"} {
		if !strings.Contains(last, want) {
			t.Errorf("%q is not in\n%s", want, last)
		}
	}
}

// What cannot be proven is an error that says why.
func TestWhatCannotBeProven(t *testing.T) {
	files := load(t, "../../../../examples/checkout/bad.yaml")
	for _, f := range check.Files(files) {
		f.Changes = nil
		_, err := Of(f, files)
		if want := ErrNoWorld; !Can(f.Rule) && !errors.Is(err, want) || Can(f.Rule) && !errors.Is(err, ErrNoChange) {
			t.Errorf("%s: %v", f.Rule, err)
		}
	}
	f := check.Files(files)[0]
	for _, one := range Choose(check.Files(files), "bulkhead-missing") {
		f = one
	}
	if _, err := Of(f, nil); err == nil {
		t.Error("proven without its file")
	}
}

// The page names what can be proven.
func TestPageNamesTheProofs(t *testing.T) {
	data, err := os.ReadFile("../../../../docs/check.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "`" + strings.Join(Rules(), "`, `") + "`"
	if !strings.Contains(strings.Join(strings.Fields(string(data)), " "), want) {
		t.Errorf("docs/check.md does not have %s", want)
	}
}
