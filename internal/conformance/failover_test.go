package conformance

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/seakeephttp"
	"github.com/seakeep/seakeep/sim"
)

const twoProviders = `version: 1
service: caller
dependencies:
  one:
    endpoints: [http://one]
    failover: {to: two, calls: 10, share: 30%, window: 20s, back: {after: 10s, begin: 60%, step: 5s, calls: 3}}
  two: {endpoints: [http://two]}
`

// outage is a call a second, of which the first provider fails some.
const (
	calls = 150
	works = 10 * time.Millisecond
)

func fails(n int) bool { return n >= 20 && n < 60 }

// moves notes where calls go, and when.
type moves struct {
	start core.Instant
	list  []string
}

func (m *moves) Observe(e core.Event) {
	if e.Kind == core.FailoverChanged {
		m.list = append(m.list, fmt.Sprintf("%v %s %s", time.Duration(e.At-m.start), e.To, e.Reason))
	}
}

func (m *moves) asked(who string) {
	if n := len(m.list); n > 0 && strings.HasPrefix(m.list[n-1], who+" x") {
		m.list[n-1] += "x"
		return
	}
	m.list = append(m.list, who+" x")
}

func policyOf(t *testing.T) *config.File {
	t.Helper()
	f, err := config.Parse("f", []byte(twoProviders))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The library, the RoundTripper and the simulator move the same calls at the
// same instants.
func TestFailover(t *testing.T) {
	want := simulatedMoves(t)
	if len(want) < 10 || !slices.ContainsFunc(want, func(s string) bool {
		return strings.HasSuffix(s, "first trials-passed")
	}) {
		t.Fatalf("the simulator's calls go %q", want)
	}
	for name, run := range map[string]func(*testing.T) []string{"library": libraryMoves, "http": httpMoves} {
		synctest.Test(t, func(t *testing.T) {
			if got := run(t); !slices.Equal(got, want) {
				t.Errorf("%s:\n%q\nthe simulator:\n%q", name, got, want)
			}
		})
	}
}

func simulatedMoves(t *testing.T) []string {
	m := &moves{}
	sc := &config.Scenario{For: (calls + 1) * time.Second, Clients: []*config.Client{{Name: "client", To: "caller"}},
		Services: []*config.Service{
			{Name: "caller", Policy: policyOf(t), Instances: 1, Routes: []*config.Route{{Name: "default",
				Calls: []config.Step{{Dependency: "one", To: "one"}}}}},
			{Name: "one", Instances: 1, Routes: []*config.Route{{Name: "default"}}},
			{Name: "two", Instances: 1, Routes: []*config.Route{{Name: "default"}}}}}
	for n := range time.Duration(calls) {
		sc.Clients[0].Times = append(sc.Clients[0].Times, n*time.Second)
	}
	_, err := sim.Run(sc, sim.Options{Draw: Half, Trace: m.Observe,
		Answer: func(service string, request uint64, _ int) (time.Duration, core.Result, bool) {
			if service == "caller" {
				return 0, core.Result{}, false
			}
			m.asked(service)
			if service == "one" && fails(int(request)-1) {
				return works, core.Result{Outcome: core.Failure, Cause: core.ServerError}, true
			}
			return works, core.Result{Outcome: core.Success}, true
		}})
	if err != nil {
		t.Fatal(err)
	}
	return m.list
}

// each makes the calls, one a second.
func each(m *moves, call func(n int)) []string {
	m.start = seakeep.Now()
	begun := time.Now()
	for n := range calls {
		time.Sleep(time.Until(begun.Add(time.Duration(n) * time.Second)))
		call(n)
	}
	return m.list
}

func libraryMoves(t *testing.T) []string {
	m := &moves{}
	set, err := seakeep.NewSet(policyOf(t), seakeep.Options{Observer: m, Draw: Half})
	if err != nil {
		t.Fatal(err)
	}
	ctx := seakeep.With(context.Background(), seakeep.Call{Idempotent: true})
	return each(m, func(n int) {
		_, _ = seakeep.DoFailover(ctx, set, "one", func(_ context.Context, who string) (int, error) {
			m.asked(who)
			time.Sleep(works)
			if who == "one" && fails(n) {
				return 0, errors.New("down")
			}
			return 0, nil
		})
	})
}

// answers is a base that knows both providers.
type answers func(who string) int

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	status := a(r.URL.Host)
	return &http.Response{StatusCode: status, Body: http.NoBody, Request: r, Proto: "HTTP/1.1",
		ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}}, nil
}

func httpMoves(t *testing.T) []string {
	m := &moves{}
	set, err := seakeep.NewSet(policyOf(t), seakeep.Options{Observer: m, Draw: Half})
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	tr, err := seakeephttp.NewTransport(set, "one", answers(func(who string) int {
		m.asked(who)
		time.Sleep(works)
		if who == "one" && fails(at) {
			return 500
		}
		return 200
	}))
	if err != nil {
		t.Fatal(err)
	}
	return each(m, func(n int) {
		at = n
		req, err := http.NewRequest(http.MethodGet, "http://any/", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	})
}
