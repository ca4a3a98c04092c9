package proxy

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/seakeephttp"
)

// view reads what the admin address says of the dependency.
func (u *under) view() (v dependencyView) {
	u.t.Helper()
	_, text := u.admin("GET", "/v1/dependencies/dep", "")
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		u.t.Fatal(err)
	}
	return v
}

// At a fifth of failed requests they go to the second provider, writes do not,
// and the admin address says where they go.
func TestFailover(t *testing.T) {
	first := web(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	second := web(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	u := start(t, policy(first, "failover: {to: other, calls: 5}")+
		fmt.Sprintf("  other: {endpoints: [%s]}\n", second))
	if v := u.view().Failover; v == nil || v.State != "first" || v.Share != 1 || v.To != "other" || v.WaitMS != nil {
		t.Errorf("the view is %+v", v)
	}
	ask := func(method, body string) (*http.Response, string) {
		req, err := http.NewRequest(method, u.url("dep", "/x"), strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		return u.send(req)
	}
	for range 5 {
		if resp, _ := ask("GET", ""); resp.StatusCode != 500 {
			t.Fatalf("answered %d", resp.StatusCode)
		}
	}
	if resp, body := ask("PUT", "hello"); resp.StatusCode != 200 || body != "hello" ||
		resp.Header.Get(seakeephttp.FailoverHeader) != "other" {
		t.Errorf("answered %d %q %v", resp.StatusCode, body, resp.Header)
	}
	if resp, _ := ask("POST", "pay"); resp.StatusCode != 500 || resp.Header.Get(seakeephttp.FailoverHeader) != "" {
		t.Errorf("a write went elsewhere: %d", resp.StatusCode)
	}
	v := u.view().Failover
	if v.State != "second" || v.Share != 0 || v.ToFirst != 6 || v.ToSecond != 1 || v.WaitMS == nil || *v.WaitMS <= 0 {
		t.Errorf("the view is %+v", v)
	}
}

// A tenant's requests go to its own endpoints, whichever connection they come by.
func TestShards(t *testing.T) {
	var list []string
	for i := range 5 {
		list = append(list, web(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, i) }))
	}
	u := start(t, policy(strings.Join(list, ", "), "shards: {size: 2, key: X-Tenant}"))
	if v := u.view().Shards; v == nil || *v != (shardsView{2, "X-Tenant", false, 10}) {
		t.Errorf("the view is %+v", v)
	}
	all := map[string]bool{}
	for n := range 10 {
		of := map[string]bool{}
		for range 12 {
			req, err := http.NewRequest(http.MethodGet, u.url("dep", "/"), nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("X-Tenant", fmt.Sprint("tenant-", n))
			_, body := u.send(req)
			of[body], all[body] = true, true
		}
		var told shardView
		_, text := u.admin("GET", fmt.Sprintf("/v1/dependencies/dep/shard?key=tenant-%d", n), "")
		if err := json.Unmarshal([]byte(text), &told); err != nil || len(told.Endpoints) != 2 {
			t.Fatal(err, text)
		}
		for i, e := range list {
			if of[fmt.Sprint(i)] && !slices.Contains(told.Endpoints, e) {
				t.Errorf("tenant %d was at %v and has %v", n, of, told.Endpoints)
			}
		}
	}
	if status, _ := u.admin("GET", "/v1/dependencies/nonesuch/shard", ""); status != 404 {
		t.Errorf("of a dependency that is not there: %d", status)
	}
	if len(all) < 4 {
		t.Errorf("ten tenants were at %v only", all)
	}
}
