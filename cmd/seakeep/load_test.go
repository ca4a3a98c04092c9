package main

import (
	"bufio"
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seakeep/seakeep/cmd/seakeep/load"
	"github.com/seakeep/seakeep/cmd/seakeep/tune"
)

func TestLoad(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Tenant") != "a" {
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	defer server.Close()
	log := filepath.Join(t.TempDir(), "calls.csv")
	status, stdout, stderr := runCommand("", "load", "--rate", "100/s", "--for", "500ms", "-H", "X-Tenant: a",
		"--json", "--log", log, server.URL)
	var r load.Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != exitOK || stderr != "" {
		t.Fatalf("%v, status %d\n%s%s", err, status, stdout, stderr)
	}
	if r.Tool != load.ToolName || len(r.Steps) != 1 || r.Steps[0].Answered < 20 || len(r.Steps[0].Latencies) == 0 {
		t.Errorf("%+v", r)
	}
	text, err := os.ReadFile(log)
	if err != nil || strings.Count(string(text), "\n") != r.Steps[0].Answered+1 ||
		!strings.HasPrefix(string(text), "time_s,latency_s,outcome\n") {
		t.Errorf("%v\n%s", err, text)
	}
	report := filepath.Join(t.TempDir(), "load.json")
	if err := os.WriteFile(report, []byte(stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{"csv:" + log, "load:" + report} {
		status, stdout, stderr = runCommand(tuned, "tune", "-", "--from", from, "--no-effect", "-o", "json")
		var all tune.Report
		if err := json.Unmarshal([]byte(stdout), &all); err != nil || status != exitOK ||
			all.Advice[0].Calls != r.Steps[0].Answered || math.Abs(all.Advice[0].Rate/r.Steps[0].Offered-1) > 0.3 {
			t.Errorf("tune --from %s: %v, status %d\n%s%s", from, err, status, stdout, stderr)
		}
	}
	status, stdout, stderr = runCommand("", "load", "--from", "50/s", "--to", "100/s", "--steps", "2", "--for", "300ms",
		"-H", "X-Tenant: a", server.URL)
	if status != exitOK || !strings.Contains(stdout, "offered/s") || !strings.Contains(stdout, "good/s") ||
		!strings.Contains(stdout, "*") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	var n atomic.Int64
	half := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1)%2 == 0 {
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	defer half.Close()
	status, stdout, stderr = runCommand("", "load", "--from", "50/s", "--to", "100/s", "--steps", "2", "--for", "300ms",
		half.URL)
	if status != exitOK || !strings.Contains(stdout, "400 ") || !strings.Contains(stdout, "No rate held") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
}

// Where nothing is good there is no limit to be found, and what is wrong is said.
func TestLoadWhereNothingIsGood(t *testing.T) {
	server := httptest.NewServer(http.RedirectHandler("/elsewhere", http.StatusFound))
	defer server.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	for url, want := range map[string]string{
		server.URL: `such as: 302 Found, to "/elsewhere", which is not followed`,
		gone.URL:   "connection refused",
		strings.Replace(server.URL, "http:", "https:", 1): "server gave HTTP response to HTTPS client",
	} {
		status, stdout, stderr := runCommand("", "load", "--from", "50/s", "--for", "200ms", url)
		if status != exitWork || !strings.Contains(stderr, want) || !strings.Contains(stderr, "not one request was good") ||
			strings.Count(stdout, "\n") > 6 {
			t.Errorf("%s: status %d\n%s%s", url, status, stdout, stderr)
		}
	}
}

// Who ends a run early keeps what had been measured, and its log.
func TestLoadInterrupted(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	log := filepath.Join(t.TempDir(), "calls.csv")
	c := exec.Command(os.Args[0], "-test.run=^TestLoadHelper$")
	c.Env = append(os.Environ(), loadHelper+"="+server.URL+" "+log)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(out)
	var text strings.Builder
	for steps := 0; ; {
		line, err := r.ReadString('\n')
		text.WriteString(line)
		if err != nil {
			break
		}
		if strings.Contains(line, "100.0 %") { // a step has ended
			if steps++; steps == 2 {
				_ = c.Process.Signal(os.Interrupt)
			}
		}
	}
	if err := c.Wait(); c.ProcessState.ExitCode() != exitWork {
		t.Errorf("%v", err)
	}
	if got := text.String(); !strings.Contains(got, "The limit is above") || !strings.Contains(got, "offered/s\n") {
		t.Errorf("what was measured is not told:\n%s", got)
	}
	if calls, err := os.ReadFile(log); err != nil || strings.Count(string(calls), "\n") < 20 {
		t.Errorf("%v, and the log has\n%s", err, calls)
	}
}

const loadHelper = "SEAKEEP_LOAD_HELPER"

// TestLoadHelper is the process that TestLoadInterrupted interrupts.
func TestLoadHelper(t *testing.T) {
	url, log, ok := strings.Cut(os.Getenv(loadHelper), " ")
	if !ok {
		t.Skip("only as a child")
	}
	root := newRootCommand()
	root.SetArgs([]string{"load", "--from", "100/s", "--to", "100/s", "--steps", "90", "--for", "200ms", "--log", log, url})
	os.Exit(execute(context.Background(), root, os.Stdout, os.Stderr))
}

func TestLoadRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"":                                "give one URL",
		"ftp://a/":                        "no URL to load",
		"--rate 5 http://a/":              "--rate: ",
		"--rate 2000000/s http://a/":      "one machine does not offer more",
		"--rate 5/s --to 9/s http://a/":   "give one of them",
		"--to 5/s http://a/":              "is below --from",
		"--ramp http://a/":                "--ramp needs --to",
		"--for 1ms http://a/":             "--for is 1ms",
		"--good 0s http://a/":             "--good is 0s",
		"--timeout 1ms http://a/":         "--timeout is 1ms",
		"--connections 0 http://a/":       "--connections is 0",
		"--to 90/s --steps 0 http://a/":   "--steps is 0",
		"-H nothing http://a/":            "--header is",
		"-X a@b http://a/":                "--method: ",
		"--body @/no/such/file http://a/": "--body: ",
		"--most 5/s http://a/":            "--most, 5/s, is below",
	} {
		status, stdout, stderr := runCommand("", append([]string{"load"}, strings.Fields(args)...)...)
		if status != exitUsage || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s", args, status, stderr)
		}
	}
}
