package overload

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
)

const ms = time.Millisecond

func fixed(workers int, takes time.Duration) Machine {
	return Machine{Workers: workers, Floor: takes, Mean: takes}
}

// Two workers take requests in order; whoever comes to a busy program waits for
// the first that is free, and a pause in the load is not made up for.
func TestWorkersTakeRequestsInOrder(t *testing.T) {
	a := newApp(0, fixed(2, 20*ms), 1)
	at := func(d time.Duration) core.Instant { return core.Instant(d) }
	for _, step := range []struct{ now, done, wait time.Duration }{
		{100 * ms, 120 * ms, 0}, {105 * ms, 125 * ms, 15 * ms},
		{105 * ms, 140 * ms, 20 * ms}, {106 * ms, 145 * ms, 34 * ms},
		{500 * ms, 520 * ms, 0},
	} {
		if done := a.book(at(step.now)); done != at(step.done) {
			t.Errorf("what comes at %v is done at %v, want %v", step.now, time.Duration(done), step.done)
		}
		if wait := a.wait(at(step.now)); wait != step.wait {
			t.Errorf("at %v the next one would wait %v, want %v", step.now, wait, step.wait)
		}
	}
}

// A thousand requests at once take as long as the capacity says.
func TestCapacity(t *testing.T) {
	m := DefaultMachine()
	if m.Capacity() != 200 {
		t.Fatalf("the capacity is %v", m.Capacity())
	}
	a := newApp(0, m, 7)
	last := core.Instant(0)
	for range 10_000 {
		last = max(last, a.book(0))
	}
	if took := time.Duration(last).Seconds(); took < 49 || took > 51 {
		t.Errorf("10,000 requests take %.1fs, want 50s", took)
	}
}

// Work for somebody who has left is done all the same, before that of the next.
func TestAbandonedWorkRunsOn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := newApp(seakeep.Now(), fixed(1, time.Second), 1)
		ctx, leave := context.WithTimeout(t.Context(), 10*ms)
		defer leave()
		rec := httptest.NewRecorder()
		a.ServeHTTP(rec, httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
		if rec.Body.Len() > 0 {
			t.Error("whoever has left gets an answer")
		}
		began := time.Now()
		a.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		if took := time.Since(began); took != 1990*ms {
			t.Errorf("the next one takes %v, want 1.99s", took)
		}
		if wait := a.wait(seakeep.Now()); wait != 0 {
			t.Errorf("somebody waits for %v", wait)
		}
	})
}

// On sockets, too: the place answers, and nothing is left when it stops.
func TestOnSockets(t *testing.T) {
	p, err := onSockets(newApp(seakeep.Now(), fixed(1, ms), 1), bare{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.stop()
	p.warm(t.Context())
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if f := ask(ctx, p, &guest{user: "a", tenant: "b"}, 1); f != served {
		t.Errorf("the answer is %d", f)
	}
}
