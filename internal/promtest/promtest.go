// Package promtest runs a real Prometheus for tests: what is offered to be
// scraped is worth what Prometheus makes of it.
package promtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Server is a Prometheus that scrapes one address.
type Server struct {
	URL string
	t   *testing.T
}

// Start starts one, as Debian has it, which evaluates rules, and ends it with the
// test. Without one the test is skipped.
func Start(t *testing.T, target string, rules ...string) *Server {
	t.Helper()
	path, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("prometheus is not installed: it is a Debian package of this name")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "prometheus.yml")
	text := fmt.Sprintf("global: {scrape_interval: 500ms}\nscrape_configs:\n"+
		"  - job_name: seakeep\n    static_configs: [{targets: [%q]}]\n", target)
	for i, one := range rules {
		name := filepath.Join(dir, fmt.Sprintf("%d.rules.yml", i))
		if err := os.WriteFile(name, []byte(one), 0o600); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			text += "rule_files:\n"
		}
		text += fmt.Sprintf("  - %q\n", name)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	c := exec.Command(path, "--config.file="+file, "--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+address, "--log.level=error")
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = c.Wait()
	})
	return &Server{"http://" + address, t}
}

// Series is one result of a query.
type Series struct {
	Metric map[string]string `json:"metric"`
	Value  [2]any            `json:"value"`
}

// Rule is what a Prometheus says of a rule that it has loaded.
type Rule struct {
	Name   string `json:"name"`
	Type   string `json:"type"`   // alerting or recording
	Health string `json:"health"` // ok, err or unknown, as long as it was not evaluated
	Error  string `json:"lastError"`
}

// Rules asks for all rules, in the order of groups and files.
func (s *Server) Rules() (all []Rule, ready bool) {
	s.t.Helper()
	var v struct {
		Groups []struct {
			Rules []Rule `json:"rules"`
		} `json:"groups"`
	}
	ready = s.get("/api/v1/rules", &v)
	for _, g := range v.Groups {
		all = append(all, g.Rules...)
	}
	return all, ready
}

// Query asks for what holds now. ready is false while the server is starting; a
// query that is none ends the test.
func (s *Server) Query(q string) (found []Series, ready bool) {
	s.t.Helper()
	var v struct {
		Result []Series `json:"result"`
	}
	ready = s.get("/api/v1/query?query="+url.QueryEscape(q), &v)
	return v.Result, ready
}

// get reads the data of an answer.
func (s *Server) get(path string, data any) (ready bool) {
	s.t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	resp, err := client.Get(s.URL + path)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	v := struct {
		Status string `json:"status"`
		Error  string `json:"error"`
		Data   any    `json:"data"`
	}{Data: data}
	if resp.StatusCode == http.StatusServiceUnavailable {
		return false
	}
	if err := json.Unmarshal(text, &v); err != nil || v.Status != "success" {
		s.t.Fatalf("%s: %s %s", path, v.Error, text)
	}
	return true
}
