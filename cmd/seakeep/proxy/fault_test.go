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

// acts is by when an order must have taken hold.
const acts = 100 * time.Millisecond

func (u *under) faults() (list []FaultView) { return u.allFaults().Faults }

func (u *under) allFaults() (v FaultsView) {
	u.t.Helper()
	resp, err := plain.Get(u.url("admin", "/v1/faults"))
	if err != nil {
		u.t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
		u.t.Fatal(err)
	}
	return v
}

func (u *under) inject(dependency, rule string) {
	u.t.Helper()
	status, body := u.order("/v1/faults", fmt.Sprintf(`{"dependency": %q, "fault": %s}`, dependency, rule))
	if status != 200 {
		u.t.Fatalf("%d %s", status, body)
	}
}

func (u *under) halt(path string) int {
	u.t.Helper()
	req, _ := http.NewRequest(http.MethodDelete, u.url("admin", "/v1/faults"+path), nil)
	resp, err := plain.Do(req)
	if err != nil {
		u.t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// Faults act as soon as the order is answered, on exactly the share and the
// scope that were asked for, and end by hand as soon.
func TestFaultsOverTheAdminAddress(t *testing.T) {
	var asked atomic.Int32
	up := program(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	u := start(t, policy(up, "faults: {allow: true, share: 100%}"))
	began := time.Now()
	u.inject("dep", `{"name": "e", "kind": "error", "status": 500, "share": "100%", "path": "/a/*"}`)
	for _, row := range []struct {
		path string
		want int
	}{{"/a/x", 500}, {"/b", 200}} {
		resp, _ := u.get(row.path)
		if resp.StatusCode != row.want || (resp.Header.Get("X-Seakeep-Fault-Injected") == "e") != (row.want == 500) {
			t.Errorf("%s gets %d, %v", row.path, resp.StatusCode, resp.Header)
		}
	}
	if took := time.Since(began); took > acts {
		t.Errorf("it acts after %v", took)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("%d requests were sent", n)
	}
	f := u.faults()
	if len(f) != 1 || f[0].Dependency != "dep" || !f[0].Running || !f[0].Order || f[0].Seen != 1 || f[0].Hurt != 1 ||
		f[0].LeftMS < 290e3 {
		t.Errorf("%+v", f)
	}
	began = time.Now()
	if u.halt("/e") != 200 || u.halt("/e") != 404 {
		t.Error("it does not stop once")
	}
	if resp, _ := u.get("/a/x"); resp.StatusCode != 200 || time.Since(began) > acts {
		t.Errorf("switched off: %d after %v", resp.StatusCode, time.Since(began))
	}
	u.inject("dep", `{"name": "third", "kind": "error", "share": 0.3}`)
	const n = 1000
	hurt := 0
	for range n {
		if resp, _ := u.get("/"); resp.StatusCode == 503 {
			hurt++
		}
	}
	for _, f := range u.faults() {
		if f.Name == "third" && (f.Seen != n || int(f.Hurt) != hurt || hurt < 230 || hurt > 370) {
			t.Errorf("%d of %d, told as %+v", hurt, n, f)
		}
	}
	if !u.log.has("fault started by hand") || !u.log.has("fault changed") {
		t.Error("the log does not tell")
	}
}

// A fault ends by itself, at its time.
func TestFaultsEndByThemselves(t *testing.T) {
	t.Parallel()
	u := start(t, policy(program(t, func(http.ResponseWriter, *http.Request) {}), "faults: {allow: true, share: 100%}"))
	began := time.Now()
	u.inject("dep", `{"name": "e", "kind": "error", "share": "100%", "for": "300ms"}`)
	if resp, _ := u.get("/"); resp.StatusCode != 503 {
		t.Errorf("%d", resp.StatusCode)
	}
	until(t, "its end", func() bool { resp, _ := u.get("/"); return resp.StatusCode == 200 })
	if took := time.Since(began); took < 300*time.Millisecond || took > 300*time.Millisecond+20*acts {
		t.Errorf("it ends after %v", took)
	}
	if f := u.faults(); len(f) != 1 || f[0].Running || f[0].Over != "time is up" {
		t.Errorf("%+v", f)
	}
}

// Who hangs is let go when the fault is switched off.
func TestSwitchedOffFaultsLetGo(t *testing.T) {
	u := start(t, policy(program(t, func(http.ResponseWriter, *http.Request) {}), "faults: {allow: true, share: 100%}"))
	u.inject("dep", `{"name": "hang", "kind": "no-answer", "share": "100%"}`)
	ended := make(chan time.Time)
	go func() {
		resp, err := plain.Get(u.url("dep", "/"))
		if err == nil {
			if resp.StatusCode != 502 || resp.Header.Get("X-Seakeep-Fault-Injected") != "hang" {
				t.Errorf("%d %v", resp.StatusCode, resp.Header)
			}
			_ = resp.Body.Close()
		}
		ended <- time.Now()
	}()
	until(t, "one that hangs", func() bool { f := u.faults(); return len(f) == 1 && f[0].Hurt == 1 })
	select {
	case <-ended:
		t.Error("it does not hang")
	case <-time.After(acts):
	}
	began := time.Now()
	u.halt("")
	if took := (<-ended).Sub(began); took > acts {
		t.Errorf("let go after %v", took)
	}
}

func TestFaultOrdersAreChecked(t *testing.T) {
	up := program(t, func(http.ResponseWriter, *http.Request) {})
	u := start(t, policy(up, "faults: {allow: true}")+"  other: {endpoints: ["+up+"], listen: 127.0.0.1:0}\n"+
		"  shut: {faults: {rules: [{name: x, kind: refused, share: 1%}]}}\n")
	good := `{"name": "x1", "kind": "refused", "share": "10%"}`
	for _, row := range []struct {
		order string
		want  int
		says  string
	}{
		{``, 400, "give"}, {`{}`, 400, "give"}, {`{"dependency": "dep"}`, 400, "give"},
		{`{"dependency": "dep", "fault": {}}`, 400, "name"}, {`{"dependency": "dep", "fault": []}`, 400, "section"},
		{`{"dependency": "dep", "fault": ` + good + `}{}`, 400, "more than one"},
		{`{"dependency": "dep", "faults": ` + good + `}`, 400, "unknown field"},
		{`{"dependency": "dep", "fault": {"name": "x", "kind": "refused", "share": "10%", "for": "2h"}}`, 400, "from 1ms to 1h"},
		{`{"dependency": "dep", "fault": {"name": "x", "kind": "refused", "share": "10%", "operation": "no"}}`, 400, "not an operation"},
		{`{"dependency": "dep", "fault": {"name": "x", "kind": "refused", "share": "10%", "status": 500}}`, 400, "no status"},
		{`{"dependency": "nobody", "fault": ` + good + `}`, 404, "no such dependency"},
		{`{"fault": ` + good + `}`, 404, "no serve section"},
		{`{"dependency": "other", "fault": ` + good + `}`, 409, "does not allow"},
		{`{"dependency": "shut", "fault": ` + good + `}`, 409, "does not allow"},
		{`{"dependency": "dep", "fault": {"name": "x", "kind": "refused", "share": "50%"}}`, 409, "limit is 20%"},
		{`{"dependency": "dep", "dry_run": true, "fault": {"name": "x", "kind": "refused", "share": "50%"}}`, 409, "limit is 20%"},
		{`{"dependency": "dep", "dry_run": true, "force": true, "fault": {"name": "x", "kind": "refused", "share": "50%"}}`, 200, ""},
		{`{"dependency": "dep", "force": true, "fault": {"name": "x", "kind": "refused", "share": "50%"}}`, 200, ""},
		{`{"dependency": "dep", "force": true, "fault": {"name": "x", "kind": "refused", "share": "50%"}}`, 409, "is running"},
	} {
		if status, body := u.order("/v1/faults", row.order); status != row.want || !strings.Contains(body, row.says) {
			t.Errorf("%s gets %d %s", row.order, status, body)
		}
	}
}

// Who looks sees how much may be hurt, and how near that is.
func TestFaultBoundsAreShown(t *testing.T) {
	u := start(t, policy(program(t, func(http.ResponseWriter, *http.Request) {}),
		"faults: {allow: true, share: 30%, concurrent: 7, abort: {success: 50%, window: 1m, calls: 4}}"))
	u.inject("dep", `{"name": "e", "kind": "error", "share": "30%", "path": "/bad"}`)
	for range 3 {
		u.get("/")
	}
	v := u.allFaults()
	if len(v.Bounds) != 1 {
		t.Fatalf("%+v", v)
	}
	b := v.Bounds[0]
	if b.Dependency != "dep" || !b.Allow || b.Share != 0.3 || b.Concurrent != 7 || b.Hurting != 0 || b.Abort == nil ||
		*b.Abort != (FaultAbortView{Success: 0.5, WindowMS: 60e3, Minimum: 4, Judged: 3, Succeeded: 3}) {
		t.Errorf("%+v %+v", b, b.Abort)
	}
}

// A reload keeps an order running, and ends it if the file allows it no more.
func TestFaultOrdersOutliveReloads(t *testing.T) {
	up := program(t, func(http.ResponseWriter, *http.Request) {})
	u := start(t, policy(up, "faults: {allow: true, share: 100%}"))
	u.inject("dep", `{"name": "e", "kind": "error", "share": "100%"}`)
	u.write(policy(up, "faults: {allow: true, share: 100%}", "timeout: {request: 1s}"))
	if err := u.Reload(); err != nil {
		t.Fatal(err)
	}
	if resp, _ := u.get("/"); resp.StatusCode != 503 {
		t.Errorf("after a reload %d", resp.StatusCode)
	}
	u.write(policy(up))
	if err := u.Reload(); err != nil {
		t.Fatal(err)
	}
	if resp, _ := u.get("/"); resp.StatusCode != 200 {
		t.Errorf("not allowed any more: %d", resp.StatusCode)
	}
}

// Behind the door, health checks pass, and only the trusted may mark requests;
// the admin address is never hurt.
func TestFaultsBehindTheProxysDoor(t *testing.T) {
	told := make(chan string, 10)
	up := program(t, func(w http.ResponseWriter, r *http.Request) {
		told <- r.Header.Get("X-Seakeep-Fault")
		_, _ = io.WriteString(w, "ok")
	})
	u := start(t, door(up, "faults: {allow: true, share: 100%}"))
	u.inject("", `{"name": "e", "kind": "error", "status": 500, "share": "100%"}`)
	if resp, _ := u.knock("GET", "/", ""); resp.StatusCode != 500 || resp.Header.Get("X-Seakeep-Fault-Injected") != "e" {
		t.Errorf("%d %v", resp.StatusCode, resp.Header)
	}
	if resp, body := u.knock("GET", "/healthz", ""); resp.StatusCode != 200 || body != "ok" {
		t.Errorf("a health check gets %d", resp.StatusCode)
	}
	<-told
	if f := u.faults(); len(f) != 1 || f[0].Seen != 1 || f[0].Dependency != "" {
		t.Errorf("%+v", f)
	}
	u.halt("")
	u.inject("", `{"name": "m", "kind": "refused", "share": "100%", "marked": true}`)
	if resp, _ := u.knock("GET", "/", "", "X-Seakeep-Fault", "m"); resp.StatusCode != 200 || <-told != "" {
		t.Errorf("a stranger's mark gets %d", resp.StatusCode)
	}
	u.write(door(up, "faults: {allow: true, share: 100%, trust: [127.0.0.1]}"))
	if err := u.Reload(); err != nil {
		t.Fatal(err)
	}
	if resp, _ := u.knock("GET", "/", "", "X-Seakeep-Fault", "m"); resp.StatusCode != 502 ||
		resp.Header.Get("X-Seakeep-Fault-Injected") != "m" {
		t.Errorf("a mark gets %d, %v", resp.StatusCode, resp.Header)
	}
	if resp, _ := u.knock("GET", "/", "", "X-Seakeep-Fault", "other"); resp.StatusCode != 200 || <-told != "other" {
		t.Errorf("another mark gets %d", resp.StatusCode)
	}
}
