package seakeephttp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep"
)

// hedging is a policy whose first call may have a copy already.
const hedging = "hedge: {after: 20ms, budget: 100%, slow: 100%}\n    bulkhead: {limit: 100}"

// pair is two servers. Who is asked first is slow.
type pair struct {
	t     testing.TB
	slow  time.Duration
	serve func(http.ResponseWriter, *http.Request)

	mu    sync.Mutex
	seen  []*http.Request
	where []int
	told  atomic.Int32 // slow requests whose caller left
}

func (p *pair) handler(i int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.seen = append(p.seen, r)
		p.where = append(p.where, i)
		first := len(p.seen) == 1
		p.mu.Unlock()
		if first {
			select {
			case <-time.After(p.slow):
			case <-r.Context().Done():
				p.told.Add(1)
				return
			}
		}
		if p.serve != nil {
			p.serve(w, r)
			return
		}
		fmt.Fprintf(w, "from %d", i)
	}
}

func (p *pair) requests() []*http.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]*http.Request(nil), p.seen...)
}

// transport returns a transport to both, and its policy.
func (p *pair) transport(settings string) (*Transport, *seakeep.Policy) {
	a, b := serve(p.t, p.handler(0)), serve(p.t, p.handler(1))
	set := setOf(p.t, file(settings, a.URL, b.URL))
	tr := transport(p.t, set, own(p.t))
	policy, err := set.Policy(tr.name)
	if err != nil {
		p.t.Fatal(err)
	}
	return tr, policy
}

func TestCopyGoesToTheOtherEndpoint(t *testing.T) {
	noLeak(t)
	p := &pair{t: t, slow: 10 * time.Second}
	tr, policy := p.transport(hedging)
	began := time.Now()
	got := get(t, tr, "http://x/")
	if got.err != nil || time.Since(began) > 5*time.Second {
		t.Fatalf("%+v after %v", got, time.Since(began))
	}
	seen := p.requests()
	if len(seen) != 2 || p.where[0] == p.where[1] {
		t.Fatalf("asked %v", p.where)
	}
	for i, want := range []string{"/", "2/1"} {
		if said := seen[i].Header.Get("X-Seakeep-Attempt") + "/" + seen[i].Header.Get(HedgeHeader); said != want {
			t.Errorf("request %d says %q, want %q", i, said, want)
		}
	}
	if want := fmt.Sprintf("from %d", p.where[1]); got.body != want {
		t.Errorf("answered %q, want %q", got.body, want)
	}
	eventually(t, "the first server hears that nobody waits", func() bool { return p.told.Load() == 1 })
	idle(t, policy)
	for _, e := range tr.Snapshot().Endpoints {
		if e.InFlight != 0 {
			t.Errorf("%s: %d in flight", e.URL, e.InFlight)
		}
	}
}

// F087: what may do harm when it runs twice has no copy; with a key it has, and
// both carry it.
func TestF087CopiesOfWrites(t *testing.T) {
	for _, c := range []struct {
		method, key string
		want        int
	}{{"GET", "", 2}, {"POST", "", 1}, {"POST", "k", 2}, {"PATCH", "", 1}, {"DELETE", "", 2}} {
		p := &pair{t: t, slow: 300 * time.Millisecond}
		tr, policy := p.transport(hedging)
		req := request(t, c.method, "http://x/", strings.NewReader("body"))
		if c.key != "" {
			req.Header.Set("Idempotency-Key", c.key)
		}
		if got := send(tr, req); got.err != nil {
			t.Errorf("%s: %v", c.method, got.err)
		}
		seen := p.requests()
		if len(seen) != c.want {
			t.Errorf("%s with key %q: %d requests, want %d", c.method, c.key, len(seen), c.want)
		}
		for _, r := range seen {
			if r.Header.Get("Idempotency-Key") != c.key {
				t.Errorf("%s: the key is %q", c.method, r.Header.Get("Idempotency-Key"))
			}
		}
		idle(t, policy)
	}
}

// One buffer serves both, whoever is further; and a body that does not fit in
// it has no copy.
func TestTwoUploadsOfOneBody(t *testing.T) {
	noLeak(t)
	for _, c := range []struct {
		size   int
		copies int
	}{{0, 2}, {10, 2}, {60 << 10, 2}, {200 << 10, 1}} {
		sums := make(chan int, 2)
		p := &pair{t: t, slow: 200 * time.Millisecond}
		p.serve = func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err == nil && !bytes.Equal(body, content(c.size)) {
				t.Errorf("of %d bytes %d came, or others", c.size, len(body))
			}
			sums <- len(body)
			fmt.Fprint(w, len(body))
		}
		tr, policy := p.transport(hedging)
		// Not a body that net/http could send again by itself.
		req := request(t, "PUT", "http://x/", io.MultiReader(bytes.NewReader(content(c.size))))
		got := send(tr, req)
		if got.err != nil || got.body != fmt.Sprint(c.size) {
			t.Errorf("%d bytes: %+v", c.size, got)
		}
		if n := len(p.requests()); n != c.copies {
			t.Errorf("%d bytes: %d requests, want %d", c.size, n, c.copies)
		}
		idle(t, policy)
		eventually(t, "the kept bodies are given back", func() bool { return tr.Snapshot().Buffered == 0 })
	}
}

func content(size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i * 7)
	}
	return b
}

// The answer that won goes on when the other attempt has been called off.
func TestWinnersBodyStreamsOn(t *testing.T) {
	p := &pair{t: t, slow: 10 * time.Second}
	p.serve = func(w http.ResponseWriter, _ *http.Request) {
		for i := range 5 {
			fmt.Fprintf(w, "%d ", i)
			w.(http.Flusher).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	}
	tr, policy := p.transport(hedging + "\n    timeout: {request: 60ms}")
	if got := get(t, tr, "http://x/"); got.err != nil || got.body != "0 1 2 3 4 " {
		t.Errorf("%+v", got)
	}
	idle(t, policy)
}

// A failure waits for the copy. The last answer that says something is the
// caller's, whether its attempt had a limit or not.
func TestFailedFirstAttemptAndItsCopy(t *testing.T) {
	for _, good := range []bool{true, false} {
		var n atomic.Int32
		p := &pair{t: t, slow: 60 * time.Millisecond}
		p.serve = func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get(HedgeHeader) != "" {
				time.Sleep(100 * time.Millisecond)
				if good {
					fmt.Fprint(w, "good")
				} else {
					panic(http.ErrAbortHandler) // no answer at all
				}
				return
			}
			n.Add(1)
			http.Error(w, "bad", http.StatusInternalServerError)
		}
		tr, policy := p.transport(hedging)
		got := get(t, tr, "http://x/")
		want := map[bool]string{true: "good", false: "bad\n"}[good]
		if got.err != nil || got.body != want || n.Load() != 1 || len(p.requests()) != 2 {
			t.Errorf("good %v: %+v after %d requests", good, got, len(p.requests()))
		}
		idle(t, policy)
	}
}

// With one endpoint there is nowhere to send a copy; through a balancer that
// has many servers there is, by the file's word.
func TestCopiesNeedAnotherEndpoint(t *testing.T) {
	for settings, want := range map[string]int{hedging: 1, strings.Replace(hedging, "after", "same: true, after", 1): 2} {
		p := &pair{t: t, slow: 150 * time.Millisecond}
		s := serve(t, p.handler(0))
		set := setOf(t, file(settings, s.URL))
		if got := get(t, transport(t, set, own(t)), "http://x/"); got.err != nil {
			t.Error(got.err)
		}
		if n := len(p.requests()); n != want {
			t.Errorf("%s: %d requests, want %d", settings, n, want)
		}
	}
}

// The caller leaves a call with two attempts under way.
func TestCallerLeavesTwoAttempts(t *testing.T) {
	noLeak(t)
	stop := make(chan struct{})
	p := &pair{t: t, slow: 10 * time.Second}
	p.serve = func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	}
	defer close(stop)
	tr, policy := p.transport(hedging)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		eventually(t, "both servers are asked", func() bool { return len(p.requests()) == 2 })
		cancel()
	}()
	if got := send(tr, request(t, "GET", "http://x/", nil).WithContext(ctx)); got.err == nil {
		t.Errorf("answered %+v", got)
	}
	idle(t, policy)
}

// Many at once, each of whose first attempts may be slow, with bodies to send.
func TestManyHedgedUploads(t *testing.T) {
	noLeak(t)
	var n atomic.Int32
	h := func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1)%3 == 0 {
			select {
			case <-time.After(100 * time.Millisecond):
			case <-r.Context().Done():
				return
			}
		}
		body, _ := io.ReadAll(r.Body)
		fmt.Fprint(w, len(body))
	}
	a, b := serve(t, h), serve(t, h)
	set := setOf(t, file(strings.Replace(hedging, "20ms", "5ms", 1), a.URL, b.URL))
	tr := transport(t, set, own(t))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range 15 {
				size := i * 1000
				req := request(t, "PUT", "http://x/", io.MultiReader(bytes.NewReader(content(size))))
				if got := send(tr, req); got.err != nil || got.body != fmt.Sprint(size) {
					t.Errorf("%d bytes: %+v", size, got)
				}
			}
		})
	}
	group.Wait()
	policy, _ := set.Policy(tr.name)
	idle(t, policy)
	if policy.Snapshot().Hedge.Counts.Sent == 0 {
		t.Error("no copy was sent")
	}
}
