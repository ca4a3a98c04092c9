package foreign

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// importer is one of the three translations.
type importer func(data []byte, service string) (*Translation, error)

var importers = map[string]importer{"envoy": Envoy, "grpc": GRPC, "resilience4j": Resilience4j,
	"openslo": OpenSLO}

// translate imports text and checks what holds for every translation.
func translate(t *testing.T, f importer, text string) (*Translation, *config.File) {
	t.Helper()
	tr, err := f([]byte(text), "")
	if err != nil {
		t.Fatal(err)
	}
	return tr, verify(t, tr)
}

// verify checks that the policy is one, and that the report adds up.
func verify(t *testing.T, tr *Translation) *config.File {
	t.Helper()
	r := tr.Report
	var sum [3]int
	for _, s := range r.Settings {
		if s.Count < 1 || s.Line < 1 || s.Path == "" {
			t.Errorf("a setting is %+v", s)
		}
		if s.Fate != Mapped && s.Note == "" {
			t.Errorf("%s is %v and nothing says why", s.Path, s.Fate)
		}
		if s.Fate == Approximated && len(s.To) == 0 && !strings.Contains(s.Note, "dependency") &&
			!strings.Contains(s.Note, "no b") && !strings.Contains(s.Note, "every host") {
			t.Errorf("%s is approximated by nothing: %s", s.Path, s.Note)
		}
		sum[s.Fate] += s.Count
	}
	if sum != [3]int{r.Mapped, r.Approximated, r.Dropped} {
		t.Errorf("the counts are %d, %d and %d, their sums %v", r.Mapped, r.Approximated, r.Dropped, sum)
	}
	if tr.Policy == "" {
		return nil
	}
	file, err := config.Parse("policy", []byte(tr.Policy))
	if err != nil {
		t.Fatalf("%v\n%s", err, tr.Policy)
	}
	return file
}

// fateOf returns the fate and the note of each setting whose path ends so.
func fateOf(tr *Translation, suffix string) string {
	var all []string
	for _, s := range tr.Report.Settings {
		if strings.HasSuffix(s.Path, suffix) {
			all = append(all, s.Fate.String()+": "+s.Note)
		}
	}
	return strings.Join(all, " | ")
}

// expectFate checks what became of the one setting whose path ends so.
func expectFate(t *testing.T, tr *Translation, suffix, fate, note string) {
	t.Helper()
	got := fateOf(tr, suffix)
	if !strings.HasPrefix(got, fate+": ") || !strings.Contains(got, note) || strings.Contains(got, " | ") {
		t.Errorf("%s is %q, want %s with %q", suffix, got, fate, note)
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
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

// inputs returns the inputs in testdata for a format.
func inputs(t testing.TB, format string) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/" + format + "/*")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, path := range paths {
		if !strings.HasSuffix(path, ".policy") && !strings.HasSuffix(path, ".report") {
			found = append(found, path)
		}
	}
	if len(found) == 0 {
		t.Fatal("no inputs for " + format)
	}
	return found
}

// wrong reports whether an error is the program's own mistake.
func wrong(err error) bool {
	var mistakes config.Errors
	return errors.As(err, &mistakes)
}

const ms = time.Millisecond
