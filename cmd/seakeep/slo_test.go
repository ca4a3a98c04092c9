package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/proxy"
	"github.com/seakeep/seakeep/config"
)

const sloFile = `version: 1
service: shop
serve: {}
dependencies: {pricing: {}}
slo:
  - {name: checkout, objective: 99.9%, latency: 2.5s}
  - {name: month, objective: 99.95%, window: {calendar: month}, alerts: none}
`

func inFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "seakeep.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What the file promises, where nobody can say how it goes.
func TestSLOPromises(t *testing.T) {
	path := inFile(t, sloFile)
	status, stdout, stderr := runCommand("", "slo", path)
	if status != exitOK || !strings.Contains(stderr, "no admin address") {
		t.Errorf("status %d, %s", status, stderr)
	}
	for _, want := range []string{"43.2 minutes", "21.6 minutes", "a month", "1h 52s, 6h 2m10s, 1d 4m19s, 3d 4m19s", "within 2.5s"} {
		expect(t, "standard output", stdout, want)
	}
	status, stdout, _ = runCommand(sloFile, "slo", "-", "--json")
	var all []map[string]any
	if err := json.Unmarshal([]byte(stdout), &all); status != exitOK || err != nil || len(all) != 2 {
		t.Errorf("status %d, %v, %s", status, err, stdout)
	}
}

// How it goes, as a proxy says.
func TestSLOStatus(t *testing.T) {
	ratio := 0.998
	curve := make([]float64, 120)
	for i := range curve {
		curve[i] = 1 - float64(i)/60
	}
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	view := proxy.SLOView{At: now, Service: "shop", Retries: 0.5, Degrade: 1, Frozen: "drills are frozen",
		Objectives: []proxy.ObjectiveView{{Name: "checkout", Objective: 0.999, Good: 998, Bad: 2, Ratio: &ratio,
			Left: -1, OfPeriod: 0.4, Steps: 1, CurveBegin: now.Add(-time.Hour), Curve: curve,
			Alerts: []proxy.BurnView{{WindowS: 3600, Factor: 14.4, Burn: 20, Page: true, Firing: true}}},
			{Name: "idle", Objective: 0.9, Left: 1, OfPeriod: 1}}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/slo" {
			_ = json.NewEncoder(w).Encode(view)
		}
	}))
	defer s.Close()
	at := strings.TrimPrefix(s.URL, "http://")
	status, stdout, stderr := runCommand("", "slo", inFile(t, sloFile), "--admin", at)
	if status != exitOK || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	for _, want := range []string{"99.8 %", "-100.0 %", "page 1h", "1h 20", "drills are frozen",
		"50.0 % of their budgets", "100 % |█", "-98 % +---", "2026-11-30 12:00"} {
		expect(t, "standard output", stdout, want)
	}
	if strings.Contains(stdout, "idle: what is left") {
		t.Error("a curve of nothing")
	}
	t.Log("\n" + stdout)
	status, stdout, _ = runCommand("", "slo", inFile(t, sloFile), "--admin", at, "--json")
	var got proxy.SLOView
	if err := json.Unmarshal([]byte(stdout), &got); status != exitOK || err != nil || got.Objectives[0].Bad != 2 {
		t.Errorf("%v %s", err, stdout)
	}
}

func TestSLOTestCommand(t *testing.T) {
	path := inFile(t, sloFile)
	status, stdout, stderr := runCommand("", "slo", "test", path, "--errors", "50%", "--for", "3m", "--slo", "month")
	if status != exitOK || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	expect(t, "standard output", stdout, "no alert fires; 6.9 % of the budget is spent")
}

func TestSLOMistakes(t *testing.T) {
	path := inFile(t, sloFile)
	for _, tc := range []struct {
		args   string
		status int
		want   string
	}{
		{"slo", exitUsage, "one policy file"},
		{"slo " + path + " --admin here", exitUsage, "host:port"},
		{"slo " + path + " --admin 127.0.0.1:1", exitWork, "no proxy answers"},
		{"slo test " + path, exitUsage, "--errors"},
		{"slo test " + path + " --errors 0%", exitUsage, "over 0%"},
		{"slo test " + path + " --errors 1", exitUsage, "a share such as"},
		{"slo test " + path + " --errors 101%", exitUsage, "at most 100%"},
		{"slo test " + path + " --errors 2% --rate 5", exitUsage, "does not say per what"},
		{"slo test " + path + " --errors 2% --rate 0/s", exitUsage, "nothing"},
		{"slo test " + path + " --errors 2% --for 1s", exitUsage, "1m to 168h"},
		{"slo test " + path + " --errors 2% --slo none", exitWork, "no objective none"},
		{"slo test " + path + " --errors 2% --scenario x.yaml", exitUsage, "makes no sense"},
		{"slo test " + path + " --errors 2% --endpoint x", exitUsage, "without --scenario"},
		{"slo test " + path + " --scenario none.yaml", exitWork, "none.yaml"},
		{"export", exitOK, ""},
		{"export prometheus", exitUsage, "one policy file"},
		{"export prometheus " + path + " --match job", exitUsage, "--match"},
	} {
		status, _, stderr := runCommand("", strings.Fields(tc.args)...)
		if status != tc.status || !strings.Contains(stderr, tc.want) {
			t.Errorf("%s: status %d, %s", tc.args, status, stderr)
		}
	}
	none := "version: 1\nservice: s\ndependencies: {a: {}}\n"
	for _, args := range []string{"slo -", "slo test - --errors 2%"} {
		if status, _, stderr := runCommand(none, strings.Fields(args)...); status != exitWork ||
			!strings.Contains(stderr, "no objectives") {
			t.Errorf("%s: %d %s", args, status, stderr)
		}
	}
}

func TestExportPrometheus(t *testing.T) {
	status, stdout, stderr := runCommand(sloFile, "export", "prometheus", "-", "--match", `job="shop"`)
	if status != exitOK || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	for _, want := range []string{"SeakeepErrorBudgetBurn", `job=\"shop\"`, "SeakeepRetryStorm"} {
		expect(t, "standard output", stdout, want)
	}
}

func TestExportGrafana(t *testing.T) {
	status, stdout, stderr := runCommand(sloFile, "export", "grafana", "-")
	var board map[string]any
	if err := json.Unmarshal([]byte(stdout), &board); err != nil || status != exitOK || stderr != "" {
		t.Errorf("status %d, %v, %s", status, err, stderr)
	}
}

// What OpenSLO can say comes back the same; what it cannot is told.
func TestOpenSLOThereAndBack(t *testing.T) {
	status, documents, losses := runCommand(sloFile, "export", "openslo", "-")
	if status != exitOK || !strings.Contains(losses, "checkout: an alert policy has one condition") {
		t.Fatalf("status %d, %s", status, losses)
	}
	status, policy, report := runCommand(documents, "import", "openslo", "-")
	if status != exitOK {
		t.Fatalf("status %d, %s", status, report)
	}
	before, err := config.Parse("a", []byte(sloFile))
	if err != nil {
		t.Fatal(err)
	}
	after, err := config.Parse("b", []byte(policy))
	if err != nil {
		t.Fatalf("%v in\n%s", err, policy)
	}
	if len(after.SLO.Objectives) != len(before.SLO.Objectives) || after.Service != before.Service {
		t.Fatal(policy)
	}
	for i, o := range before.SLO.Objectives {
		got := after.SLO.Objectives[i]
		if got.Name != o.Name || got.Config.Objective != o.Config.Objective || got.Window != o.Window {
			t.Errorf("%+v became %+v", o, got)
		}
		for j, p := range o.Alerts {
			if got.Alerts[j] != p {
				t.Errorf("%+v became %+v", p, got.Alerts[j])
			}
		}
	}
	if status, _, stderr := runCommand("version: 1\nservice: s\ndependencies: {a: {}}\n", "export", "openslo", "-"); status != exitWork {
		t.Error(status, stderr)
	}
}
