package proxy

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A request that is slow is answered by the other server, whole body and all,
// also one that arrives piece by piece; and the operator sees how often.
func TestHedge(t *testing.T) {
	var first atomic.Int32 // of each request: 1 until it has been asked
	var left atomic.Int32
	answers := func(w http.ResponseWriter, r *http.Request) {
		if first.Swap(0) == 1 {
			go func() { _, _ = io.Copy(io.Discard, r.Body) }()
			<-r.Context().Done()
			left.Add(1)
			return
		}
		body, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %v %s", body, err, r.Header.Get("X-Seakeep-Hedge"))
	}
	u := start(t, policy(web(t, answers)+", "+web(t, answers),
		"hedge: {after: 20ms, budget: 100%, slow: 100%}", "bulkhead: {limit: 10}"))
	ask := func(method string, body io.Reader) {
		t.Helper()
		first.Store(1)
		req, err := http.NewRequest(method, u.url("dep", "/"), body)
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		if body != nil {
			want = "onetwothree"
		}
		if resp, text := u.send(req); resp.StatusCode != 200 || text != want+" <nil> 1" {
			t.Errorf("%s: answered %d %q", method, resp.StatusCode, text)
		}
	}
	ask("GET", nil)
	ask("PUT", strings.NewReader("onetwothree"))
	r, w := io.Pipe()
	go func() {
		for _, part := range []string{"one", "two", "three"} {
			_, _ = io.WriteString(w, part)
			time.Sleep(30 * time.Millisecond)
		}
		_ = w.Close()
	}()
	ask("PUT", r)
	until(t, "the slow servers hear that nobody waits", func() bool { return left.Load() == 3 })
	var v dependencyView
	until(t, "the slots are free", func() bool {
		_, text := u.admin("GET", "/v1/dependencies/dep", "")
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		return v.Bulkhead.InUse == 0
	})
	if s := v.Settings.Hedge; s == nil || s.AfterMS != 20 || s.Budget != 1 || s.Copies != 1 {
		t.Errorf("the settings are %+v", s)
	}
	if h := v.Hedge; h == nil || h.Calls != 3 || h.Sent != 3 || h.Won != 3 || h.AfterMS != 20 {
		t.Errorf("the view is %+v", h)
	}
}

// What may do harm when it runs twice is sent once.
func TestHedgeLeavesWritesAlone(t *testing.T) {
	var asked atomic.Int32
	answers := func(http.ResponseWriter, *http.Request) {
		asked.Add(1)
		time.Sleep(100 * time.Millisecond)
	}
	u := start(t, policy(web(t, answers)+", "+web(t, answers), "hedge: {after: 10ms, budget: 100%, slow: 100%}"))
	if resp, _ := u.do("POST", "/", "body"); resp.StatusCode != 200 || asked.Load() != 1 {
		t.Errorf("answered %d after %d requests", resp.StatusCode, asked.Load())
	}
}
