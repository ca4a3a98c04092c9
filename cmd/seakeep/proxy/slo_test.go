package proxy

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func (u *under) slo() SLOView { return sloAt(u.t, u.Addr("admin").String()) }

// sloAt is what an admin address says of the objectives.
func sloAt(t *testing.T, admin string) (v SLOView) {
	t.Helper()
	resp, err := plain.Get("http://" + admin + "/v1/slo")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

const promised = `slo:
  beacon: /beacon
  objectives:
    - {name: door, objective: 50%, window: 1h, freshness: 1m, paths: [/shop/*]}
    - {name: browser, objective: 99%, at: beacon}
`

// What users get is counted where they get it: at the door, with its refusals,
// and by themselves.
func TestObjectives(t *testing.T) {
	up := program(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/shop/bad":
			w.WriteHeader(500)
		case "/shop/none":
			w.WriteHeader(404)
		case "/shop/old":
			w.Header().Set("Age", "90")
		}
	})
	u := start(t, door(up, "deadline: {default: 5s}\nconcurrency: {}\nfaults: {allow: true}")+promised)
	for _, path := range []string{"/shop/a", "/shop/a", "/shop/bad", "/shop/old", "/shop/none", "/other", "/healthz"} {
		u.knock("GET", path, "")
	}
	if status, _ := u.post("/v1/serve/admission", `{"share": 0}`); status != 200 {
		t.Fatal(status)
	}
	u.knock("GET", "/shop/refused", "")
	until(t, "all are counted", func() bool { o := u.slo().Objectives[0]; return o.Good == 2 && o.Bad == 3 })
	if o := u.slo().Objectives[0]; o.Ratio == nil || *o.Ratio != 0.4 || len(o.Curve) != curvePoints ||
		len(u.slo().Objectives[1].Alerts) != 4 {
		t.Errorf("%+v", o)
	}
	for _, c := range []struct {
		at, body string
		want     int
	}{
		{"admin", `{"browser": {"good": 99, "bad": 1}}`, 204},
		{"admin", `{"browser": {"good": 1}, "door": {"good": 1}}`, 404},
		{"admin", `{"browser": {"good": -1}}`, 400},
		{"admin", `{"browser": {"fine": 1}}`, 400},
		{"admin", `{}`, 400},
		{"admin", `{"browser": {"good": 1}} x`, 400},
		{"admin", `{"browser": {"good": 1000001}}`, 400},
		{"serve", `{"browser": {"bad": 1}}`, 204},
		{"serve", `{"browser": {"good": 1001}}`, 400},
	} {
		path := "/beacon"
		if c.at == "admin" {
			path = "/v1/slo/beacon"
		}
		resp, err := plain.Post(u.url(c.at, path), "application/json", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != c.want {
			t.Errorf("%s %.40s: %d %s", c.at, c.body, resp.StatusCode, text)
		}
	}
	w, long := httptest.NewRecorder(), strings.Repeat(" ", maxBeacon)+`{"browser": {"good": 1}}`
	if u.beacon(w, httptest.NewRequest("POST", "/", strings.NewReader(long)), 9); w.Code != 400 {
		t.Errorf("too long: %d", w.Code)
	}
	if o := u.slo().Objectives[1]; o.Good != 99 || o.Bad != 2 {
		t.Errorf("%+v", o)
	}
}

// Who looks sees what is agreed for when the budget shrinks, and when an alert may fire.
func TestObjectiveTellsItsPolicy(t *testing.T) {
	u := start(t, policy("http://127.0.0.1:1")+`slo:
  objectives:
    - {name: dep, objective: 99%, dependency: dep, alerts: {min-events: 30},
       policy: [{left: 50%, retries: 50%}, {left: 0%, freeze-drills: true}]}
`)
	s := u.set.Objectives().Snapshot(0)[0]
	s.Taken = 1
	o := objectiveView(&s)
	if want := []StepView{{0.5, false, 0.5, 0, true}, {0, true, 1, 0, false}}; !slices.Equal(o.Policy, want) ||
		o.MinEvents != 30 || o.MinErrors != 2 || o.Back != 0.05 {
		t.Errorf("%+v", o)
	}
}

func (u *under) post(path, body string) (int, string) {
	u.t.Helper()
	resp, err := plain.Post(u.url("admin", path), "application/json", strings.NewReader(body))
	if err != nil {
		u.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text)
}

const childFile = "SEAKEEP_TEST_PROXY_FILE"

// TestChildProxy is the process that TestBudgetsSurviveKill kills.
func TestChildProxy(t *testing.T) {
	path := os.Getenv(childFile)
	if path == "" {
		t.Skip("only as a child")
	}
	u := startAt(t, path, Options{})
	fmt.Println("listening", u.Addr("admin"))
	select {}
}

// A process that is killed loses what it has counted since the last flush, and
// nothing else.
func TestBudgetsSurviveKill(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "seakeep.yaml")
	const flush = time.Second
	text := "version: 1\nservice: shop\nadmin: {listen: 127.0.0.1:0}\n" +
		"dependencies:\n  a: {listen: 127.0.0.1:0, endpoints: [http://127.0.0.1:1]}\n" +
		"slo:\n  store: " + filepath.Join(dir, "budgets.db") + "\n  flush: 1s\n" +
		"  objectives: [{name: browser, objective: 99%, at: beacon}]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	at, kill := child(t, file)
	type sent struct {
		at time.Time
		n  uint64
	}
	var all []sent
	began := time.Now()
	for n := uint64(1); time.Since(began) < 2500*time.Millisecond; n++ {
		resp, err := plain.Post("http://"+at+"/v1/slo/beacon", "application/json", strings.NewReader(`{"browser": {"bad": 1}}`))
		if err != nil || resp.StatusCode != 204 {
			t.Fatal(resp, err)
		}
		_ = resp.Body.Close()
		all = append(all, sent{time.Now(), n})
		time.Sleep(5 * time.Millisecond)
	}
	died := time.Now()
	kill()
	at, kill = child(t, file)
	defer kill()
	got := sloAt(t, at).Objectives[0].Bad
	last := all[len(all)-1].n
	// What was counted a flush before the end is there. The second is for a
	// machine that is busy while it flushes.
	least := uint64(0)
	for _, s := range all {
		if s.at.Before(died.Add(-flush - time.Second)) {
			least = s.n
		}
	}
	if got > last || got < least || least == 0 {
		t.Errorf("%d of %d are there, at least %d should be", got, last, least)
	}
	t.Logf("killed with %d counted, %d came back; %d were counted more than a flush before", last, got, least)
}

// child starts a proxy in a process of its own and returns its admin address.
func child(t *testing.T, file string) (admin string, kill func()) {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestChildProxy$")
	c.Env = append(os.Environ(), childFile+"="+file)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "listening "); ok {
			return rest, kill
		}
	}
	kill()
	t.Fatal("the child does not listen")
	return "", nil
}
