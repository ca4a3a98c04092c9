package config

import (
	"os"
	"strings"
	"testing"
)

// A file of the other kind gets one answer that says so, not one for each key.
func TestFilesOfTheOtherKind(t *testing.T) {
	read := func(path string) []byte {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	const policy, scenario = "../examples/checkout/seakeep.yaml", "../testdata/scenarios/demo.yaml"
	_, err := Parse("a.yaml", read(scenario))
	one(t, err, "this is a scenario, not a policy file")
	_, err = ParseScenario("a.yaml", read(policy), os.ReadFile)
	one(t, err, "this is a policy file, not a scenario")

	_, err = Parse("a.yaml", []byte("version: 1\nservices: web\n"))
	if err == nil || strings.Contains(err.Error(), "not a policy file") {
		t.Errorf("one misspelt key makes no scenario: %v", err)
	}
}

func one(t *testing.T, err error, want string) {
	t.Helper()
	all, ok := err.(Errors)
	if !ok || len(all) != 1 || !strings.Contains(all[0].Problem, want) {
		t.Errorf("%v, want only %q", err, want)
	}
}
