package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/cmd/seakeep/proxy"
)

// said is a command line and what comes of it.
type said struct {
	args   string
	status int
	stdout string
	stderr string
	code   int // what the next request gets
}

func (c said) check(t *testing.T) {
	t.Helper()
	status, stdout, stderr := order(strings.Fields(c.args)...)
	if status != c.status {
		t.Errorf("%s: status %d, want %d: %s", c.args, status, c.status, stderr)
	}
	if !strings.Contains(stdout, c.stdout) || (stdout == "") != (c.stdout == "") {
		t.Errorf("%s prints %q", c.args, stdout)
	}
	if !strings.Contains(stderr, c.stderr) || (stderr == "") != (c.stderr == "") {
		t.Errorf("%s says %q", c.args, stderr)
	}
}

func TestFaultCommands(t *testing.T) {
	program := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "ok")
	}))
	defer program.Close()
	admin, address := runningProxy(t, func(address string) string {
		return "dependencies:\n  pricing:\n    listen: " + address + "\n    endpoints: [" + program.URL + "]\n" +
			"    faults: {allow: true, share: 50%}\n"
	})
	t.Setenv("SEAKEEP_ADMIN", admin)
	t.Setenv("HTTP_PROXY", "http://"+free(t)) // an order goes straight
	for _, c := range []said{
		{"fault list", 0, "no faults\n", "", 200},
		{"fault start error --dependency pricing --share 50% --dry-run", 0, "nothing was begun", "", 200},
		{"fault start error --dependency pricing --share 60% --dry-run", 1, "", "limit is 50%", 200},
		{"fault list", 0, "no faults\n", "", 200},
		{"fault start error --dependency pricing --share 100%", 1, "", "limit is 50%", 200},
		{"fault start error --dependency pricing --share 100% --force --status 429 --for 1h", 0,
			"pricing  error  error  100%   0     0     ends in 1h0m0s\n", "", 429},
		{"fault list --dependency pricing", 0, "100%   1     1     ends in", "", 429},
		{"fault start error --dependency pricing --share 1%", 1, "", "is running; stop it first", 429},
		{"fault stop nobody", 1, "", "no fault of that name is running", 429},
		{"fault stop a/b", 1, "", "no fault of that name is running", 429},
		{"fault stop error --dependency=", 1, "", "no fault of that name is running", 429}, // behind the door
		{"fault stop error", 0, "stopped by hand", "", 200},
		{"fault start latency --name slow --dependency pricing --share 100% --marked --delay 1h --jitter 1s --shape normal",
			0, "slow", "", 200},
		{"fault stop", 0, "slow", "", 200},
		{"fault start latency --share 1%", 1, "", "no serve section", 200},
		{"fault start late --dependency pricing --share 1%", 1, "", "kind: \"late\" is not known here; use latency, error", 200},
		{"fault start reset --dependency pricing", 1, "", "share: is missing", 200},
		{"fault start", 2, "", "accepts 1 arg(s)", 200},
		{"fault begin", 2, "", `unknown command "begin"`, 200},
		{"fault list --admin nowhere", 2, "", "give host:port", 200},
		{"fault list --admin 127.0.0.1:1", 1, "", "no proxy answers", 200},
	} {
		c.check(t)
		resp, err := http.Get("http://" + address + "/")
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != c.code {
			t.Errorf("after %s a request gets %d, want %d", c.args, resp.StatusCode, c.code)
		}
	}
	_, stdout, _ := order("fault", "list", "--json")
	var v proxy.FaultsView
	if err := json.Unmarshal([]byte(stdout), &v); err != nil || len(v.Faults) != 2 || v.Faults[0].Over != "stopped by hand" {
		t.Errorf("%v: %s", err, stdout)
	}
}
