package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// machine is a way to run the program.
type machine struct {
	name    string
	command []string
	env     []string
}

// host returns the program built for this machine.
func host(t *testing.T) machine {
	t.Helper()
	return machine{"this machine", []string{build(t, "simcheck")}, nil}
}

// wasm returns the program built for WebAssembly, run by Node.js. "make setup"
// installs Node.js, so that "make test" never skips this.
func wasm(t *testing.T) machine {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("WebAssembly is not tested: there is no node on the path; install Node.js 18 or " +
			"later, as make setup does")
	}
	root := strings.TrimSpace(string(output(t, exec.Command("go", "env", "GOROOT"))))
	runner := filepath.Join(root, "lib", "wasm", "wasm_exec_node.js")
	if _, err := os.Stat(runner); err != nil {
		t.Fatalf("this Go has no runner for WebAssembly: %v", err)
	}
	return machine{"WebAssembly", []string{"node", "--stack-size=8192", runner,
		build(t, "simcheck.wasm", "GOOS=js", "GOARCH=wasm")}, nil}
}

func build(t *testing.T, name string, env ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	c := exec.Command("go", "build", "-o", path, ".")
	c.Env = append(os.Environ(), env...)
	output(t, c)
	return path
}

// run runs the program in a new process. Of the environment it gets what Node.js
// needs: WebAssembly has little room for more.
func (m machine) run(t *testing.T, args ...string) []byte {
	t.Helper()
	c := exec.Command(m.command[0], append(m.command[1:len(m.command):len(m.command)], args...)...)
	c.Env = append([]string{"PATH=" + os.Getenv("PATH")}, m.env...)
	return output(t, c)
}

func output(t *testing.T, c *exec.Cmd) []byte {
	t.Helper()
	var out, problems bytes.Buffer
	c.Stdout, c.Stderr = &out, &problems
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", c.Args, err, &problems)
	}
	return out.Bytes()
}

// same ends the test at the first line that differs.
func same(t *testing.T, name string, got, want []byte) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	a, b := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("%s: line %d differs:\n got  %s\n want %s", name, i+1, cut(a[i]), cut(b[i]))
		}
	}
	t.Fatalf("%s: %d lines, want %d", name, len(a), len(b))
}

func cut(line string) string { return line[:min(len(line), 300)] }

const everything = "testdata/everything.yaml"

// The same scenario in new processes, with one processor and with two, has the
// same figures and the same decisions.
func TestTwentyProcesses(t *testing.T) {
	m := host(t)
	want := m.run(t, everything)
	for n := range 20 {
		m.env = []string{fmt.Sprintf("GOMAXPROCS=%d", 1+n%2)}
		same(t, fmt.Sprintf("process %d with %s", n+1, m.env), m.run(t, everything), want)
	}
}

// A browser or Node.js computes what this machine does, to the last bit.
func TestWebAssembly(t *testing.T) {
	native, other := host(t), wasm(t)
	same(t, other.name, other.run(t, everything), native.run(t, everything))
	scenarios, err := filepath.Glob("../../testdata/scenarios/*.yaml")
	if err != nil || len(scenarios) < 12 {
		t.Fatalf("%d scenarios: %v", len(scenarios), err)
	}
	args := append([]string{"-for", "3s", "-runs", "1",
		"../../examples/checkout/slow-recommendations.yaml"}, scenarios...)
	same(t, other.name, other.run(t, args...), native.run(t, args...))
}

// What is compared must depend on all that happens, or it would be the same
// anyway.
func TestPrintsWhatHappened(t *testing.T) {
	out := host(t).run(t, everything)
	hashes := regexp.MustCompile(`(?m)^(\d+) decisions, ([0-9a-f]{64})$`).FindAllSubmatch(out, -1)
	if len(hashes) != 2 || len(hashes[0][1]) < 5 || bytes.Equal(hashes[0][2], hashes[1][2]) {
		t.Errorf("the hashes are %q", hashes)
	}
	for _, figure := range []string{"services.front.refused", "services.back.dropped", "services.back.expired", "services.back.hung",
		"services.cache.crashed", "dependencies.front.back.transitions", "dependencies.front.store.retries",
		"dependencies.front.cache.fallback", "endpoints.page.refused"} {
		if v := regexp.MustCompile(regexp.QuoteMeta(figure) + " .* 0x1").FindString(string(out)); v == "" {
			t.Errorf("there is no %s in a world with one of everything", figure)
		}
	}
}
