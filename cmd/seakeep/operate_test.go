package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// order runs seakeep with arguments.
func order(args ...string) (status int, stdout, stderr string) {
	root := newRootCommand()
	root.SetArgs(args)
	var out, errs bytes.Buffer
	status = execute(context.Background(), root, &out, &errs)
	return status, out.String(), errs.String()
}

// free is an address where nobody listens.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// runningProxy runs the proxy with the rest of a policy file, and returns its
// admin address and where it serves.
func runningProxy(t *testing.T, rest func(address string) string) (admin, address string) {
	t.Helper()
	admin, address = free(t), free(t)
	path := filepath.Join(t.TempDir(), "seakeep.yaml")
	text := "version: 1\nservice: shop\nadmin: {listen: " + admin + "}\n" + rest(address)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	log := &output{}
	status := command(ctx, log, "proxy", "-c", path)
	log.await(t, "listening")
	t.Cleanup(func() { stop(); <-status })
	return admin, address
}

func TestOrdersOfAnOperator(t *testing.T) {
	program := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "off: "+r.Header.Get("X-Seakeep-Degraded"))
	}))
	defer program.Close()
	admin, address := runningProxy(t, func(address string) string {
		return "serve:\n  listen: " + address + "\n  upstream: " + program.URL + "\n  degrade: [a, b]\n"
	})
	t.Setenv("SEAKEEP_ADMIN", admin)
	t.Setenv("HTTP_PROXY", "http://"+free(t)) // an order goes straight
	ask := func() (int, string) {
		resp, err := http.Get("http://" + address + "/")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(text)
	}
	for _, c := range []struct {
		args   string
		status int
		stdout string
		stderr string
		code   int // what the next request gets
	}{
		{"admit 0%", 0, "0% of the demand is let in until the next order\n", "", 503},
		{"admit 100%", 0, "everything is let in\n", "", 200},
		{"admit 0", 0, "0% of", "", 503},
		{"admit 1.0 --ramp 1s", 2, "", `SHARE is "1"`, 503},
		{"admit 7% --ramp 1h", 0, "7% of the demand is let in now, and everything in 1h0m0s\n", "", 0},
		{"admit 100% --ramp 24h", 0, "everything is let in\n", "", 200},
		{"degrade 1", 0, "1 of the features are off\n", "", 200},
		{"degrade 3", 1, "", "degrade: level: is 3; give 0 to 2", 200},
		{"degrade auto", 0, "the pressure decides", "", 200},
		{"degrade 0", 0, "0 of the features are off\n", "", 200},
	} {
		status, stdout, stderr := order(strings.Fields(c.args)...)
		if status != c.status {
			t.Errorf("%s: status %d, want %d: %s", c.args, status, c.status, stderr)
		}
		expect(t, c.args+": standard output", stdout, c.stdout)
		expect(t, c.args+": standard error", stderr, c.stderr)
		if code, _ := ask(); c.code != 0 && code != c.code {
			t.Errorf("after %s a request gets %d, want %d", c.args, code, c.code)
		}
	}
	if status, _, _ := order("degrade", "2"); status != 0 {
		t.Errorf("status %d", status)
	}
	if _, text := ask(); text != "off: a, b" {
		t.Errorf("the program hears %q", text)
	}
}

func TestOrdersToABreaker(t *testing.T) {
	program := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer program.Close()
	admin, address := runningProxy(t, func(address string) string {
		return "dependencies:\n  dep:\n    listen: " + address + "\n    endpoints: [" + program.URL + "]\n" +
			"    breaker: {window: 10s, calls: 5, failures: 50%}\n" +
			"    operations: [{name: quiet, match: {path: /quiet}, breaker: none}]\n"
	})
	t.Setenv("SEAKEEP_ADMIN", admin)
	for _, c := range []struct {
		args, says string
		status     int
		code       int // what the next request gets
	}{
		{"breaker dep force-open", "the breaker of dep is held open: every call is refused\n", 0, 503},
		{"breaker dep auto", "the breaker of dep decides by itself\n", 0, 200},
		{"breaker dep force-closed", "the breaker of dep is held closed: every call is let through\n", 0, 200},
		{"breaker dep reset", "the breaker of dep begins anew, closed\n", 0, 200},
		{"breaker other auto", "the policy file has no such dependency or operation", 1, 200},
		{"breaker dep/quiet reset", "the proxy at", 1, 200},
		{"breaker dep auto --key a", "the proxy at", 1, 200},
	} {
		status, stdout, stderr := order(strings.Fields(c.args)...)
		if status != c.status || !strings.Contains(stdout+stderr, c.says) {
			t.Errorf("%s: status %d, %q, %q", c.args, status, stdout, stderr)
		}
		resp, err := http.Get("http://" + address + "/")
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != c.code {
			t.Errorf("after %s a request gets %d", c.args, resp.StatusCode)
		}
	}
}

func TestOrdersThatMakeNoSense(t *testing.T) {
	t.Setenv("SEAKEEP_ADMIN", free(t)) // it is not asked
	for args, says := range map[string]string{
		"admit":                           "accepts 1 arg(s)",
		"admit 40% 60s":                   "accepts 1 arg(s)",
		"admit 40":                        `SHARE is "40"; give a share such as 40% or 0.4`,
		"admit 1":                         "may mean 1% or 100%",
		"admit 101%":                      `SHARE is "101%"`,
		"admit -- -5%":                    `SHARE is "-5%"`,
		"admit NaN":                       `SHARE is "NaN"`,
		"admit NaN%":                      `SHARE is "NaN%"`,
		"admit Inf%":                      `SHARE is "Inf%"`,
		"admit %":                         `SHARE is "%"`,
		"admit half":                      `SHARE is "half"`,
		"admit 40%%":                      `SHARE is "40%%"`,
		"admit 40% --ramp -1s":            "--ramp is -1s; give a time from 0s to 24h0m0s",
		"admit 40% --ramp 25h":            "--ramp is 25h0m0s",
		"admit 40% --ramp 60":             `invalid argument "60" for "--ramp"`,
		"admit 40% --admin nowhere":       `--admin is "nowhere"; give host:port`,
		"admit 40% --admin http://a:1":    "give host:port",
		"admit 40% --admin a:http":        "give host:port",
		"admit 40% --admin a:99999":       "give host:port",
		"admit 40% --admin a/b:1":         "give host:port",
		"admit 40% --admin user@a:1":      "give host:port",
		"degrade":                         "accepts 1 arg(s)",
		"degrade -- -1":                   `LEVEL is "-1"; give how many features are off`,
		"degrade 1.5":                     `LEVEL is "1.5"`,
		"degrade all":                     `LEVEL is "all"`,
		"degrade 99999999999999999999999": `LEVEL is "9`,
		"degrade auto --admin :":          "give host:port",
		"breaker dep":                     "accepts 2 arg(s)",
		"breaker dep open":                `"open" is no order; give force-open, force-closed, auto or reset`,
		"breaker dep auto --admin :":      "give host:port",
	} {
		status, stdout, stderr := order(strings.Fields(args)...)
		if status != exitUsage || stdout != "" || !strings.Contains(stderr, says) {
			t.Errorf("%s: status %d, %q, %q; want %q", args, status, stdout, stderr, says)
		}
	}
}

func TestOrdersToNobody(t *testing.T) {
	page := func(h http.HandlerFunc) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.Listener.Addr().String()
	}
	stranger := page(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
	without, _ := runningProxy(t, func(address string) string {
		return "dependencies: {dep: {listen: " + address + ", endpoints: [http://127.0.0.1:1]}}\n"
	})
	for admin, says := range map[string]string{
		free(t):  "no proxy answers at",
		stranger: "is not the admin listener of a proxy with serve: it says 200 OK",
		page(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://"+stranger, http.StatusFound)
		}): "it says 302 Found",
		page(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "9") }): "broke off",
		page(http.NotFound): "says: 404 page not found",
		without:             "the policy file has no serve section",
	} {
		for _, args := range [][]string{{"admit", "40%"}, {"degrade", "auto"}, {"breaker", "dep", "auto"}} {
			if args[0] == "breaker" && (admin == without || admin == stranger) {
				continue // it has no breaker, and the words are others
			}
			status, stdout, stderr := order(append(args, "--admin", admin)...)
			if status != exitWork || stdout != "" || !strings.Contains(stderr, says) {
				t.Errorf("%v: status %d, %q, %q; want %q", args, status, stdout, stderr, says)
			}
		}
	}
}
