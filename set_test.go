package seakeep

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
)

const policyFile = `
version: 1
service: checkout
dependencies:
  pricing:
    timeout: {request: 100ms}
    retry: {attempts: 2, backoff: {base: 10ms, jitter: none}, idempotent: always}
    breaker: {window: {consecutive: 2}, open: {for: 60s, jitter: 0%}}
    bulkhead: {limit: 4}
    operations:
      - {name: search, match: {method: GET, path: /search/*}, timeout: {request: 20ms}}
      - {name: pay, match: {method: POST}, breaker: {window: {consecutive: 1}, open: {for: 60s}}}
  reviews:
    kind: optional
    fallback:
      - static: {body: '["none"]'}
`

// write puts a policy file on disk and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "seakeep.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, path string) *Set {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fail(p *Policy) error {
	_, err := Do(context.Background(), p, func(context.Context) (int, error) {
		return 0, Ignore(nil)
	})
	if err != nil {
		return err
	}
	_, err = Do(context.Background(), p, func(context.Context) (int, error) { return 0, errBoom })
	return err
}

func TestOpenAndCall(t *testing.T) {
	s := open(t, write(t, policyFile))
	v, err := Do(context.Background(), s.MustPolicy("reviews"),
		func(context.Context) ([]string, error) { return nil, errBoom })
	if err != nil || len(v) != 1 || v[0] != "none" {
		t.Errorf("got %v, %v", v, err)
	}
	if _, err := s.Policy("prcing"); err == nil || !strings.Contains(err.Error(), "prcing") {
		t.Errorf("an unknown name: %v", err)
	}
	if got := len(s.Snapshots()); got != 4 {
		t.Errorf("%d snapshots, want two dependencies and two operations", got)
	}
}

func TestMatchChoosesTheOperation(t *testing.T) {
	s := open(t, write(t, policyFile))
	none := func(string) string { return "" }
	for _, c := range []struct{ method, path, want string }{
		{"GET", "/search/x", "pricing/search"},
		{"GET", "/other", "pricing"},
		{"POST", "/search/x", "pricing/pay"},
	} {
		got, ok := s.Match("pricing", HTTPRequest{Method: c.method, Path: c.path, Header: none})
		if !ok || got.Policy.Name() != c.want {
			t.Errorf("%s %s is under %v", c.method, c.path, got.Policy.Name())
		}
	}
	if _, ok := s.Match("nobody", HTTPRequest{Header: none}); ok {
		t.Error("a dependency that does not exist matched")
	}
}

// An operation without a breaker of its own shares the dependency's; one with
// its own fails alone.
func TestOperationsShareOrOwn(t *testing.T) {
	s := open(t, write(t, policyFile))
	pricing, search, pay := s.MustPolicy("pricing"), s.MustPolicy("pricing/search"),
		s.MustPolicy("pricing/pay")
	_ = fail(pay)
	state := func(p *Policy) breaker.State { return p.Snapshot().Breaker.State }
	if state(pay) != breaker.Open || state(pricing) != breaker.Closed {
		t.Errorf("pay %v, pricing %v", state(pay), state(pricing))
	}
	_ = fail(search)
	if state(search) != breaker.Open || state(pricing) != breaker.Open {
		t.Errorf("search %v, pricing %v: they share one breaker", state(search), state(pricing))
	}
}

// F172, F033: a reload keeps what did not change, and the open time goes on.
func TestF172ReloadKeepsState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := write(t, policyFile)
		s := open(t, path)
		p := s.MustPolicy("pricing")
		_ = fail(p)
		for _, wait := range []time.Duration{20, 20, 19} {
			time.Sleep(wait * time.Second)
			if err := os.WriteFile(path, []byte("# a comment\n"+policyFile), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := s.Reload(); err != nil {
				t.Fatal(err)
			}
			if got := p.Snapshot().Breaker.State; got != breaker.Open {
				t.Fatalf("after a reload the breaker is %v", got)
			}
		}
		time.Sleep(time.Second)
		if _, err := Do(context.Background(), p, func(context.Context) (int, error) {
			return 0, nil
		}); err != nil {
			t.Errorf("60 s after it opened: %v", err)
		}
	})
}

func TestReloadAppliesWhatChanged(t *testing.T) {
	path := write(t, policyFile)
	s := open(t, path)
	p, search := s.MustPolicy("pricing"), s.MustPolicy("pricing/search")
	_ = fail(p)
	text := strings.Replace(policyFile, "limit: 4", "limit: 9", 1)
	text = strings.Replace(text, "window: {consecutive: 2}", "window: {consecutive: 3}", 1)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(); err != nil {
		t.Fatal(err)
	}
	for _, q := range []*Policy{p, search} {
		got := q.Snapshot()
		if got.Bulkhead.Limit != 9 || got.Breaker.State != breaker.Closed {
			t.Errorf("%s: limit %d, breaker %v", q.Name(), got.Bulkhead.Limit, got.Breaker.State)
		}
	}
	if p.Plan().Breaker(Now(), "") != search.Plan().Breaker(Now(), "") {
		t.Error("after the reload the operation has a breaker of its own")
	}
}

// A file that is wrong changes nothing, not even the parts of it that are right.
func TestRefusedReloadChangesNothing(t *testing.T) {
	path := write(t, policyFile)
	s := open(t, path)
	before := s.File()
	text := strings.Replace(policyFile, "limit: 4", "limit: 0", 1)
	text = strings.Replace(text, "request: 100ms", "request: 200ms", 1)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	err := s.Reload()
	if err == nil || !strings.Contains(err.Error(), "limit") {
		t.Fatalf("err = %v", err)
	}
	if s.File() != before || s.MustPolicy("pricing").Plan().Config().Bulkhead.Limit != 4 ||
		s.MustPolicy("pricing").Plan().Config().Timeout.Request != 100*time.Millisecond {
		t.Error("a refused file changed something")
	}
}

func TestReloadUnderLoad(t *testing.T) {
	path := write(t, policyFile)
	s := open(t, path)
	p := s.MustPolicy("pricing")
	stop := make(chan struct{})
	done := make(chan error, 2)
	for range 2 {
		go func() {
			for {
				select {
				case <-stop:
					done <- nil
					return
				default:
				}
				_, err := Do(context.Background(), p, func(context.Context) (int, error) {
					return 1, nil
				})
				if err != nil && !errors.Is(err, ErrRejected) {
					done <- err
					return
				}
			}
		}()
	}
	for i := range 200 {
		limit := []string{"limit: 4", "limit: 1", "limit: 60"}[i%3]
		if err := os.WriteFile(path, []byte(strings.Replace(policyFile, "limit: 4", limit, 1)),
			0o644); err != nil {
			t.Fatal(err)
		}
		if err := s.Reload(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := p.Snapshot().Bulkhead.InUse; n != 0 {
		t.Errorf("in use %d", n)
	}
}

func TestOptionsReachEveryPolicy(t *testing.T) {
	seen := &recorder{}
	s, err := OpenWith(write(t, policyFile), Options{Observer: seen,
		Classify: func(err error) core.Result {
			if errors.Is(err, errBoom) {
				return core.Result{Outcome: core.Ignored, Cause: core.ClientError}
			}
			return core.Result{}
		}})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if err := fail(s.MustPolicy("pricing/pay")); err != errBoom {
			t.Errorf("err = %v", err)
		}
	}
	if n := seen.count(func(e core.Event) bool { return e.Policy == "pricing/pay" }); n == 0 {
		t.Error("the observer saw nothing")
	}
}
