package seakeephttp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
)

// guarded is a handler behind the door of a policy file.
func guarded(t *testing.T, serve string, next http.HandlerFunc) (http.Handler, *seakeep.Set) {
	t.Helper()
	file, err := config.Parse("f", []byte("version: 1\nservice: shop\nserve: "+serve+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	set, err := seakeep.NewSet(file, seakeep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := Handler(set, next)
	if err != nil {
		t.Fatal(err)
	}
	return h, set
}

// ask sends one request with headers given as name, value.
func ask(h http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestF127HealthChecksAreNeverShed(t *testing.T) {
	h, set := guarded(t, "{concurrency: {algorithm: fixed, limit: 1}}",
		func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
	if err := set.Door().Admit(0, 0); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if w := ask(h, "/healthz"); w.Code != 200 {
			t.Fatalf("/healthz is %d", w.Code)
		}
	}
	if n := set.Door().Snapshot().Classes[core.Critical.Index()].Offered; n != 0 {
		t.Errorf("the checks are counted as %d requests", n)
	}
	if w := ask(h, "/x"); w.Code != 503 {
		t.Errorf("/x is %d", w.Code)
	}
}

func TestF128AnswersOfRefusals(t *testing.T) {
	h, set := guarded(t, "{concurrency: {algorithm: fixed, limit: 1}}",
		func(http.ResponseWriter, *http.Request) {})
	_ = set.Door().Admit(0, 0)
	seen := map[string]bool{}
	for range 1000 {
		w := ask(h, "/x")
		after := w.Header().Get("Retry-After")
		if n, err := strconv.Atoi(after); err != nil || n < 1 {
			t.Fatalf("Retry-After is %q", after)
		}
		seen[after] = true
		if w.Code != 503 || w.Header().Get("X-Seakeep-No-Retry") != "1" ||
			!strings.HasPrefix(w.Header().Get("Proxy-Status"), "seakeep; error=http_request_denied") {
			t.Fatalf("%d %v", w.Code, w.Header())
		}
	}
	if len(seen) < 5 {
		t.Errorf("all come back at %v", seen)
	}
	var doc struct{ Type, Reason, Policy string }
	if err := json.Unmarshal(ask(h, "/x").Body.Bytes(), &doc); err != nil || doc.Policy != "shop" ||
		doc.Reason != "admission-reduced" || !strings.HasSuffix(doc.Type, "#temporary-reduced-capacity") {
		t.Errorf("the document is %+v, %v", doc, err)
	}
	w := ask(h, "/x", "Content-Type", "application/grpc")
	if w.Code != 200 || w.Header().Get("Grpc-Status") != "14" ||
		w.Header().Get("Grpc-Retry-Pushback-Ms") != "-1" {
		t.Errorf("gRPC gets %d %v", w.Code, w.Header())
	}
}

func TestTenantsAreToldTheirLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		h, _ := guarded(t, "{concurrency: {algorithm: fixed, limit: 9}, queue: {length: 4}, "+
			"tenants: {header: X-Tenant, limit: 1, queue: 1}}",
			func(http.ResponseWriter, *http.Request) { <-hold })
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() { ask(h, "/x", "X-Tenant", "a") })
		}
		synctest.Wait()
		w := ask(h, "/x", "X-Tenant", "a")
		if w.Code != 429 || w.Header().Get("RateLimit") != `"tenant";r=0;t=1` ||
			w.Header().Get("RateLimit-Policy") != `"tenant";q=1;qu="concurrent-requests"` {
			t.Errorf("%d %v", w.Code, w.Header())
		}
		close(hold)
		if w := ask(h, "/x", "X-Tenant", "b"); w.Code != 200 {
			t.Errorf("another tenant gets %d", w.Code)
		}
		all.Wait()
	})
}

func TestWhoseTimeIsUpGets504(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, set := guarded(t, "{deadline: {default: 1s}, concurrency: {}}",
			func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		began := time.Now()
		if w := ask(h, "/"); w.Code != 504 || time.Since(began) != time.Second {
			t.Errorf("%d after %v", w.Code, time.Since(began))
		}
		if n := set.Door().Snapshot(); n.Slots.InUse != 0 || n.Classes[2].Useful != 0 {
			t.Errorf("afterwards %d slots are in use, %d were useful", n.Slots.InUse, n.Classes[2].Useful)
		}
	})
}

// The caller's leaving cancels the work, in the queue and in service.
func TestLeavingCancelsTheWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := 0
		h, set := guarded(t, "{concurrency: {algorithm: fixed, limit: 1}, queue: {length: 5, wait: 1h}}",
			func(_ http.ResponseWriter, r *http.Request) { ran++; <-r.Context().Done() })
		var all sync.WaitGroup
		var leave []context.CancelFunc
		for range 3 {
			ctx, cancel := context.WithCancel(context.Background())
			leave = append(leave, cancel)
			all.Go(func() {
				h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil).WithContext(ctx))
			})
			synctest.Wait()
		}
		leave[1]()
		synctest.Wait()
		leave[0]()
		synctest.Wait()
		if ran != 2 {
			t.Errorf("%d ran, want the first and the third", ran)
		}
		leave[2]()
		all.Wait()
		n := set.Door().Snapshot()
		if n.Slots.InUse != 0 || n.Slots.Queued != 0 || n.Classes[2].Left != 1 {
			t.Errorf("afterwards %+v, %+v", n.Slots, n.Classes[2])
		}
	})
}

func TestAPanicGivesTheSlotBack(t *testing.T) {
	h, set := guarded(t, "{concurrency: {algorithm: fixed, limit: 1}}",
		func(http.ResponseWriter, *http.Request) { panic("x") })
	for range 3 {
		func() {
			defer func() { _ = recover() }()
			ask(h, "/")
		}()
	}
	if n := set.Door().Snapshot().Slots; n.InUse != 0 || n.Refused != 0 {
		t.Errorf("%+v", n)
	}
}

func TestAllowsFollowsTheList(t *testing.T) {
	h, set := guarded(t, "{degrade: [prefetch, personalization]}",
		func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, seakeep.Allows(r.Context(), "prefetch"),
				seakeep.Allows(r.Context(), "personalization"), seakeep.Allows(r.Context(), "checkout"),
				r.Header.Get(DegradedHeader))
		})
	got := ask(h, "/", DegradedHeader, "checkout").Body.String()
	if got != "true true true " && got != "true true true" {
		t.Errorf("at rest %q", got)
	}
	if err := set.Door().Degrade(2); err != nil {
		t.Fatal(err)
	}
	if got := ask(h, "/").Body.String(); got != "false false true prefetch, personalization" &&
		got != "false false trueprefetch, personalization" {
		t.Errorf("by hand %q", got)
	}
	if err := set.Door().Degrade(3); err == nil {
		t.Error("a level beyond the list is taken")
	}
	if !seakeep.Allows(context.Background(), "prefetch") {
		t.Error("outside of a door a feature is off")
	}
}

func TestHandlerWantsAServeSection(t *testing.T) {
	file, _ := config.Parse("f", []byte("version: 1\nservice: s\ndependencies: {a: {}}\n"))
	set, _ := seakeep.NewSet(file, seakeep.Options{})
	if _, err := Handler(set, http.NotFoundHandler()); err == nil {
		t.Error("there is none, and no error")
	}
}

// A reload may take the section out and bring it back.
func TestReloadOpensAndClosesTheDoor(t *testing.T) {
	h, set := guarded(t, "{concurrency: {algorithm: fixed, limit: 1}}",
		func(http.ResponseWriter, *http.Request) {})
	_ = set.Door().Admit(0, 0)
	if w := ask(h, "/"); w.Code != 503 {
		t.Errorf("reduced to nothing it is %d", w.Code)
	}
	apply := func(text string) {
		t.Helper()
		file, err := config.Parse("f", []byte("version: 1\nservice: shop\n"+text))
		if err == nil {
			err = set.Apply(file)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	apply("dependencies: {a: {}}\n")
	if w := ask(h, "/"); w.Code != 200 {
		t.Errorf("without a door it is %d", w.Code)
	}
	apply("serve: {concurrency: {algorithm: fixed, limit: 2}}\n")
	if w := ask(h, "/"); w.Code != 503 {
		t.Errorf("the operator's order is forgotten: %d", w.Code)
	}
}
