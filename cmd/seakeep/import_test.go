package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/config/foreign"
)

const (
	envoyInput = "clusters:\n- {name: pricing, connect_timeout: 0.25s, lb_policy: RANDOM}\n"
	grpcInput  = `{"methodConfig": [{"name": [{}], "timeout": "2s"}]}`
	r4jInput   = "resilience4j.timelimiter.instances.pricing.timeoutDuration=300ms\n"
)

func TestImport(t *testing.T) {
	file := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(file, []byte(envoyInput), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args, stdin            string
		policy, report, notice string // each a part of what is printed
	}{
		{"envoy " + file, "", "connect: 250ms", "Envoy: 2 mapped, 0 approximated, 1 dropped\n", "lb_policy = RANDOM"},
		{"envoy -", envoyInput, "  pricing:", "Envoy: 2 mapped", "picks the less busy of two"},
		{"grpc --service checkout -", grpcInput, "service: checkout", "gRPC: 2 mapped, 0 approximated, 0 dropped\n", ""},
		{"resilience4j -", r4jInput, "request: 300ms", "Resilience4j: 1 mapped, 0 approximated", "service: imported"},
	} {
		args := append([]string{"import"}, strings.Fields(tc.args)...)
		status, stdout, stderr := runCommand(tc.stdin, args...)
		if status != exitOK {
			t.Errorf("%s: status %d, %s", tc.args, status, stderr)
		}
		expect(t, "standard output", stdout, tc.policy)
		for _, want := range []string{tc.report, tc.notice} {
			if !strings.Contains(stderr, want) {
				t.Errorf("%s: %q is not in the report:\n%s", tc.args, want, stderr)
			}
		}
		if _, err := config.Parse("policy", []byte(stdout)); err != nil {
			t.Errorf("%s: %v", tc.args, err)
		}
	}
}

func TestImportAsJSON(t *testing.T) {
	status, stdout, stderr := runCommand(envoyInput, "import", "envoy", "-", "--report", "json")
	if status != exitOK || stderr != "" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	var got foreign.Translation
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("%v in\n%s", err, stdout)
	}
	if !strings.Contains(got.Policy, "connect: 250ms") || len(got.Report.Settings) != 3 {
		t.Errorf("the object holds %+v", got)
	}
}

func TestImportFails(t *testing.T) {
	for _, tc := range []struct {
		args, stdin, stderr string
		status              int
	}{
		{"envoy -", "hello: 1\n", "seakeep: nothing in stdin could be mapped\n", exitWork},
		{"envoy - --report json", "hello: 1\n", "seakeep: nothing in stdin could be mapped\n", exitWork},
		{"grpc -", "{\"methodConfig\"\n", "seakeep: stdin: line 1: not JSON: ", exitWork},
		{"grpc -", "", "seakeep: stdin: the input is empty\n", exitWork},
		{"envoy none.yaml", "", "open none.yaml: no such file", exitWork},
		{"envoy -", strings.Repeat("#", 1<<20+1), "larger than 1 MiB", exitWork},
		{"envoy", "", "give envoy, grpc, resilience4j or openslo, and then a file", exitUsage},
		{"istio -", "", `"istio" cannot be imported; use envoy, grpc, resilience4j or openslo`, exitUsage},
		{"envoy - --report xml", "", `--report is "xml"; use text or json`, exitUsage},
		{"envoy - --service a/b", "", `--service is "a/b"`, exitUsage},
	} {
		args := append([]string{"import"}, strings.Fields(tc.args)...)
		status, stdout, stderr := runCommand(tc.stdin, args...)
		if status != tc.status || !strings.Contains(stderr, tc.stderr) {
			t.Errorf("%s: status %d, %q; want %d, %q", tc.args, status, stderr, tc.status, tc.stderr)
		}
		if stdout != "" && !strings.Contains(tc.args, "json") {
			t.Errorf("%s prints %q", tc.args, stdout)
		}
	}
}
