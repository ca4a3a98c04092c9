package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/lab"
)

func build(t *testing.T, env ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "engine")
	c := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, ".")
	c.Env = append(os.Environ(), env...)
	run(t, c)
	return path
}

func run(t *testing.T, c *exec.Cmd) []byte {
	t.Helper()
	var out, problems bytes.Buffer
	c.Stdout, c.Stderr = &out, &problems
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", c.Args, err, &problems)
	}
	return out.Bytes()
}

// questions are what a page asks: of a world with one of everything, and what
// has to be told of a mistake.
func questions(t *testing.T) []byte {
	t.Helper()
	const dir = "../../../../testdata/scenarios/"
	text := func(path string) string {
		data, err := os.ReadFile(dir + path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	w := lab.World{Scenario: text("checkout-cascade.yaml"), Files: map[string]string{},
		Sets: []string{"for=15s", "warmup=7s", "services.checkout.policy=policies/checkout-retries.yaml"}}
	for _, name := range []string{"policies/checkout-retries.yaml", "policies/checkout-bare.yaml"} {
		w.Files[name] = text(name)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for _, q := range []lab.Question{{Op: "start", World: w}, {Op: "more"}, {Op: "why"}, {Op: "none"},
		{Op: "compare", World: w, Other: w, Runs: 1}, {Op: "predict", World: w, Seed: 3},
		{Op: "edge", World: w, Within: 0.5, Edge: lab.Edge{Key: "changes.0.work.mean", From: "20ms",
			To: "1s", Until: "endpoints.pricing.success < 99%", Runs: 2}}} {
		if err := e.Encode(q); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// A browser gives the same answers as this machine, to the last byte.
func TestWebAssembly(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("WebAssembly is not tested: there is no node on the path; make setup installs Node.js")
	}
	asked := questions(t)
	native := exec.Command(build(t))
	native.Stdin = bytes.NewReader(asked)
	want := bytes.Split(run(t, native), []byte("\n"))

	root := strings.TrimSpace(string(run(t, exec.Command("go", "env", "GOROOT"))))
	start := time.Now()
	other := exec.Command(node, "testdata/ask.cjs", filepath.Join(root, "lib/wasm/wasm_exec.js"),
		build(t, "GOOS=js", "GOARCH=wasm"))
	other.Stdin = bytes.NewReader(asked)
	other.Env = []string{"PATH=" + os.Getenv("PATH")}
	got := bytes.Split(run(t, other), []byte("\n"))
	t.Logf("with its build it took %v", time.Since(start))
	if len(got) != len(want) || len(got) < 7 {
		t.Fatalf("%d answers, want %d", len(got), len(want))
	}
	for i := range got {
		if !bytes.Equal(got[i], want[i]) {
			t.Errorf("answer %d differs:\n%.300s\n%.300s", i+1, got[i], want[i])
		}
	}
	if !bytes.Contains(got[0], []byte(`"frames":"`)) {
		t.Errorf("no threads in %.300s", got[0])
	}
}
