package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// measuredCalls writes a log of calls: exponential, with a p99.9 of 110 ms.
func measuredCalls(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("time_s,latency_s,outcome\n")
	for i := range n {
		q := (float64(i*7919%n) + 0.5) / float64(n) // in an order that does not drift
		fmt.Fprintf(&b, "%.4f,%.6f,ok\n", float64(i)/333, 0.11/3*-math.Log10(1-q))
	}
	path := filepath.Join(t.TempDir(), "calls.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const tuned = `# What shop calls.
version: 1
service: shop
dependencies:
  pricing:
    timeout: {request: 2s} # a guess
    breaker: {}
    bulkhead: {limit: 200}
`

func TestTune(t *testing.T) {
	name := filepath.Join(t.TempDir(), "seakeep.yaml")
	if err := os.WriteFile(name, []byte(tuned), 0o640); err != nil {
		t.Fatal(err)
	}
	calls := measuredCalls(t, 20_000)
	status, stdout, stderr := runCommand("", "tune", name, "--from", calls)
	const changed = "-    timeout: {request: 2s} # a guess\n+    timeout: {request: 170ms} # a guess\n"
	if status != exitOK || !strings.Contains(stdout, changed) ||
		!strings.Contains(stderr, "p99.9 is 111ms") || !strings.Contains(stderr, "simulated, a usual day:") {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != tuned {
		t.Errorf("the file has changed: %v\n%s", err, text)
	}
	status, stdout, _ = runCommand("", "tune", name, "--from", calls, "--false-timeouts", "0.1%", "--no-effect",
		"--output", "json", "--write")
	var r struct {
		Dependencies []struct {
			Proposals []struct{ Path, Value string }
		}
		Patch string
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != exitOK || r.Patch == "" {
		t.Fatalf("%v, status %d\n%s", err, status, stdout)
	}
	text, err := os.ReadFile(name)
	if err != nil || !strings.Contains(string(text), "timeout: {request: 111ms, false-timeouts: 0.1%} # a guess") ||
		!strings.HasPrefix(string(text), "# What shop calls.\n") {
		t.Errorf("%v\n%s", err, text)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if status, stdout, stderr = runCommand("", "check", "--fail-on", "warning", name); status != exitOK {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	status, stdout, _ = runCommand("", "tune", name, "--from", calls, "--false-timeouts", "0.1%", "--no-effect")
	if stdout != "" {
		t.Errorf("status %d\n%s", status, stdout)
	}
}

// A share that somebody accepts is honoured, and the check takes it.
func TestTuneFalseTimeouts(t *testing.T) {
	name := filepath.Join(t.TempDir(), "seakeep.yaml")
	if err := os.WriteFile(name, []byte(tuned), 0o640); err != nil {
		t.Fatal(err)
	}
	calls := measuredCalls(t, 20_000)
	for share, want := range map[string]string{ // of an exponential distribution with a p99.9 of 110 ms
		"1%": "request: 73.3ms, false-timeouts: 1%", "10%": "request: 36.7ms, false-timeouts: 10%",
	} {
		status, stdout, stderr := runCommand("", "tune", name, "--from", calls, "--false-timeouts", share, "--no-effect",
			"--write")
		text, err := os.ReadFile(name)
		if err != nil || status != exitOK || !strings.Contains(string(text), want) {
			t.Errorf("status %d, %v\n%s%s\n%s", status, err, stdout, stderr, text)
		}
		if status, stdout, stderr := runCommand("", "check", "--fail-on", "warning", name); status != exitOK {
			t.Errorf("status %d\n%s%s", status, stdout, stderr)
		}
		// The file says it now, so that the next run need not.
		if _, stdout, _ := runCommand("", "tune", name, "--from", calls, "--no-effect"); stdout != "" {
			t.Errorf("the next run proposes\n%s", stdout)
		}
	}
}

func TestTuneRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"seakeep.yaml":             "--from is missing",
		"--from csv:a.csv":         "give one policy file",
		"seakeep.yaml --from what": "--from: ",
		"seakeep.yaml --from csv:a.csv --false-timeouts 50%": "--false-timeouts: ",
		"seakeep.yaml --from csv:a.csv --false-timeouts NaN": "--false-timeouts: ",
		"seakeep.yaml --from csv:a.csv --headroom x":         "--headroom: ",
		"seakeep.yaml --from hlog:a --unit min":              "--unit is",
		"seakeep.yaml --from prometheus:http://a/ --over 1s": "--over is 1s",
		"seakeep.yaml --from csv:a.csv --output yaml":        "--output is",
		"- --from csv:a.csv --write":                         "standard input cannot be changed",
		"- --from csv:-":                                     "can be read once only",
	} {
		status, stdout, stderr := runCommand("", append([]string{"tune"}, strings.Fields(args)...)...)
		if status != exitUsage || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s", args, status, stderr)
		}
	}
	status, _, stderr := runCommand(tuned, "tune", "-", "--from", "csv:/no/such/file")
	if status != exitWork || !strings.Contains(stderr, "/no/such/file") {
		t.Errorf("status %d, %s", status, stderr)
	}
}
