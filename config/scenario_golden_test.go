package config

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// The messages are the product: each is pinned to the letter, with the line
// and the caret that a terminal shows.
func TestInvalidScenariosGolden(t *testing.T) {
	for _, path := range files(t, "testdata/scenario-invalid/*.yaml") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			s, err := LoadScenario(path)
			var all Errors
			if s != nil || !errors.As(err, &all) || len(all) == 0 {
				t.Fatalf("LoadScenario gives %v, %v; want Errors alone", s, err)
			}
			var b strings.Builder
			for _, e := range all {
				shown := *e
				shown.File = filepath.Base(e.File)
				b.WriteString(shown.Error() + "\n" + Snippet(source(t, e.File), e.Line, e.Column))
			}
			golden(t, path, b.String())
		})
	}
}

// The values in effect, defaults included, are pinned: so a default that
// changes shows in a diff.
func TestScenarioEffectiveGolden(t *testing.T) {
	for _, path := range files(t, "testdata/scenario-valid/*.yaml") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			s, err := LoadScenario(path)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := s.WriteEffective(&b); err != nil {
				t.Fatal(err)
			}
			for _, w := range s.Warnings() {
				b.WriteString(w.String() + "\n")
			}
			golden(t, path, b.String())
			checkScenario(t, s)
		})
	}
}

// Every scenario that is shipped loads, and means what it says.
func TestShippedScenarios(t *testing.T) {
	paths := append(files(t, "../testdata/scenarios/*.yaml"),
		"../examples/checkout/slow-recommendations.yaml")
	if len(paths) < 14 {
		t.Errorf("there are %d", len(paths))
	}
	for _, path := range paths {
		s, err := LoadScenario(path)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, w := range s.Warnings() {
			t.Error(w)
		}
		if want := strings.TrimSuffix(filepath.Base(path), ".yaml"); s.Name != want {
			t.Errorf("%s is called %s", path, s.Name)
		}
		if s.About == "" || len(s.Expect) == 0 {
			t.Errorf("%s does not say what it shows, or what it expects", path)
		}
		checkScenario(t, s)
	}
}

// The policies that are shipped beside the scenarios load too, those included
// that no scenario names but its comments do.
func TestShippedPolicies(t *testing.T) {
	for _, path := range files(t, "../testdata/scenarios/policies/*.yaml") {
		f, err := Load(path)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, w := range f.Warnings() {
			t.Error(w)
		}
	}
}
