package proxy

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

func (u *under) order(path, body string) (int, string) {
	u.t.Helper()
	resp, err := plain.Post(u.url("admin", path), "application/json", strings.NewReader(body))
	if err != nil {
		u.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text)
}

func TestOperatorReducesAdmission(t *testing.T) {
	up := program(t, func(http.ResponseWriter, *http.Request) {})
	u := start(t, door(up, "concurrency: {}"))
	status, body := u.order("/v1/serve/admission", `{"share": 0}`)
	var v serveView
	if err := json.Unmarshal([]byte(body), &v); status != 200 || err != nil || v.Shed.Reduced != 0 {
		t.Errorf("%d %s", status, body)
	}
	if resp, body := u.knock("GET", "/", ""); resp.StatusCode != 503 ||
		resp.Header.Get("X-Seakeep-No-Retry") != "1" || !strings.Contains(body, "admission-reduced") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	for _, bad := range []string{``, `{}`, `{"share": 2}`, `{"share": -1}`, `{"share": 0.5, "ramp": "soon"}`,
		`{"share": 0.5, "ramp": "-1s"}`, `{"share": 0.5}{}`, `{"share": "40%"}`, `{"shar": 0.5}`,
		`{"share": 0.5, "ramp": "10000h"}`} {
		if status, _ := u.order("/v1/serve/admission", bad); status != 400 {
			t.Errorf("%s gets %d", bad, status)
		}
	}
	if status, _ := u.order("/v1/serve/admission", `{"share": 1}`); status != 200 {
		t.Errorf("to end it gets %d", status)
	}
	if resp, _ := u.knock("GET", "/", ""); resp.StatusCode != 200 {
		t.Errorf("afterwards %d", resp.StatusCode)
	}
}

func TestOperatorDegrades(t *testing.T) {
	up := program(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Header.Get("X-Seakeep-Degraded"))
	})
	u := start(t, door(up, "degrade: [prefetch, batch]"))
	for _, c := range []struct {
		order  string
		status int
		want   string
	}{
		{`{"level": 1}`, 200, "prefetch"}, {`{"level": 2}`, 200, "prefetch, batch"},
		{`{"level": 3}`, 400, "prefetch, batch"}, {`{"level": 1, "auto": true}`, 400, "prefetch, batch"},
		{`{}`, 400, "prefetch, batch"}, {`{"level": 0}`, 200, ""},
	} {
		if status, body := u.order("/v1/serve/degrade", c.order); status != c.status {
			t.Errorf("%s: %d %s", c.order, status, body)
		}
		if _, got := u.knock("GET", "/", ""); got != c.want {
			t.Errorf("after %s the program hears %q, want %q", c.order, got, c.want)
		}
	}
}

func TestDegradeWithoutAList(t *testing.T) {
	up := program(t, func(http.ResponseWriter, *http.Request) {})
	u := start(t, door(up, "concurrency: {}"))
	for _, order := range []string{`{"auto": true}`, `{"level": 0}`, `{"level": 1}`} {
		if status, body := u.order("/v1/serve/degrade", order); status != 400 || !strings.Contains(body, "add degrade") {
			t.Errorf("%s: %d %s", order, status, body)
		}
	}
	if u.log.has("degradation") {
		t.Error("what was refused is in the log as done")
	}
}

func TestOrdersWithoutADoor(t *testing.T) {
	up := program(t, func(http.ResponseWriter, *http.Request) {})
	u := start(t, policy(up))
	if status, _ := u.order("/v1/serve/admission", `{"share": 0.5}`); status != 404 {
		t.Errorf("gets %d", status)
	}
}
