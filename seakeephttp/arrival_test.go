package seakeephttp

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
)

func TestClassIsNeverRaisedByAStranger(t *testing.T) {
	for _, c := range []struct {
		serve, from string
		claimed     []string
		want        core.Criticality
	}{
		{"{}", "192.0.2.1:1", []string{"critical_plus"}, core.Critical},
		{"{}", "192.0.2.1:1", []string{"sheddable"}, core.Sheddable},
		{"{}", "192.0.2.1:1", []string{"nonsense"}, core.Critical},
		{"{}", "192.0.2.1:1", []string{"sheddable", "critical"}, core.Critical},
		{"{criticality: {trust: [192.0.2.0/24]}}", "192.0.2.1:1", []string{"critical_plus"}, core.CriticalPlus},
		{"{criticality: {trust: [192.0.2.0/24]}}", "[::ffff:192.0.2.1]:1", []string{"CRITICAL_PLUS"}, core.CriticalPlus},
		{"{criticality: {trust: [192.0.2.0/24]}}", "nonsense", []string{"critical_plus"}, core.Critical},
		{"{criticality: {default: sheddable}}", "192.0.2.1:1", []string{"critical"}, core.Sheddable},
		{"{criticality: {default: sheddable}}", "192.0.2.1:1", nil, core.Sheddable},
	} {
		var got core.Criticality
		h, _ := guarded(t, c.serve, func(_ http.ResponseWriter, r *http.Request) {
			got = seakeep.CriticalityOf(r.Context())
		})
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.from
		r.Header["X-Seakeep-Criticality"] = c.claimed
		h.ServeHTTP(httptest.NewRecorder(), r)
		if got != c.want {
			t.Errorf("%s from %s claims %v: it is %v, want %v", c.serve, c.from, c.claimed, got, c.want)
		}
	}
}

func TestDeadlineAtTheDoor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			header, value string
			want          time.Duration
			status        int
		}{
			{"", "", time.Second, 200},
			{"X-Seakeep-Deadline", "300", 295 * time.Millisecond, 200},
			{"X-Seakeep-Deadline", "5000", time.Second, 200}, // never extended
			{"Grpc-Timeout", "250m", 245 * time.Millisecond, 200},
			{"X-Envoy-Expected-Rq-Timeout-Ms", "100", 95 * time.Millisecond, 200},
			{"X-Seakeep-Deadline", "19", 0, 504},
			{"X-Seakeep-Deadline", "soon", time.Second, 200},
		} {
			var left time.Duration
			h, _ := guarded(t, "{deadline: {default: 1s, needs: 20ms}}",
				func(_ http.ResponseWriter, r *http.Request) {
					at, _ := r.Context().Deadline()
					left = time.Until(at)
				})
			w := ask(h, "/", c.header, c.value)
			if w.Code != c.status || left != c.want {
				t.Errorf("%s %q: %d with %v, want %d with %v", c.header, c.value, w.Code, left,
					c.status, c.want)
			}
		}
	})
}

func FuzzArrival(f *testing.F) {
	f.Add("critical_plus", "100", "3", "u", "t", "1")
	f.Add("", "-1", "x", "", "", "")
	file, err := config.Parse("f", []byte("version: 1\nservice: s\nserve: {user: X-User, "+
		"concurrency: {}, queue: {length: 1}, tenants: {header: X-Tenant, limit: 1}}\n"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, class, deadline, attempt, user, tenant, grpc string) {
		r := httptest.NewRequest("GET", "/", nil)
		for name, value := range map[string]string{"X-Seakeep-Criticality": class,
			"X-Seakeep-Deadline": deadline, "X-Seakeep-Attempt": attempt, "X-User": user,
			"X-Tenant": tenant, "Grpc-Timeout": deadline, "Grpc-Previous-Rpc-Attempts": grpc} {
			r.Header[name] = []string{value}
		}
		a := arrival(file.Serve, r)
		if a.Class > core.Critical || a.Class < core.Sheddable || a.Cohort > 127 {
			t.Errorf("a stranger is let in as %+v", a)
		}
	})
}
