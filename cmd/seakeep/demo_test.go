package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seakeep/seakeep/cmd/seakeep/demo"
)

// runDemo runs the program with arguments for the demo.
func runDemo(t *testing.T, args string) (status int, stdout, stderr string) {
	t.Helper()
	root := newRootCommand()
	root.SetArgs(append([]string{"demo"}, strings.Fields(args)...))
	var out, err bytes.Buffer
	status = execute(context.Background(), root, &out, &err)
	return status, out.String(), err.String()
}

func TestDemoFlagsThatCannotBe(t *testing.T) {
	for args, problem := range map[string]string{
		"--for 5":                          `"5" for "--for"`,
		"--for 999ms":                      "--for is 999ms; give a time such as 30s, from 1s",
		"--for -5s":                        "--for is -5s",
		"--rate 0":                         "--rate is 0; give requests a second",
		"--rate many":                      `"many" for "--rate"`,
		"--rate 1e9":                       `"1e9" for "--rate"`,
		"--pool 0":                         "--pool is 0",
		"--queue -1":                       "--queue is -1",
		"--seed -1":                        `"-1" for "--seed"`,
		"--protect nothing":                `--protect "nothing": there is no rung "nothing"`,
		"--protect all,none":               `there is no rung "all"`,
		"--slow recommendations":           "give NAME=LATENCY@START+LENGTH",
		"--slow recs=2s@3s+12s":            `there is no dependency "recs"`,
		"--slow pricing=2s@3s":             "give NAME=LATENCY@START+LENGTH",
		"--slow pricing=2s@40s+2s":         "begins when the run is over, after 30s",
		"--slow off --slow pricing=2s@4s+": "--slow off says that nothing gets slow",
		"extra":                            "extra",
		"--fast":                           "unknown flag: --fast",
	} {
		t.Run(args, func(t *testing.T) {
			status, stdout, stderr := runDemo(t, args)
			if status != exitUsage {
				t.Errorf("status %d, want %d", status, exitUsage)
			}
			expect(t, "standard output", stdout, "")
			expect(t, "standard error", stderr, problem)
		})
	}
}

// With --json a program reads standard output, so nothing else may be there.
func TestDemoJSON(t *testing.T) {
	defer goleak.VerifyNone(t)
	status, stdout, stderr := runDemo(t, "--for 1s --rate 90 --protect timeout,bulkhead "+
		"--slow recommendations=none@0s+500ms --slow pricing=50ms@500ms+1m --seed 5 --json")
	if status != exitOK {
		t.Fatalf("status %d: %s", status, stderr)
	}
	expect(t, "standard error", stderr, "90 requests a second for 1s")
	var r struct {
		Protect   string
		Slow      []string
		Counted   float64 `json:"counted_s"`
		Endpoints map[string]struct{ Sent, OK, Fallback, Failed uint64 }
		Pool      struct{ Size int }
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	if r.Protect != "timeout,bulkhead" || r.Counted != 1 || r.Pool.Size != 200 ||
		strings.Join(r.Slow, " ") != "recommendations=none@0s+500ms pricing=50ms@500ms+1m" {
		t.Errorf("the report is %+v", r)
	}
	var sent uint64
	for _, e := range r.Endpoints {
		sent += e.Sent
		if e.Sent != e.OK+e.Fallback+e.Failed {
			t.Errorf("%+v does not add up", e)
		}
	}
	if sent < 60 || sent > 120 {
		t.Errorf("%d requests in a second, want about 90", sent)
	}
}

func TestDemoForPeople(t *testing.T) {
	defer goleak.VerifyNone(t)
	status, stdout, stderr := runDemo(t, "--for 1s --rate 90 --slow off")
	if status != exitOK {
		t.Fatalf("status %d: %s", status, stderr)
	}
	expect(t, "standard error", stderr, "")
	for _, part := range []string{"With protect: all, and nothing slow:\n", "recommendations",
		"\nTry:\n", "demo --protect none\n"} {
		expect(t, "standard output", stdout, part)
	}
	if strings.Contains(stdout, "\x1b") {
		t.Error("there are commands for a terminal in what goes to a pipe")
	}
}

// It stays for people, and ends by itself for whoever said when, or reads the
// report.
func TestDemoStaysForPeople(t *testing.T) {
	for args, want := range map[string]bool{"": false, "--play": true, "--admin 127.0.0.1:0": true,
		"--play --for 5s": false, "--play --json": false, "--admin 127.0.0.1:0 --for 5s": false} {
		f := demoFlags{options: demo.Defaults(30 * time.Second)}
		c := newDemoCommand()
		c.PreRunE = nil
		if err := c.ParseFlags(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		f.play, _ = c.Flags().GetBool("play")
		f.json, _ = c.Flags().GetBool("json")
		f.protect, f.dashboard.keep = "all", time.Hour
		f.options.Admin, _ = c.Flags().GetString("admin")
		if err := f.check(c.Flags().Changed("for")); err != nil || f.options.Stay != want {
			t.Errorf("%q: %v, stays: %v", args, err, f.options.Stay)
		}
		if f.play && (f.options.Admin != playAt || !f.options.Spare) {
			t.Errorf("%q: %+v", args, f.options)
		}
	}
}

func TestInvocationCanBePasted(t *testing.T) {
	for program, want := range map[string]string{
		"seakeep":                           "seakeep demo",
		"bin/seakeep":                       "bin/seakeep demo",
		"/tmp/go-build123/b001/exe/seakeep": "go run ./cmd/seakeep demo",
	} {
		if got := invocation(program); got != want {
			t.Errorf("%s: %s, want %s", program, got, want)
		}
	}
}

func TestOnlyATerminalIsDrawnOn(t *testing.T) {
	t.Setenv("TERM", "xterm")
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if isTerminal(null) || isTerminal(file) || isTerminal(new(bytes.Buffer)) {
		t.Error("the null device, a file or a buffer is taken for a terminal")
	}
}
