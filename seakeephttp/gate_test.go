package seakeephttp

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
)

// The next hop trusts us, and reads the same fields.
func TestForgedFieldsAreNotPassedOn(t *testing.T) {
	h, _ := guarded(t, "{criticality: {header: X-Prio}, deadline: {needs: 20ms, mode: observe}, health: [/healthz]}",
		func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "%s|%s|%s|%s", r.Header["X-Prio"], r.Header.Get(DegradedHeader),
				r.Header.Get("X-Seakeep-Deadline"), seakeep.CriticalityOf(r.Context()))
		})
	for _, c := range []struct {
		path    string
		headers []string
		want    string
	}{
		{"/", []string{"X-Prio", "critical_plus", DegradedHeader, "all"}, "[critical]|||critical"},
		{"/", []string{"X-Prio", "nonsense"}, "[critical]|||critical"},
		{"/", []string{"X-Prio", "sheddable"}, "[sheddable]|||sheddable"},
		{"/", nil, "[]|||critical"},
		{"/", []string{"X-Seakeep-Deadline", "0"}, "[]|||critical"}, // it only watches
		{"/", []string{"X-Seakeep-Deadline", "700"}, "[]||700|critical"},
		{"/healthz", []string{DegradedHeader, "all"}, "[]|||critical"},
	} {
		if got := ask(h, c.path, c.headers...); got.Code != 200 || got.Body.String() != c.want {
			t.Errorf("%s %v: %d %q, want %q", c.path, c.headers, got.Code, got.Body, c.want)
		}
	}
}

// Odd deadlines: what is malformed is as good as absent.
func TestOddDeadlines(t *testing.T) {
	h, _ := guarded(t, "{deadline: {default: 1h}}", func(w http.ResponseWriter, r *http.Request) {
		end, _ := r.Context().Deadline()
		fmt.Fprint(w, time.Until(end).Round(time.Minute))
	})
	for _, c := range []struct{ name, value, want string }{
		{"X-Seakeep-Deadline", "0", ""}, {"X-Seakeep-Deadline", "-1", ""},
		{"X-Seakeep-Deadline", "99999999999999999999", "1h0m0s"},
		{"X-Seakeep-Deadline", "soon", "1h0m0s"}, {"X-Seakeep-Deadline", "", "1h0m0s"},
		{"X-Seakeep-Deadline", "600000", "10m0s"}, {"X-Envoy-Expected-Rq-Timeout-Ms", "0", "1h0m0s"},
		{"Grpc-Timeout", "99999999H", "1h0m0s"}, {"Grpc-Timeout", "10M", "10m0s"},
		{"Grpc-Timeout", "0n", ""}, {"Grpc-Timeout", "x", "1h0m0s"},
	} {
		w := ask(h, "/", c.name, c.value)
		if c.want == "" && w.Code != 504 || c.want != "" && w.Body.String() != c.want {
			t.Errorf("%s %q: %d %s, want %q", c.name, c.value, w.Code, w.Body, c.want)
		}
	}
}

func TestWhoGetsAnAnswerOfGRPC(t *testing.T) {
	h, set := guarded(t, "{}", func(http.ResponseWriter, *http.Request) {})
	_ = set.Door().Admit(0, 0)
	for kind, want := range map[string]int{"application/grpc": 200, "application/grpc+proto": 200,
		"application/grpc;x=y": 200, "application/grpc-web": 503, "application/grpc-web-text": 503,
		"application/grpcfoo": 503, "": 503, "text/plain": 503} {
		if w := ask(h, "/", "Content-Type", kind); w.Code != want {
			t.Errorf("%q gets %d, want %d", kind, w.Code, want)
		}
	}
}

// A shared refusal follows the file and the advice.
func TestSharedRefusalsFollowAReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		h, set := guarded(t, "{concurrency: {algorithm: fixed, limit: 9}, tenants: {header: X-Tenant, limit: 1}}",
			func(http.ResponseWriter, *http.Request) { <-hold })
		var all sync.WaitGroup
		for _, n := range []string{"1", "3"} {
			file, err := config.Parse("f", []byte("version: 1\nservice: shop"+n+"\nserve: {concurrency: "+
				"{algorithm: fixed, limit: 9}, tenants: {header: X-Tenant, limit: "+n+"}}\n"))
			if err != nil {
				t.Fatal(err)
			}
			if err := set.Apply(file); err != nil {
				t.Fatal(err)
			}
			for range 9 {
				all.Go(func() { ask(h, "/", "X-Tenant", "a") })
			}
			synctest.Wait()
			w := ask(h, "/", "X-Tenant", "a")
			if got := w.Header().Get("RateLimit-Policy"); w.Code != 429 ||
				!strings.HasPrefix(got, `"tenant";q=`+n+`;`) || !strings.Contains(w.Body.String(), `"shop`+n+`"`) {
				t.Errorf("%d %q %s", w.Code, got, w.Body)
			}
		}
		close(hold)
		all.Wait()
		if n := set.Door().Snapshot(); n.Slots.InUse != 0 {
			t.Errorf("%d slots are in use", n.Slots.InUse)
		}
	})
}

// What our part of a refusal may cost. It is what must stay cheap when there is
// too much to do.
func TestARefusalIsCheap(t *testing.T) {
	g := gateOf(t, benchServe, 0)
	r := httptest.NewRequest("GET", "/x", nil)
	r.Header.Set("X-User", "someone")
	w := &nowhere{http.Header{}}
	n := testing.AllocsPerRun(1000, func() {
		_, refused := g.Enter(r)
		refused.Write(w, r)
	})
	if n > 4 {
		t.Errorf("a refusal allocates %v times", n)
	}
	if got := w.h["Retry-After"]; len(got) != 1 || cap(got) != 1 {
		t.Errorf("Retry-After is %q", got)
	}
}

// brittle is an observer that panics at one kind of event.
type brittle core.EventKind

func (b brittle) Observe(e core.Event) {
	if e.Kind == core.EventKind(b) {
		panic("the observer")
	}
}

func TestAPanickingObserverCostsNoSlot(t *testing.T) {
	file, err := config.Parse("f", []byte("version: 1\nservice: s\nserve: {concurrency: {algorithm: fixed, "+
		"limit: 1}, queue: {length: 1, wait: 10ms}, tenants: {header: X-Tenant, limit: 1}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []core.EventKind{core.RequestAdmitted, core.RequestQueued, core.RequestRefused, core.RequestEnded} {
		synctest.Test(t, func(t *testing.T) {
			set, err := seakeep.NewSet(file, seakeep.Options{Observer: brittle(k)})
			if err != nil {
				t.Fatal(err)
			}
			h, _ := Handler(set, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(20 * time.Millisecond) }))
			var all sync.WaitGroup
			for range 9 {
				all.Go(func() {
					defer func() { _ = recover() }()
					ask(h, "/", "X-Tenant", "a")
				})
			}
			all.Wait()
			n := set.Door().Snapshot()
			if n.Slots.InUse != 0 || n.Slots.Queued != 0 || n.Tenants.Top[0].Here != 0 {
				t.Errorf("%v: %+v %+v", k, n.Slots, n.Tenants.Top)
			}
		})
	}
}
