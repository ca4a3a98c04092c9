package proxy

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestF151NobodyTakesOurFieldsOut(t *testing.T) {
	seen := make(chan []string, 1)
	b := recording(t, seen)
	u := start(t, policy(b.url(), "timeout: {request: 1s, total: 2s}"))
	c := u.dial()
	c.send("GET / HTTP/1.1", "Host: h", "Connection: X-Forwarded-For, X-Seakeep-Deadline , Via,X-Own",
		"X-Forwarded-For: 6.6.6.6", "X-Seakeep-Deadline: 600", "Via: 1.1 liar", "X-Own: 1", "X-Kept: 2", "", "")
	c.answer("GET")
	head := <-seen
	if got := field(head, "X-Forwarded-For"); !slices.Equal(got, []string{"127.0.0.1"}) {
		t.Errorf("X-Forwarded-For is %q", got)
	}
	if got := field(head, "X-Seakeep-Deadline"); len(got) != 1 || got[0] > "600" || got[0] < "400" {
		t.Errorf("X-Seakeep-Deadline is %q; want what is left of the caller's 600", got)
	}
	if got := field(head, "Via"); len(got) != 1 || !strings.HasPrefix(got[0], "1.1 seakeep (") {
		t.Errorf("Via is %q", got)
	}
	if got := field(head, "X-Own"); got != nil {
		t.Errorf("X-Own is %q, although Connection named it", got)
	}
	if got := field(head, "X-Kept"); len(got) != 1 {
		t.Errorf("X-Kept is %q", got)
	}
}

// TestLoop: a proxy whose endpoint is itself notices the second time round, and
// two proxies in a row are no loop.
func TestLoop(t *testing.T) {
	far := start(t, policy(scripted(t, always("HTTP/1.1 200 OK", "Content-Length: 2", "", "ok")).url()))
	near := start(t, policy("http://"+far.Addr("dep").String()))
	if resp, _ := near.get("/"); resp.StatusCode != 200 {
		t.Errorf("two in a row: status %d", resp.StatusCode)
	}
	far.write(policy("http://"+near.Addr("dep").String(), "timeout: {total: 2s}"))
	if err := far.Reload(); err != nil {
		t.Fatal(err)
	}
	resp, body := near.get("/")
	if resp.StatusCode != 502 || !strings.Contains(resp.Header.Get("Proxy-Status"), "proxy_loop_detected") {
		t.Errorf("in a circle: status %d, %q, %s", resp.StatusCode, resp.Header["Proxy-Status"], body)
	}
}

func TestDeadlineAndAttemptAreRead(t *testing.T) {
	hits := make(chan http.Header, 10)
	backend := web(t, func(w http.ResponseWriter, r *http.Request) {
		hits <- r.Header.Clone()
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	u := start(t, policy(backend, "retry: {attempts: 3, backoff: {base: 1ms}, budget: none}"))
	send := func(name, value string) (*http.Response, string) {
		req, _ := http.NewRequest("GET", u.url("dep", "/"), nil)
		req.Header.Set(name, value)
		return u.send(req)
	}
	for _, spent := range []string{"0", "-5"} { // F105
		resp, body := send("X-Seakeep-Deadline", spent)
		if resp.StatusCode != 504 || !strings.Contains(body, `"reason":"deadline-exceeded"`) {
			t.Errorf("deadline %s: got %d %s", spent, resp.StatusCode, body)
		}
	}
	if n := len(hits); n != 0 {
		t.Errorf("the dependency got %d requests whose time was up", n)
	}
	if resp, _ := send("X-Seakeep-Attempt", "2"); resp.StatusCode != 503 || len(hits) != 1 {
		t.Errorf("retried above: status %d, %d attempts, want 1", resp.StatusCode, len(hits))
	}
	<-hits
	resp, _ := send("X-Seakeep-Deadline", "nonsense")
	if resp.StatusCode != 503 || len(hits) != 3 || resp.Header.Get("X-Seakeep-No-Retry") != "1" {
		t.Errorf("without a deadline: status %d, %d attempts, want 3", resp.StatusCode, len(hits))
	}
}
