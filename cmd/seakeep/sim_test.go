package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/internal/race"
)

const simPolicy = `version: 1
service: web
dependencies:
  db:
    timeout: {request: 100ms}
    retry: {attempts: 2, backoff: {base: 10ms}, idempotent: always, budget: none}
    breaker: {window: 20 calls, calls: 10, failures: 50%, open: {for: 500ms, jitter: 20%}}
`

const simScenario = `version: 1
name: tiny
for: 3s
warmup: 500ms
runs: 3
clients:
  users: {to: web, rate: 60/s, patience: 1s, routes: {page: 1}}
services:
  web: {policy: policy.yaml, workers: 10, queue: {rule: fifo, length: 4}, routes: {page: {work: 2ms, calls: [db]}}}
  db: {work: {floor: 2ms, mean: 10ms}}
changes:
  - {at: 1s, for: 1s, service: db, work: 500ms}
expect: [endpoints.page.success < 99%, services.db.rate > 10/s]
`

// simFiles writes a scenario into a new folder and goes there.
func simFiles(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"policy.yaml": simPolicy,
		"tiny.yaml":   simScenario,
		"bad.yaml":    strings.Replace(simScenario, "rate: 60/s", "rate: 60", 1),
		"fails.yaml":  strings.Replace(simScenario, "success < 99%", "success < 1%", 1),
		"key.yaml":    strings.Replace(simScenario, "endpoints.page.success", "endpoints.pag.success", 1),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

// sim runs "seakeep sim" with arguments that | separates.
func sim(args, stdin string) (status int, stdout, stderr string) {
	root := newRootCommand()
	root.SetArgs(append([]string{"sim"}, strings.FieldsFunc(args, func(c rune) bool { return c == '|' })...))
	root.SetIn(strings.NewReader(stdin))
	var out, errs bytes.Buffer
	status = execute(context.Background(), root, &out, &errs)
	return status, out.String(), errs.String()
}

func TestSim(t *testing.T) {
	simFiles(t)
	for _, tc := range []struct {
		args   string
		status int
		stdout string // a part; empty: nothing may be there
		stderr string
	}{
		{"tiny.yaml", exitOK, "holds: endpoints.page.success < 99%", ""},
		{"tiny.yaml|--why", exitOK, "db: work mean 10ms -> 500ms (the scenario says so)", ""},
		{"tiny.yaml|--json", exitOK, `"endpoints.page.success": {`, ""},
		{"tiny.yaml|--csv", exitOK, "endpoints.page.success,share,0.", ""},
		{"tiny.yaml|--trace", exitOK, "  web[0]>db     breaker-changed ", ""},
		{"tiny.yaml|--trace|--json", exitOK, `"kind":"breaker-changed","policy":"web[0]>db"`, ""},
		{"tiny.yaml|--seed|7|--runs|2|--for|2500ms", exitOK, "2.5 s, of which the first 500 ms are left out; " +
			"2 runs from seed 7;", ""},
		{"tiny.yaml|--set|dependencies.db.retry.attempts=1", exitOK,
			"with dependencies.db.retry.attempts=1\n", ""},
		{"tiny.yaml|--set|web:dependencies.db.breaker=|--set|services.web.workers=50", exitOK,
			"with web:dependencies.db.breaker=\nwith services.web.workers=50\n", ""},
		{"tiny.yaml|--until-half-width|services.db.rate=3/s", exitOK, " runs from seed 1", ""},
		{"fails.yaml", exitWork, "fails: endpoints.page.success < 1%",
			"seakeep: 1 of 2 expectations of fails.yaml fail\n"},
		{"bad.yaml", exitWork, "", "seakeep: bad.yaml:7:26: clients.users.rate: 60 does not say per what"},
		{"key.yaml", exitWork, "", `seakeep: key.yaml: expect "endpoints.pag.success < 99%": there is no figure ` +
			"endpoints.pag.success; did you mean endpoints.page.success?\n"},
		{"gone.yaml", exitWork, "", "seakeep: scenario file: open gone.yaml"},
		{"tiny.yaml|--html|gone/x.html", exitWork, "", "seakeep: open gone/x.html"},
		{"", exitUsage, "", "give a scenario file"},
		{"tiny.yaml|bad.yaml", exitUsage, "", `one scenario at a time; "bad.yaml" is left over`},
		{"tiny.yaml|--json|--csv", exitUsage, "", "--csv goes with neither --json nor --trace"},
		{"tiny.yaml|--trace|--csv", exitUsage, "", "--csv goes with neither --json nor --trace"},
		{"tiny.yaml|--trace|--why", exitUsage, "", "--trace prints one run and no report"},
		{"tiny.yaml|--csv|--why", exitUsage, "", "--csv has figures only"},
		{"tiny.yaml|--runs|0", exitUsage, "", "seakeep: with --runs 0: runs: 0 is below 1"},
		{"tiny.yaml|--for|400ms", exitUsage, "", "seakeep: with --for 400ms: warmup: 500ms leaves nothing of the run"},
		{"tiny.yaml|--set|x", exitUsage, "", "--set x: give KEY=VALUE"},
		{"tiny.yaml|--set|services.wep.workers=1", exitUsage, "",
			"--set services.wep is not there; did you mean web?"},
		{"tiny.yaml|--set|services.web.workers=none", exitUsage, "",
			"seakeep: with --set services.web.workers=none: services.web.workers: "},
		{"tiny.yaml|--set|dependencies.db.retry.atempts=1", exitUsage, "", `did you mean "attempts"?`},
		{"tiny.yaml|--until-half-width|x", exitUsage, "", `--until-half-width: "x" is not a figure`},
		{"tiny.yaml|--until-half-width|endpoints.pag.success=1%", exitUsage, "",
			"did you mean endpoints.page.success?"},
	} {
		t.Run(tc.args, func(t *testing.T) {
			status, stdout, stderr := sim(tc.args, "")
			if status != tc.status {
				t.Errorf("status %d, want %d", status, tc.status)
			}
			if tc.stdout != "" && strings.Contains(stdout, tc.stdout) {
				stdout = tc.stdout // a trace is too long to be shown
			}
			expect(t, "standard output", stdout[:min(len(stdout), 5000)], tc.stdout)
			expect(t, "standard error", stderr, tc.stderr)
		})
	}
}

func TestSimReadsStandardInput(t *testing.T) {
	simFiles(t)
	_, want, _ := sim("tiny.yaml", "")
	status, got, stderr := sim("-", simScenario)
	if status != exitOK || got != want {
		t.Errorf("status %d, %s\n%s", status, stderr, got)
	}
	if status, _, stderr := sim("-", "version: 2\n"); status != exitWork || !strings.Contains(stderr, "stdin:1:10") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

func TestSimWritesAPage(t *testing.T) {
	simFiles(t)
	_, want, _ := sim("tiny.yaml", "")
	status, got, stderr := sim("tiny.yaml|--html|r.html", "")
	page, err := os.ReadFile("r.html")
	if status != exitOK || err != nil || !bytes.Contains(page, []byte("the breaker of db opens")) {
		t.Errorf("status %d, %v, %s\n%s", status, err, stderr, page)
	}
	if got != want {
		t.Error("with a page the report is another one")
	}
}

// sides are the ways to run the scenario whose output must always be the same.
var always = []string{"tiny.yaml|--why|--html|page.html", "tiny.yaml|--json|--why", "tiny.yaml|--csv",
	"tiny.yaml|--trace", "tiny.yaml|--until-half-width|services.db.rate=3/s"}

// TestSimHelper is what the test below runs in new processes: all outputs.
func TestSimHelper(t *testing.T) {
	if os.Getenv("SEAKEEP_SIM_HELPER") == "" {
		t.Skip("only a helper")
	}
	for _, args := range always {
		status, stdout, stderr := sim(args, "")
		fmt.Printf("%s: %d\n%s%s", args, status, stdout, stderr)
	}
	page, err := os.ReadFile("page.html")
	fmt.Printf("%s%v\n", page, err)
}

// The same scenario gives the same bytes in every process, with one processor
// and with two.
func TestSimIsTheSameEverywhere(t *testing.T) {
	race.OneGoroutine(t)
	simFiles(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := func(n int) string {
		c := exec.Command(program, "-test.run=^TestSimHelper$", "-test.v=false")
		c.Env = append(os.Environ(), "SEAKEEP_SIM_HELPER=1", fmt.Sprintf("GOMAXPROCS=%d", 1+n%2))
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		text, ok := strings.CutSuffix(string(out), "PASS\n")
		if !ok {
			if text, _, ok = strings.Cut(string(out), "<nil>\nPASS\n"); !ok {
				t.Fatalf("the helper printed %.500s", out)
			}
		}
		return text
	}
	first := run(0)
	if len(first) < 50_000 || !strings.Contains(first, "breaker-changed") || !strings.Contains(first, "<svg") {
		t.Fatalf("only %d bytes", len(first))
	}
	for n := 1; n < 20; n++ {
		if run(n) != first {
			t.Fatalf("process %d, with %d processors, printed something else", n, 1+n%2)
		}
	}
}
