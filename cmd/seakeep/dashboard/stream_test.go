package dashboard

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// message is one of a stream.
type message struct{ id, event, data string }

// listen follows a stream until stop is called.
func (w *world) listen(query, last string) (next func() message, stop func()) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.server.URL+"/api/v1/events?"+query, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := w.client.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		w.t.Fatalf("%d %v", resp.StatusCode, resp.Header)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	return func() (m message) {
		w.t.Helper()
		for lines.Scan() {
			key, value, _ := strings.Cut(lines.Text(), ": ")
			switch key {
			case "id":
				m.id = value
			case "event":
				m.event = value
			case "data":
				m.data = value
			case "":
				if m.event != "" {
					return m
				}
			}
		}
		w.t.Fatalf("the stream ended: %v", lines.Err())
		return m
	}, func() { cancel(); resp.Body.Close() }
}

func (w *world) change(i int) {
	w.Observe(core.Event{Kind: core.FailoverChanged, Policy: "pricing", From: "first", To: "second", Seq: uint64(i)})
}

func TestStreamAndReplay(t *testing.T) {
	w := newWorld(t, Options{})
	next, stop := w.listen("hz=0", "")
	w.change(1)
	first := next()
	if first.event != "decision" || !strings.Contains(first.data, `"kind":"failover-changed"`) {
		t.Fatalf("%+v", first)
	}
	stop()
	for i := range 3 {
		w.change(i + 2)
	}
	w.Observe(core.Event{Kind: core.CallRejected, Policy: "pricing", Reason: core.CircuitOpen})
	next, stop = w.listen("hz=0", first.id)
	defer stop()
	last, _ := strconv.Atoi(first.id)
	for i := range 4 { // without a gap, and each once
		m := next()
		if id, _ := strconv.Atoi(m.id); id != last+1 {
			t.Fatalf("%d comes after %d: %s", id, last, m.data)
		}
		last++
		if i < 3 && !strings.Contains(m.data, fmt.Sprintf(`"seq":%d`, i+2)) {
			t.Errorf("%d: %s", i, m.data)
		}
	}
	w.change(9)
	if m := next(); !strings.Contains(m.data, `"seq":9`) {
		t.Errorf("%+v", m)
	}
}

// A stream outlives the limits of short answers, and snapshots have no number.
func TestStreamOfSnapshots(t *testing.T) {
	w := newWorld(t, Options{})
	next, stop := w.listen("hz=4", "")
	defer stop()
	for began, n := time.Now(), 0; time.Since(began) < time.Second; n++ {
		if m := next(); m.event != "snapshot" || m.id != "" || !strings.Contains(m.data, `"service":"shop"`) {
			t.Fatalf("%d: %+v", n, m)
		}
	}
	for _, bad := range []string{"hz=5", "hz=x", "last_event_id=-1"} {
		if resp, _ := w.fetch("/api/v1/events?" + bad); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %d", bad, resp.StatusCode)
		}
	}
}

// A client that wants no calls is told of changes alone.
func TestStreamWithoutCalls(t *testing.T) {
	w := newWorld(t, Options{})
	next, stop := w.listen("hz=0&calls=0", "")
	defer stop()
	w.Observe(core.Event{Kind: core.CallRejected, Policy: "pricing", Reason: core.CircuitOpen})
	w.change(1)
	if m := next(); !strings.Contains(m.data, "failover-changed") {
		t.Errorf("%+v", m)
	}
}

// What is replayed and is kept no more is counted.
func TestReplayTellsOfGaps(t *testing.T) {
	h := newHub(time.Now())
	first := h.next
	for i := range keptChanges + 100 {
		h.observe(&core.Event{Kind: core.FailoverChanged, Seq: uint64(i)}, nil)
	}
	s, replay, missed := h.subscribe(first, true)
	defer h.unsubscribe(s)
	if len(replay) != keptChanges || missed != 99 {
		t.Errorf("%d replayed, %d missed", len(replay), missed)
	}
}

// Who reads too slowly is told how much was left out, and nobody waits for it.
func TestSlowReader(t *testing.T) {
	h := newHub(time.Now())
	s, _, _ := h.subscribe(0, true)
	defer h.unsubscribe(s)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range maxBehind + 70 {
			h.observe(&core.Event{Kind: core.FailoverChanged, Seq: uint64(i)}, nil)
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("somebody waits for the reader")
	}
	if len(s.events) != maxBehind || s.missed.Load() != 70 {
		t.Errorf("%d are there, %d were missed", len(s.events), s.missed.Load())
	}
}

func TestTooManyWatch(t *testing.T) {
	w := newWorld(t, Options{})
	for range maxSubscribers {
		s, _, _ := w.hub.subscribe(0, true)
		defer w.hub.unsubscribe(s)
	}
	if resp, _ := w.fetch("/api/v1/events"); resp.StatusCode != http.StatusServiceUnavailable ||
		resp.Header.Get("Retry-After") == "" {
		t.Errorf("%d", resp.StatusCode)
	}
}

// Of single calls a few of each kind a second are told.
func TestCallsAreSampled(t *testing.T) {
	h := newHub(time.Now())
	at := core.Instant(1)
	for range 1000 {
		h.observe(&core.Event{At: at, Kind: core.CallRejected, Policy: "pricing"}, nil)
		h.observe(&core.Event{At: at, Kind: core.RetryDenied, Policy: "pricing"}, nil)
	}
	if n := len(h.calls.all); n != 2*callsPerSecond {
		t.Errorf("%d are kept", n)
	}
}

// A stream ends with the program, so that nobody waits for it.
func TestStreamEnds(t *testing.T) {
	w := newWorld(t, Options{})
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, w.server.URL+"/api/v1/events", nil)
	resp, err := w.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	w.end()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() { // ends
	}
}
