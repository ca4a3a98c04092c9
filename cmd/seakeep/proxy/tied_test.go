package proxy

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

const tiedID = "000102030405060708090a0b0c0d0e0f"

// asks sends a request through the door, beside the test, and returns what comes
// of it; nil if it fails.
func (u *under) asks(path, tied string) <-chan *http.Response {
	out := make(chan *http.Response, 1)
	req, err := http.NewRequest("GET", u.url(serveName, path), nil)
	if err != nil {
		u.t.Fatal(err)
	}
	if tied != "" {
		req.Header.Set("X-Seakeep-Tied", tied)
	}
	go func() {
		resp, err := plain.Do(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		out <- resp
	}()
	return out
}

// A request that is tied waits at the door until it is called off. The program
// behind hears nothing of that, the operator sees it counted, and a reload
// forgets nothing.
func TestTied(t *testing.T) {
	let := make(chan struct{})
	up := program(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			<-let
		}
		w.Header().Set("X-Saw", r.Header.Get("X-Seakeep-Tied")+r.Header.Get("X-Seakeep-Attempt"))
	})
	text := door(up, "concurrency: {algorithm: fixed, limit: 1}\nqueue: {length: 9}\ntied: {trust: [127.0.0.1]}")
	u := start(t, text)
	other := start(t, text)
	slow := u.asks("/slow", "")
	until(t, "the door is busy", func() bool { return u.door().Limit.InFlight == 1 })
	peer := "id=" + tiedID + "; peer="
	called := u.asks("/", peer+other.Addr(serveName).String())
	until(t, "it waits", func() bool { return u.door().Queue.Queued == 1 })
	resp, _ := other.knock("GET", "/", "", "X-Seakeep-Tied", peer+u.Addr(serveName).String())
	if resp.StatusCode != 200 || resp.Header.Get("X-Saw") != "" {
		t.Errorf("the twin is answered %d, the program saw %q", resp.StatusCode, resp.Header.Get("X-Saw"))
	}
	if resp = <-called; resp == nil || resp.StatusCode != 503 || resp.Header.Get("X-Seakeep-Tied") != "twin-started" ||
		resp.Header.Get("X-Seakeep-No-Retry") != "1" || !strings.Contains(resp.Header.Get("Proxy-Status"), "twin-started") {
		t.Fatalf("it is answered %+v", resp)
	}
	close(let)
	if resp = <-slow; resp == nil || resp.StatusCode != 200 {
		t.Errorf("what was being served is answered %+v", resp)
	}
	resp, _ = other.knock("DELETE", "/.well-known/seakeep/tied/"+tiedID, "")
	if resp.StatusCode != 409 {
		t.Errorf("to call off what was served is answered %d", resp.StatusCode)
	}
	until(t, "the twin's door has answered", func() bool { return other.door().Tied.Told == 1 })
	u.write(text + "  health: [/healthz]\n")
	if err := u.Reload(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		door *under
		want tiedView
	}{{u, tiedView{Registered: 1, Cancelled: 1}}, {other, tiedView{Registered: 1, Told: 1, TooLate: 1}}} {
		var v struct{ Tied tiedView }
		_, text := c.door.admin("GET", "/v1/serve", "")
		if err := json.Unmarshal([]byte(text), &v); err != nil || v.Tied != c.want {
			t.Errorf("the operator sees %+v, want %+v (%v)", v.Tied, c.want, err)
		}
	}
}
