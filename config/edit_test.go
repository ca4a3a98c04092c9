package config

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"
)

const draftScenario = `version: 1
name: two
for: 10s
clients:
  users: {to: shop, rate: 10/s, policy: users.yaml}
services:
  shop: {work: 1ms, calls: [stock], policy: shop.yaml}
  stock: {work: 1ms, calls: [db], policy: sub/stock.yaml}
  db: {work: 1ms}
`

var draftPolicies = map[string]string{
	"dir/shop.yaml":      "version: 1\nservice: shop\ndependencies:\n  stock: {timeout: {request: 1s}}\n",
	"dir/sub/stock.yaml": "version: 1\nservice: stock\ndependencies:\n  db: {timeout: {request: 1s}}\n",
	"dir/users.yaml":     "version: 1\nservice: users\ndependencies:\n  shop: {timeout: {request: 1s}}\n",
}

func draft() Draft {
	return Draft{Name: "dir/two.yaml", Data: []byte(draftScenario),
		Open: func(path string) ([]byte, error) {
			if text, ok := draftPolicies[path]; ok {
				return []byte(text), nil
			}
			return nil, fs.ErrNotExist
		}}
}

// limits are the request timeouts in effect, of users, shop and stock.
func requestLimits(t *testing.T, d Draft) (out [3]time.Duration) {
	t.Helper()
	s, err := d.Parse()
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range []*File{s.Clients[0].Member.File, s.Service("shop").Policy,
		s.Service("stock").Policy} {
		out[i] = f.Dependencies[0].Call.Timeout.Request
	}
	return out
}

func TestDraftSet(t *testing.T) {
	const s = time.Second
	for _, tc := range []struct {
		key  string
		want [3]time.Duration
	}{
		{"dependencies.stock.timeout.request", [3]time.Duration{s, 2 * s, s}},
		{"dependencies.db.timeout.request", [3]time.Duration{s, s, 2 * s}},
		{"dependencies.shop.timeout.request", [3]time.Duration{2 * s, s, s}},
		{"stock:dependencies.db.timeout.request", [3]time.Duration{s, s, 2 * s}},
		{"users:dependencies.shop.timeout.request", [3]time.Duration{2 * s, s, s}},
	} {
		before := draft()
		after, err := before.Set(tc.key, "2s")
		if err != nil {
			t.Errorf("%s: %v", tc.key, err)
			continue
		}
		if got := requestLimits(t, after); got != tc.want {
			t.Errorf("%s: limits are %v, want %v", tc.key, got, tc.want)
		}
		if got := requestLimits(t, before); got != [3]time.Duration{s, s, s} {
			t.Errorf("%s changed the draft it began with: %v", tc.key, got)
		}
	}
	d, err := draft().Set("services.db.work", "5ms")
	if err == nil {
		d, err = d.Set("dependencies.db.timeout.request", "3s")
	}
	if err == nil {
		d, err = d.Set("db2:x", "1")
	}
	if err == nil || !strings.Contains(err.Error(), `no service or client "db2" with a policy`) {
		t.Errorf("a service that is not there: %v", err)
	}
	if d, err = d.Set("dependencies.db.timeout.total", "4s"); err != nil {
		t.Fatal(err)
	}
	p, err := d.Parse()
	if err != nil {
		t.Fatal(err)
	}
	limit := p.Service("stock").Policy.Dependencies[0].Call.Timeout
	if p.Service("db").Routes[0].Work.Floor != 5*time.Millisecond || limit.Request != 3*s ||
		limit.Total != 4*s {
		t.Errorf("three changes one after another: %+v", limit)
	}
}

func TestDraftRefuses(t *testing.T) {
	for _, tc := range []struct{ key, value, want string }{
		{"dependencies.stocks.timeout.request", "2s", "dependencies.stocks is not there; did you mean stock?"},
		{"services.dbb.work", "2s", "services.dbb is not there"},
		{"dependencies", "", ""}, // removed from the scenario, which has none
	} {
		_, err := draft().Set(tc.key, tc.value)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s=%s: %v, want %q", tc.key, tc.value, err, tc.want)
		}
	}
	bare := Draft{Name: "x.yaml", Data: []byte("for: 5s\nservices: {a: {work: 1ms}}\n")}
	if _, err := bare.Set("dependencies.a.timeout", "{}"); err == nil ||
		!strings.Contains(err.Error(), "no service of the scenario names a policy file") {
		t.Errorf("without a policy: %v", err)
	}
	bare.Data = []byte("services: {a: {policy: p.yaml}}\n")
	if _, err := bare.Set("dependencies.a.timeout", "{}"); err == nil ||
		!strings.Contains(err.Error(), "there are no files beside the scenario") {
		t.Errorf("without files: %v", err)
	}
	// The mistakes of a changed file are the file's own.
	d, err := draft().Set("dependencies.stock.timeout.request", "never")
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Parse()
	var all Errors
	if !errors.As(err, &all) || all[0].Path != "dependencies.stock.timeout.request" ||
		all[0].File != "dir/shop.yaml" {
		t.Errorf("%v", err)
	}
}

func TestOpenDraft(t *testing.T) {
	d, err := OpenDraft("../examples/checkout/seakeep.yaml")
	if err != nil || len(d.Data) == 0 || d.Open == nil {
		t.Errorf("%v", err)
	}
	if _, err := OpenDraft("testdata/gone.yaml"); err == nil {
		t.Error("a file that is not there was read")
	}
}
