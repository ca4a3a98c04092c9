package dashboard

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

const (
	heartbeat = 10 * time.Second
	// patience is how long one write may take. A reader who takes nothing for so
	// long is gone, or as good as gone.
	patience = 10 * time.Second
)

// stream tells snapshots and events until the client leaves: "snapshot" has no
// number, "decision" has, and "missed" says how many decisions were left out.
func (d *Dashboard) stream(w http.ResponseWriter, r *http.Request, p *Program) {
	q := r.URL.Query()
	hz := 1.0
	if text := q.Get("hz"); text != "" {
		var err error
		if hz, err = strconv.ParseFloat(text, 64); err != nil || !(hz >= 0 && hz <= 4) {
			fail(w, http.StatusBadRequest, "hz: give how many snapshots a second, from 0 to 4")
			return
		}
	}
	last := r.Header.Get("Last-Event-ID")
	if last == "" {
		last = q.Get("last_event_id")
	}
	after, err := strconv.ParseUint(last, 10, 64)
	if last != "" && err != nil {
		fail(w, http.StatusBadRequest, "Last-Event-ID: give the number of an event")
		return
	}
	s, replay, missed := d.hub.subscribe(after, q.Get("calls") != "0")
	if s == nil {
		w.Header().Set("Retry-After", "5")
		fail(w, http.StatusServiceUnavailable, "too many watch already")
		return
	}
	defer d.hub.unsubscribe(s)
	out := newTeller(w, hz)
	out.text("retry: 2000\n\n")
	out.missed(missed)
	for _, t := range replay {
		out.event(t)
	}
	d.follow(r, p, s, out)
}

// follow tells what comes until the client leaves or all ends.
func (d *Dashboard) follow(r *http.Request, p *Program, s *subscriber, out *teller) {
	var snapshots <-chan time.Time
	if out.hz > 0 {
		ticker := time.NewTicker(time.Duration(float64(time.Second) / out.hz))
		defer ticker.Stop()
		snapshots = ticker.C
		_, text := d.snapshot(p)
		out.data("snapshot", text)
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for out.flush() == nil {
		select {
		case <-r.Context().Done():
			return
		case <-p.Ends.Done():
			return
		case t := <-s.events:
			out.missed(s.missed.Swap(0))
			out.event(t)
			for n := len(s.events); n > 0; n-- { // what has come is one write
				out.event(<-s.events)
			}
		case <-snapshots:
			_, text := d.snapshot(p)
			out.missed(s.missed.Swap(0))
			out.data("snapshot", text)
		case <-beat.C:
			out.text(": still here\n\n")
		}
	}
}

// teller writes server-sent events.
type teller struct {
	w   http.ResponseWriter
	rc  *http.ResponseController
	hz  float64
	buf *bytes.Buffer
}

func newTeller(w http.ResponseWriter, hz float64) *teller {
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Time{}) // the admin address has limits for short answers
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // for proxies that would wait for more
	w.WriteHeader(http.StatusOK)
	return &teller{w: w, rc: rc, hz: hz, buf: &bytes.Buffer{}}
}

func (t *teller) text(s string) { t.buf.WriteString(s) }

func (t *teller) data(kind string, text []byte) {
	fmt.Fprintf(t.buf, "event: %s\ndata: %s\n\n", kind, text)
}

func (t *teller) event(e *told) {
	fmt.Fprintf(t.buf, "id: %d\nevent: decision\ndata: %s\n\n", e.ID, e.text)
}

func (t *teller) missed(n uint64) {
	if n > 0 {
		fmt.Fprintf(t.buf, "event: missed\ndata: {\"missed\":%d}\n\n", n)
	}
}

// flush sends what is there.
func (t *teller) flush() error {
	if t.buf.Len() == 0 {
		return nil
	}
	_ = t.rc.SetWriteDeadline(time.Now().Add(patience))
	_, err := t.w.Write(t.buf.Bytes())
	t.buf.Reset()
	if err != nil {
		return err
	}
	return t.rc.Flush()
}
