package demo

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
)

// The wall's control slows a dependency that really is slow then: its breaker
// opens, a fallback answers, and the wall shows both.
func TestWallSlowsADependency(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := Defaults(time.Minute) // it ends when it was seen
	o.Rate, o.Admin, o.Slow = 150, l.Addr().String(), nil
	_ = l.Close()
	base := "http://" + o.Admin
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	out := &strings.Builder{}
	go func() {
		_, err := Run(ctx, o, Screen{Out: out})
		ended <- err
	}()
	var door http.Transport
	defer func() {
		door.CloseIdleConnections()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if !strings.Contains(out.String(), "the wall is at "+base+"/\n") {
			t.Error("it does not say where its wall is")
		}
	}()
	ask := func(method, path, body string) (int, []byte) { return asked(t, &door, method, base+path, body) }
	until(t, "the wall is there", func() bool { status, _ := ask("GET", "/api/v1/snapshot", ""); return status == 200 })
	for _, bad := range []string{`{"name": "nobody", "latency": "2s"}`, `{"name": "pricing", "latency": "1ms"}`, `[]`} {
		if status, text := ask("POST", "/api/v1/demo/slow", bad); status != 400 {
			t.Errorf("%s: %d %s", bad, status, text)
		}
	}
	if status, text := ask("POST", "/api/v1/demo/slow", `{"name": "recommendations", "latency": "2s"}`); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	for path, want := range demoViews {
		if _, text := ask("GET", "/api/v1/demo/"+path, ""); !strings.Contains(string(text), want) {
			t.Errorf("%s: %.300s, want %s", path, text, want)
		}
	}
	until(t, "the worst is first, open, and a fallback answers", func() bool {
		_, text := ask("GET", "/api/v1/snapshot", "")
		var s schema.Snapshot
		if json.Unmarshal(text, &s) != nil || !s.Demo || len(s.Dependencies) != 3 {
			return false
		}
		d := s.Dependencies[0]
		return d.Name == "recommendations" && d.Breaker.State == "open" && d.Fallback > 0.2
	})
}

// asked asks, and returns 0 if nobody answers.
func asked(t *testing.T, door *http.Transport, method, url, body string) (status int, text []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := door.RoundTrip(req)
	if err != nil {
		return 0, nil
	}
	defer resp.Body.Close()
	text, _ = io.ReadAll(resp.Body)
	return resp.StatusCode, text
}

// demoViews is what the demo's part of the API says while recommendations take 2 s by order.
var demoViews = map[string]string{
	"slow":     `{"name":"recommendations","latency":"2s","ordered":true,"planned":"20ms"}`,
	"world":    `"slow":[{"name":"recommendations","latency":"2s","from_ms":`,
	"measured": `"endpoints":[{"name":"pricing",`,
	"policy":   "there is no such view here",
}

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it is never so that %s", what)
		}
	}
}
