package main

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/internal/race"
)

const badExample = "../../examples/checkout/bad.yaml"

func TestCheckText(t *testing.T) {
	status, stdout, stderr := runCommand("", "check", badExample)
	if status != exitWork || stderr != "seakeep: findings at or above error\n" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	for _, want := range []string{
		"bad.yaml:36:23: warning: bulkhead-too-small: 333/s to pricing that take 30ms need 9.99 slots, and there are 8\n",
		"   36 |     bulkhead: {limit: 8} ", "        number  slots: 8 slots, beside 9.99 slots\n",
		"        fix     set bulkhead.limit to 20\n", "1 file: ",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
}

func TestCheckJSON(t *testing.T) {
	_, stdout, _ := runCommand("", "check", "--format", "json", badExample)
	var report struct {
		Findings []struct {
			Rule, Severity, File, Path, Why, Fix, Bites string
			Line, Column                                int
			Number                                      struct{ Value, Limit float64 }
			Changes                                     []struct{ Path, Value string }
		}
		Suppressed []struct{ Rule, Reason string }
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, f := range report.Findings {
		kinds[f.Rule] = true
		if f.File != badExample || f.Line == 0 || f.Why == "" || f.Fix == "" {
			t.Errorf("%+v", f)
		}
	}
	if len(kinds) < 40 {
		t.Errorf("%d kinds", len(kinds))
	}
	_, stdout, _ = runCommand("", "check", "-o", "json", "../../examples/checkout/seakeep.yaml")
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || len(report.Findings) != 0 ||
		len(report.Suppressed) != 1 || report.Suppressed[0].Reason == "" {
		t.Errorf("%v %s", err, stdout)
	}
}

func TestCheckSARIF(t *testing.T) {
	here, err := filepath.Abs(badExample)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(here))
	_, stdout, _ := runCommand("", "check", "--format", "sarif", here, "seakeep.yaml")
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct{ ID string }
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
				}
				PartialFingerprints map[string]string
				Suppressions        []struct{ Kind, Justification string }
			}
		}
	}
	if err := json.Unmarshal([]byte(stdout), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 {
		t.Fatalf("%s", stdout)
	}
	run, prints, suppressed := log.Runs[0], map[string]bool{}, 0
	for _, r := range run.Results {
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("rule %d is not %s", r.RuleIndex, r.RuleID)
		}
		if uri := r.Locations[0].PhysicalLocation.ArtifactLocation.URI; uri != "bad.yaml" && uri != "seakeep.yaml" {
			t.Errorf("the address is %s", uri)
		}
		print := r.PartialFingerprints["seakeepKey/v1"]
		if print == "" || prints[print] {
			t.Errorf("%s has the fingerprint %q, which another has", r.RuleID, print)
		}
		prints[print] = true
		suppressed += len(r.Suppressions)
	}
	if len(run.Results) < 40 || suppressed != 1 {
		t.Errorf("%d results, %d suppressed", len(run.Results), suppressed)
	}
}

func TestCheckGitHub(t *testing.T) {
	_, stdout, _ := runCommand("", "check", "--format", "github", badExample)
	line, _, _ := strings.Cut(stdout, "\n")
	if !strings.HasPrefix(line, "::warning file=../../examples/checkout/bad.yaml,line=7,col=17,title=admin-exposed::") {
		t.Errorf("%s", line)
	}
	if strings.Contains(stdout, "% ") {
		t.Errorf("a percent sign is not escaped:\n%s", stdout)
	}
}

func TestCheckJUnit(t *testing.T) {
	_, stdout, _ := runCommand("", "check", "--format", "junit", badExample, "../../examples/checkout/seakeep.yaml")
	var all struct {
		Suites []struct {
			Name                     string `xml:"name,attr"`
			Tests, Failures, Skipped int    `xml:",attr"`
			Cases                    []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	stdout = strings.NewReplacer("tests=", "Tests=", "failures=", "Failures=", "skipped=", "Skipped=").Replace(stdout)
	if err := xml.Unmarshal([]byte(stdout), &all); err != nil {
		t.Fatal(err)
	}
	bad, good := all.Suites[0], all.Suites[1]
	if bad.Failures < 40 || bad.Tests != len(bad.Cases) || bad.Tests < 60 || good.Failures != 0 || good.Skipped != 1 {
		t.Errorf("%d of %d failed; of the good %d, and %d skipped", bad.Failures, bad.Tests, good.Failures, good.Skipped)
	}
}

// The files of a graph are followed from the first, or given.
func TestCheckGraph(t *testing.T) {
	for _, args := range [][]string{{"../../testdata/check/retry-layers.yaml"},
		{"../../testdata/check/graph/stock-retrying.yaml", "../../testdata/check/graph/orders-retrying.yaml",
			"../../testdata/check/retry-layers.yaml"}} {
		_, stdout, _ := runCommand("", append([]string{"check"}, args...)...)
		if !strings.Contains(stdout, "calls at the bottom for one request: 27 calls") || !strings.Contains(stdout, "3 files: ") {
			t.Errorf("%v:\n%s", args, stdout)
		}
	}
}

func TestCheckCommandLine(t *testing.T) {
	policyFiles(t)
	if err := os.WriteFile("lost.yaml", []byte("version: 1\nservice: s\ndependencies:\n  a: {policy: gone.yaml}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args           string
		status         int
		stdout, stderr string
	}{
		{"", exitUsage, "", "give a policy file"},
		{"bad.yaml", exitUsage, "", "bad.yaml:1:10: version: 2 is not known here; use 1"},
		{"none.yaml", exitUsage, "", "no such file"},
		{"lost.yaml", exitUsage, "", "lost.yaml:4:15: dependencies.a.policy: policy file: open gone.yaml"},
		{"--format xml good.yaml", exitUsage, "", `--format is "xml"; use text, json, sarif, github, junit`},
		{"--fail-on all good.yaml", exitUsage, "", `"all" is no severity; use error, warning or info, or never`},
		{"--explain nothing", exitUsage, "", `there is no rule "nothing"`},
		{"--list-rules good.yaml", exitUsage, "", "leave the files out"},
		{"- -", exitUsage, "", "can be read once only"},
		{"--list-rules", exitOK, "timeout-missing            error    calls may wait for ever\n", ""},
		{"--explain retry-layers", exitOK, "27 calls of one", ""},
		{"--fail-on never good.yaml", exitOK, "measured-missing", ""},
		{"--fail-on info good.yaml", exitWork, "measured-missing", "findings at or above info"},
	} {
		status, stdout, stderr := runCommand("", append([]string{"check"}, strings.Fields(tc.args)...)...)
		if status != tc.status || !strings.Contains(stdout, tc.stdout) || !strings.Contains(stderr, tc.stderr) {
			t.Errorf("check %s: status %d, stdout %q, stderr %q", tc.args, status, stdout, stderr)
		}
	}
}

// A rule may follow --prove, or stand in it.
func TestCheckProve(t *testing.T) {
	race.OneGoroutine(t)
	const path = "../../testdata/check/fallback-missing.yaml"
	for _, args := range []string{"--prove fallback-missing " + path, "--prove=fallback-missing " + path, "--prove " + path} {
		status, stdout, stderr := runCommand("", append([]string{"check"}, strings.Fields(args)...)...)
		if status != exitWork || !strings.Contains(stdout, "It is worse as it is") ||
			stderr != "seakeep: 1 of 1 scenario is worse than with the fix\n" {
			t.Errorf("%s: status %d, stderr %q, stdout\n%s", args, status, stderr, stdout)
		}
	}
	_, stdout, _ := runCommand("", "check", "--prove", "-o", "json", path)
	var all struct {
		Proofs []struct {
			Worse   bool
			Figures []struct{ Key string }
		}
	}
	if err := json.Unmarshal([]byte(stdout), &all); err != nil || len(all.Proofs) != 1 || !all.Proofs[0].Worse ||
		all.Proofs[0].Figures[0].Key != "endpoints.stock.success" {
		t.Errorf("%v\n%s", err, stdout)
	}
	for args, want := range map[string]string{
		"--prove=nothing " + path:  `--prove: no scenario for "nothing"; there is one for timeout-missing, `,
		"--prove -o sarif " + path: "--prove prints text or json, not sarif",
	} {
		if status, _, stderr := runCommand("", append([]string{"check"}, strings.Fields(args)...)...); status == exitOK ||
			!strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s", args, status, stderr)
		}
	}
	// A file that is clean, or that the rule finds nothing in, is no failure.
	for args, want := range map[string]string{
		"--prove=retry-layers " + path:                             "no finding that a scenario could make bite\n",
		"--prove ../../testdata/check/fallback-missing-clean.yaml": "no finding that a scenario could make bite\n",
		"--prove -o json ../../examples/checkout/seakeep.yaml":     "{\n  \"proofs\": []\n}\n",
	} {
		status, stdout, stderr := runCommand("", append([]string{"check"}, strings.Fields(args)...)...)
		if status != exitOK || stdout != want || stderr != "" {
			t.Errorf("%s: status %d, %q, %s", args, status, stdout, stderr)
		}
	}
}
