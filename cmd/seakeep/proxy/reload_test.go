package proxy

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/core/breaker"
)

// saying is a dependency that answers with its name.
func saying(t *testing.T, name string) string {
	return web(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, name) })
}

// freePort is an address that can be listened at.
func freePort(t *testing.T) string { return strings.TrimPrefix(closedPort(t), "http://") }

// two is a file with two dependencies.
func two(a, atA, b, atB string) string {
	return fmt.Sprintf("version: 1\nservice: test\ndependencies:\n"+
		"  a: {listen: %q, endpoints: [%s], breaker: {window: 5 calls, failures: 50%%}}\n"+
		"  b: {listen: %q, endpoints: [%s]}\n", atA, a, atB, b)
}

func TestReloadUsesNewEndpointsAndKeepsConnections(t *testing.T) {
	one, other := saying(t, "one"), saying(t, "other")
	u := start(t, policy(one, breakerOf5))
	u.open()
	c := u.dial()
	c.send("GET / HTTP/1.1", "Host: h", "", "")
	if resp, _, _ := c.answer("GET"); resp.StatusCode != 503 {
		t.Fatalf("got %d", resp.StatusCode)
	}
	u.write(policy(other, breakerOf5, "timeout: {request: 1s}")) // the folder is watched
	until(t, "the reload", func() bool { return u.log.has("policy file reloaded") })
	if s := u.snapshot("dep"); s.Breaker.Mode != breaker.ForceOpen {
		t.Errorf("the breaker forgot its state: %+v", s.Breaker)
	}
	u.admin("POST", "/v1/dependencies/dep/breaker", `{"mode": "auto"}`)
	c.send("GET / HTTP/1.1", "Host: h", "", "") // on the same connection
	if resp, body, _ := c.answer("GET"); resp.StatusCode != 200 || body != "other" {
		t.Errorf("got %d %q", resp.StatusCode, body)
	}
	if _, text := u.admin("GET", "/v1/dependencies/dep", ""); !strings.Contains(text, `"request_ms": 1000`) {
		t.Errorf("the new limit is not in use: %s", text)
	}
}

func TestReloadRefusesAWrongFile(t *testing.T) {
	t.Parallel()
	u := start(t, policy(saying(t, "one"), breakerOf5))
	u.write(strings.Replace(policy(saying(t, "one"), "breaker: {window: 5 calls, failures: 150%, nope: 1}"),
		"service: test", "servise: test", 1))
	until(t, "the refusal", func() bool { return u.log.has("the policy file is refused") })
	for _, part := range []string{"servise", "150%", "nope", ":2:1:"} {
		until(t, part+" in the log", func() bool { return u.log.has(part) })
	}
	if _, body := u.get("/"); body != "one" {
		t.Errorf("got %q", body)
	}
	_, text := u.admin("GET", "/v1/status", "")
	for _, part := range []string{`"refused"`, `"line": 2`, `"problem"`} {
		if !strings.Contains(text, part) {
			t.Errorf("the status does not hold %s: %s", part, text)
		}
	}
	u.write(policy(saying(t, "two"), breakerOf5))
	until(t, "the mended file", func() bool { return u.log.has("policy file reloaded") })
	if _, text := u.admin("GET", "/v1/status", ""); strings.Contains(text, `"refused"`) {
		t.Errorf("the error stays: %s", text)
	}
	if _, body := u.get("/"); body != "two" {
		t.Errorf("got %q", body)
	}
}

func TestReloadMovesListeners(t *testing.T) {
	a, b := saying(t, "a"), saying(t, "b")
	at := []string{freePort(t), freePort(t), freePort(t)}
	u := start(t, two(a, at[0], b, at[1]))
	ask := func(address string) string {
		resp, err := plain.Get("http://" + address + "/")
		if err != nil {
			return "nobody"
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return string(text)
	}
	expect := func(what string, answers ...string) {
		t.Helper()
		for i, want := range answers {
			until(t, fmt.Sprintf("%s: %s at listener %d", what, want, i), func() bool { return ask(at[i]) == want })
		}
	}
	expect("at first", "a", "b", "nobody")
	u.write(two(a, at[1], b, at[0]))
	_ = u.Reload()
	expect("exchanged", "b", "a", "nobody")
	u.write(two(a, at[2], b, at[0]))
	_ = u.Reload()
	expect("one moved", "b", "nobody", "a")
}

func TestReloadNeedsEveryListener(t *testing.T) {
	a, b := saying(t, "a"), saying(t, "b")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	at := []string{freePort(t), freePort(t), freePort(t)}
	u := start(t, two(a, at[0], b, at[1]))
	u.write(two(b, at[2], a, taken.Addr().String()))
	if err := u.Reload(); err == nil || !strings.Contains(err.Error(), "cannot listen for b") {
		t.Errorf("the reload says %v", err)
	}
	for i, want := range []string{"a", "b"} {
		resp, err := plain.Get("http://" + at[i])
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if string(text) != want {
			t.Errorf("listener %d answers %q, want %q", i, text, want)
		}
	}
	if l, err := net.Listen("tcp", at[2]); err != nil {
		t.Errorf("the listener of the refused file is still open: %v", err)
	} else {
		_ = l.Close()
	}
}

// TestReloadOfAMountedFolder changes the file as Kubernetes does: by moving a
// link that the folder of the file is behind.
func TestReloadOfAMountedFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(version, text string) {
		t.Helper()
		folder := filepath.Join(dir, version)
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		must(os.Mkdir(folder, 0o700))
		must(os.WriteFile(filepath.Join(folder, "seakeep.yaml"), []byte(text), 0o600))
		must(os.Symlink(version, filepath.Join(dir, "..next")))
		must(os.Rename(filepath.Join(dir, "..next"), filepath.Join(dir, "..data")))
	}
	put("1", policy(saying(t, "one")))
	path := filepath.Join(dir, "seakeep.yaml")
	if err := os.Symlink("..data/seakeep.yaml", path); err != nil {
		t.Fatal(err)
	}
	u := startAt(t, path, Options{})
	for i, name := range []string{"two", "three"} {
		put(itoa(i+2), policy(saying(t, name)))
		_ = os.RemoveAll(filepath.Join(dir, itoa(i+1)))
		until(t, name, func() bool { _, body := u.get("/"); return body == name })
	}
}

// TestReloadBehindALink: the file is named in one folder and lies in another.
func TestReloadBehindALink(t *testing.T) {
	at, named := t.TempDir(), filepath.Join(t.TempDir(), "seakeep.yaml")
	real := &under{t: t, path: filepath.Join(at, "real.yaml")}
	real.write(policy(saying(t, "one")))
	if err := os.Symlink(real.path, named); err != nil {
		t.Fatal(err)
	}
	u := startAt(t, named, Options{})
	real.write(policy(saying(t, "two")))
	until(t, "the new file", func() bool { _, body := u.get("/"); return body == "two" })
}

func TestFilesWithoutListeners(t *testing.T) {
	u := start(t, policy(saying(t, "one")))
	u.write("version: 1\nservice: test\ndependencies: {dep: {timeout: {request: 1s}}}\n")
	if err := u.Reload(); err == nil || !strings.Contains(err.Error(), "listen") {
		t.Errorf("the reload says %v", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none.yaml"), Options{}); err == nil {
		t.Error("a file that does not exist can be opened")
	}
}
