package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// world is a scenario with these services, given in flow style on line 5, and a
// client who calls the one called a.
func world(services string, more ...string) string {
	return "version: 1\nname: w\nfor: 100s\nclients: {users: {to: a, rate: 1/s}}\n" +
		"services: {" + services + "}\n" + strings.Join(more, "\n") + "\n"
}

// policyFor is a policy file with the given dependencies, for every path.
func policyFor(dependencies string) func(string) ([]byte, error) {
	return func(string) ([]byte, error) {
		return []byte("version: 1\nservice: s\ndependencies: {" + dependencies + "}\n"), nil
	}
}

func mustStage(t *testing.T, text string, open func(string) ([]byte, error)) *Scenario {
	t.Helper()
	s, err := ParseScenario("w.yaml", []byte(text), open)
	if err != nil {
		t.Fatalf("refused:\n%v\n%s", err, text)
	}
	checkScenario(t, s)
	return s
}

// stageWants fails unless exactly one mistake is found and it holds each part.
func stageWants(t *testing.T, text string, open func(string) ([]byte, error), parts ...string) {
	t.Helper()
	s, err := ParseScenario("w.yaml", []byte(text), open)
	var all Errors
	if !errors.As(err, &all) || s != nil || len(all) != 1 {
		t.Errorf("want one mistake with %q, got %v, %v in\n%.500s", parts, s, err, text)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not hold %q", err, part)
		}
	}
}

// What a file says is what the simulator gets.
func TestScenarioIsRead(t *testing.T) {
	s, err := LoadScenario("testdata/scenario-valid/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	same := func(what string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s is\n%+v, want\n%+v", what, got, want)
		}
	}
	const ms = time.Millisecond
	same("the run", []any{s.Seed, s.For, s.Warmup, s.Runs},
		[]any{uint64(1<<53 - 1), 65 * time.Second, 10 * time.Second, 7})

	users := *s.Client("users")
	file := users.Member.File
	same("the client's policy", file.Service, "edge")
	same("users", users, Client{Name: "users", To: "checkout", Rate: 1000, Arrivals: Even,
		Patience: time.Second, Members: 500, Member: Member{file, "checkout/order"},
		Routes:      []Share{{"pricing", 0.8}, {"inventory", 0.2}, {"both", 0}},
		Criticality: core.CriticalPlus, Tenant: "acme"})
	same("workers", *s.Client("workers"), Client{Name: "workers", To: "checkout", Users: 50, Members: 1,
		Think:  Latency{Shape: Exponential, Floor: time.Second, Mean: 2 * time.Second},
		Routes: []Share{{"pricing", 1}}})

	checkout := *s.Service("checkout")
	policy, routes := checkout.Policy, checkout.Routes
	checkout.Policy, checkout.Routes = nil, nil
	same("checkout", checkout, Service{Name: "checkout", Instances: 3, Workers: 200,
		Queue:     Queue{Rule: CoDel, Length: 20, DropExpired: true, Target: 10 * ms, Interval: 200 * ms},
		Abandoned: Stops, ReleaseWhileWaiting: true, IgnoreDeadline: true, Unmarked: true,
		Health: &HealthModel{Interval: 5 * time.Second, Timeout: 2 * time.Second, Failures: 2,
			Restart: 20 * time.Second, Deep: true},
		Network: Network{Delay: Latency{Shape: LogNormal, Median: ms, Sigma: 0.5}, Loss: 0.001}})
	same("routes", []Route{*routes[0], *routes[1], *routes[2]}, []Route{
		{Name: "pricing", Work: Latency{Floor: 2 * ms}, Fails: 0.05, Status: 503,
			Features: []Feature{{"hints", Latency{Floor: ms}},
				{"ads", Latency{Shape: Uniform, Floor: ms, Mean: 3500 * time.Microsecond}}},
			Calls: []Step{{"pricing", "pricing", "default", false}}},
		{Name: "inventory", Status: 500, Calls: []Step{{"inventory", "inventory", "default", false},
			{"recommendations", "advice", "quick", true}}},
		{Name: "both", Status: 500, Work: Latency{Shape: Uniform, Floor: ms, Mean: 3500 * time.Microsecond},
			Calls: []Step{{"pricing/search", "prices", "default", false}}}})
	if other := s.Service("inventory").Policy; policy != other {
		t.Error("one policy file is read twice")
	}
	same("pricing", s.Service("pricing").Routes[0].Work, Latency{Shape: Empirical,
		Points:     []Point{{0, ms}, {0.5, 4 * ms}, {0.99, 40 * ms}, {1, 40 * ms}},
		StallShare: 0.01, Stall: time.Second})
	same("the gate", s.Service("pricing").Capacity, Capacity{400, Turn})
	mix := s.Service("prices").Routes[0].Work
	same("the mix", []any{mix.Shape, len(mix.Parts), mix.StallsExpo, mix.Stall},
		[]any{Mixture, 5, true, 100 * ms})
	same("parts", []Part{mix.Parts[1], mix.Parts[2]}, []Part{{0.04, Latency{Floor: ms}},
		{0.03, Latency{Shape: LogNormal, Median: 4360 * time.Microsecond, Sigma: 1.67}}})
	same("the cache", *s.Service("inventory").Cache, CacheModel{0.95, 10000})
	same("the queues", []Queue{s.Service("store").Queue, s.Service("spare").Queue}, []Queue{{Rule: LIFO}, {}})
}

func TestScenarioChangesAreRead(t *testing.T) {
	s, err := LoadScenario("testdata/scenario-valid/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const sec = time.Second
	want := []Change{
		{At: 5 * sec, Length: 30 * sec, Kind: SetWork, Of: "pricing",
			Work: Latency{Shape: Exponential, Floor: 5 * time.Millisecond, Mean: sec}},
		{At: 5 * sec, Kind: SetRate, Of: "users", Rate: 1500},
		{At: 6 * sec, Length: 10 * sec, Kind: GoDown, Of: "store"},
		{At: 7 * sec, Kind: GoSilent, Of: "checkout", Instances: []int{2, 0}},
		{At: 8 * sec, Length: 20 * sec, Kind: Restart, Of: "advice"},
		{At: 9 * sec, Length: sec, Kind: SetFails, Of: "advice", Route: "quick", Share: 0.5},
		{At: 9 * sec, Kind: CutNetwork, Of: "pricing"},
		{At: 10 * sec, Length: 5 * sec, Kind: CutNetwork, Of: "store", Buffered: true},
		{At: 10 * sec, Kind: SetCapacity, Of: "pricing"},
		{At: 11 * sec, Length: 10 * sec, Kind: SetCapacity, Of: "store", Capacity: Capacity{10, Hang}},
		{At: 12 * sec, Length: 3 * sec, Kind: SetAdmission, Of: "checkout", Share: 0.4, Ramp: 2 * sec},
		{At: 20 * sec, Kind: SetPolicy, Of: "checkout", Policy: s.Changes[11].Policy},
	}
	for i, c := range s.Changes {
		if !reflect.DeepEqual(c, want[i]) {
			t.Errorf("change %d is\n%+v, want\n%+v", i, c, want[i])
		}
	}
	if p := s.Changes[11].Policy; p == nil || p.Dependency("pricing").Call.Timeout.Request != 100*time.Millisecond {
		t.Errorf("the new policy is %+v", p)
	}
}

func TestParseExpectation(t *testing.T) {
	for text, want := range map[string]Expectation{
		"endpoints.a.success > 99%": {"endpoints.a.success > 99%", "endpoints.a.success", ">", 0.99},
		" a.b<=99.9% ":              {"a.b <= 99.9%", "a.b", "<=", 0.999},
		"a.b>=100ms":                {"a.b >= 100ms", "a.b", ">=", 0.1},
		"a.b =400/s":                {"a.b = 400/s", "a.b", "=", 400},
		"a.b < 60/m":                {"a.b < 60/m", "a.b", "<", 1},
		"a.shop.eu.p99 < 1.5":       {"a.shop.eu.p99 < 1.5", "a.shop.eu.p99", "<", 1.5},
		"a.b = 1":                   {"a.b = 1", "a.b", "=", 1},
	} {
		if got, err := ParseExpectation(text); err != nil || got != want {
			t.Errorf("%q is read as %+v, %v", text, got, err)
		}
	}
	for _, bad := range []string{"", "a", "a.b", "a.b >", "> 5", "a.b == 5", "a.b => 5", "a.b != 5", "a.b > -5",
		"a.b > NaN", "a.b > 1e9", "a.b > 101%", "a.b > 5 > 4", "A.b > 5", "a. > 5", "a.b > 5 s"} {
		if got, err := ParseExpectation(bad); err == nil || !strings.Contains(err.Error(), "; give a") {
			t.Errorf("%q is read as %+v, %v", bad, got, err)
		}
	}
}

func TestLoadScenario(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sub", "w.yaml")
	if _, err := LoadScenario(path); !errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(err.Error(), "scenario file: ") {
		t.Errorf("a file that is not there gives %v", err)
	}
	if _, err := LoadScenario(dir); err == nil {
		t.Error("a directory loads")
	}
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	policy := filepath.Join(dir, "p.yaml")
	uses := func(path string) string {
		return world("a: {policy: " + path + ", work: 1ms, calls: [b]}, b: {work: 1ms}")
	}
	write(policy, "version: 1\nservice: s\ndependencies: {b: {}}\n")
	for _, as := range []string{"../p.yaml", policy} {
		write(path, uses(as))
		if s, err := LoadScenario(path); err != nil || s.Service("a").Policy.Dependency("b") == nil {
			t.Errorf("the policy %s: %v", as, err)
		}
	}
	var all Errors
	write(policy, "version: 1\nservice: s\ndependencies: {b: {kid: optional}}\n")
	_, err := LoadScenario(path)
	if !errors.As(err, &all) || len(all) != 1 || all[0].File != policy || all[0].Line != 3 {
		t.Errorf("a mistake in the policy gives %v", err)
	}
	write(policy, strings.Repeat("#", maxFile+1))
	if _, err = LoadScenario(path); !errors.As(err, &all) || all[0].Problem != "the file is larger than 1MiB" {
		t.Errorf("a large policy gives %v", err)
	}
	write(path, uses(dir))
	if _, err = LoadScenario(path); !errors.As(err, &all) || !strings.Contains(all[0].Problem, "cannot be read: is a directory") {
		t.Errorf("a folder for a policy gives %v", err)
	}
	write(path, uses("../p.yaml")+"#"+strings.Repeat("x", maxFile))
	if _, err = LoadScenario(path); !errors.As(err, &all) || all[0].Fix != "anchors and aliases save most of a long file" {
		t.Errorf("a file that is too large gives %v", err)
	}
}

// A policy file is opened once, by the path from where the scenario stands.
func TestPolicyFilesAreOpenedOnce(t *testing.T) {
	var opened []string
	open := func(path string) ([]byte, error) {
		opened = append(opened, path)
		if strings.HasSuffix(path, "none.yaml") {
			return nil, fs.ErrPermission
		}
		return policyFor("b: {}")(path)
	}
	text := world("a: {policy: p.yaml, work: 1ms, calls: [b]}, b: {policy: x/../p.yaml, work: 1ms}",
		"changes: [{at: 1s, service: a, policy: ./p.yaml}]")
	s, err := ParseScenario(filepath.Join("dir", "w.yaml"), []byte(text), open)
	if err != nil {
		t.Fatal(err)
	}
	if len(opened) != 1 || opened[0] != filepath.Join("dir", "p.yaml") || s.Changes[0].Policy != s.Services[0].Policy {
		t.Errorf("opened are %q", opened)
	}
	opened = nil
	none := strings.ReplaceAll(text, "p.yaml", "none.yaml")
	_, err = ParseScenario("w.yaml", []byte(none), open)
	if all, _ := err.(Errors); len(all) != 3 || len(opened) != 1 ||
		!strings.Contains(all[0].Problem, `"none.yaml" cannot be read: permission denied`) {
		t.Errorf("%q opened, %v", opened, err)
	}
	stageWants(t, world("a: {policy: p.yaml, work: 1ms}"), nil, "there are no files beside this one")
}
