package proxy

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

func TestServeRunsKeyedWritesOnce(t *testing.T) {
	var runs atomic.Int64
	up := program(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Run", fmt.Sprint(runs.Add(1)))
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write(body)
	})
	store := filepath.Join(t.TempDir(), "keys.db")
	text := door(up, "concurrency: {}\nidempotency: {store: "+store+"}")
	u := start(t, text)
	large := strings.Repeat("x", 100<<10) // is not gathered
	for n, body := range []string{"one", large} {
		for again := range 3 {
			resp, got := u.knock("POST", "/order", body, "Idempotency-Key", fmt.Sprintf(`"k%d"`, n))
			if resp.StatusCode != 201 || got != body || resp.Header.Get("X-Run") != fmt.Sprint(n+1) ||
				(resp.Header.Get("Idempotency-Replayed") == "true") != (again > 0) {
				t.Errorf("body %d, time %d: %d %v %.20s", n, again, resp.StatusCode, resp.Header, got)
			}
		}
	}
	if resp, body := u.knock("POST", "/order", "two", "Idempotency-Key", `"k0"`); resp.StatusCode != 422 {
		t.Errorf("another body gets %d %s", resp.StatusCode, body)
	}
	for range 2 {
		u.knock("POST", "/order", "one")
		u.knock("PUT", "/order", "one", "Idempotency-Key", `"k0"`)
	}
	if n := runs.Load(); n != 6 {
		t.Errorf("the program ran %d times, want 6", n)
	}
	u.stop() // a new process finds the keys
	if err := u.wait(); err != nil {
		t.Fatal(err)
	}
	v := start(t, text)
	if resp, _ := v.knock("POST", "/order", "one", "Idempotency-Key", `"k0"`); resp.Header.Get("X-Run") != "1" {
		t.Errorf("after a restart %d %v", resp.StatusCode, resp.Header)
	}
}

// Where nothing can have been sent the key is free again; where it can, nobody
// knows, and the repetition is told so.
func TestF191ServeTellsUnsentFromUnknown(t *testing.T) {
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/hang" {
			<-r.Context().Done()
		}
	}))
	t.Cleanup(up.Close)
	u := start(t, door(up.URL, "deadline: {default: 200ms}\nconcurrency: {}\nidempotency: {}"))
	resp, _ := u.knock("POST", "/hang", "x", "Idempotency-Key", `"a"`)
	if resp.StatusCode != 504 {
		t.Errorf("the first gets %d", resp.StatusCode)
	}
	if resp, body := u.knock("POST", "/hang", "x", "Idempotency-Key", `"a"`); resp.StatusCode != 409 ||
		!strings.Contains(body, "key-unknown") {
		t.Errorf("the second gets %d %s", resp.StatusCode, body)
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	u.write(door(gone.URL, "concurrency: {}\nidempotency: {}"))
	if err := u.Reload(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if resp, body := u.knock("POST", "/x", "x", "Idempotency-Key", `"b"`); resp.StatusCode != 502 {
			t.Errorf("without a program %d %s", resp.StatusCode, body)
		}
	}
}

// A keyed write runs to its end although its client has left.
func TestF192ServeClientLeaves(t *testing.T) {
	var runs atomic.Int64
	came, release := make(chan struct{}), make(chan struct{})
	up := program(t, func(w http.ResponseWriter, r *http.Request) {
		if runs.Add(1) == 1 {
			close(came)
		}
		<-release
		_, _ = io.WriteString(w, "done")
	})
	u := start(t, door(up, "concurrency: {}\nidempotency: {}"))
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	r, _ := http.NewRequest("POST", u.url(serveName, "/"), strings.NewReader("x"))
	r.Header.Set("Idempotency-Key", `"k"`)
	ctx, leave := context.WithCancel(context.Background())
	go func() { <-came; leave() }()
	if _, err := client.Do(r.WithContext(ctx)); err == nil {
		t.Error("the client did not leave")
	}
	close(release)
	until(t, "the slot is free", func() bool { return u.door().Limit.InFlight == 0 })
	if resp, got := u.knock("POST", "/", "x", "Idempotency-Key", `"k"`); resp.StatusCode != 200 || got != "done" {
		t.Errorf("%d %q", resp.StatusCode, got)
	}
	if n := runs.Load(); n != 1 {
		t.Errorf("it ran %d times", n)
	}
}

func TestServeRefusesAStoreItCannotOpen(t *testing.T) {
	up := program(t, func(http.ResponseWriter, *http.Request) {})
	u := start(t, door(up, "concurrency: {}"))
	u.write(door(up, "concurrency: {max: 7}\nidempotency: {store: /nonexistent/keys.db}"))
	if err := u.Reload(); err == nil {
		t.Error("it is taken")
	}
	if resp, _ := u.knock("GET", "/", ""); resp.StatusCode != 200 {
		t.Errorf("afterwards %d", resp.StatusCode)
	}
	if max := u.set.File().Serve.Door.Slots.Limit.Max; max != 0 {
		t.Errorf("the refused file is in use: max is %d", max)
	}
}

// net/http sends a request with a key again when a kept connection turns out to
// be dead. The program behind the door may not know what the key means.
func TestServeSendsAKeyedWriteOnce(t *testing.T) {
	for _, body := range []string{"", "x"} {
		var writes atomic.Int64
		up := scripted(t, func(c net.Conn, br *bufio.Reader) {
			for {
				r, err := http.ReadRequest(br)
				if err != nil {
					return
				}
				_, _ = io.Copy(io.Discard, r.Body)
				if r.Method == "POST" {
					writes.Add(1)
					return // it has done its work, and dies
				}
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
			}
		})
		u := start(t, door(up.url(), "concurrency: {}\nidempotency: {}"))
		u.knock("GET", "/", "") // from here on a connection is kept
		if resp, got := u.knock("POST", "/", body, "Idempotency-Key", `"k"`); resp.StatusCode != 502 {
			t.Errorf("body %q: %d %s", body, resp.StatusCode, got)
		}
		if n := writes.Load(); n != 1 {
			t.Errorf("body %q: sent %d times", body, n)
		}
	}
}
