package seakeephttp

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/incoming"
)

// tiedPath is where a door is told that a request's twin is served.
const tiedPath = "/.well-known/seakeep/tied/"

const (
	// tellTime bounds what it takes to tell a door. Most twins that wait longer
	// than this have not much longer to wait.
	tellTime = 500 * time.Millisecond
	// maxTelling bounds how many doors are being told at once.
	maxTelling = 64
	// tellIdle is how long a connection to another door is kept.
	tellIdle = 30 * time.Second
)

// tying is what a gate has for tied requests.
type tying struct {
	ties
	slots  chan struct{}
	sender *http.Transport
	under  sync.WaitGroup
}

// Tied counts the tied requests of the gate; false if the file takes none.
func (g *Gate) Tied() (TiedCounts, bool) {
	cfg := g.set.File().Serve
	return g.tied.snapshot(), cfg != nil && cfg.Tied != nil
}

// Close waits until no other door is being told anything, for a moment at most,
// and closes idle connections to them. It is called when no request comes in
// any more; without it they are closed after half a minute.
func (g *Gate) Close() {
	g.tied.under.Wait()
	g.tied.sender.CloseIdleConnections()
}

// CallOff answers a door that says that the twin of a request here is served,
// and reports whether the request was that. It comes before Enter.
func (g *Gate) CallOff(w http.ResponseWriter, r *http.Request) bool {
	cfg := g.set.File().Serve
	if cfg == nil || cfg.Tied == nil {
		return false
	}
	said, ok := strings.CutPrefix(r.URL.Path, tiedPath)
	if !ok {
		return false
	}
	w.Header()["Content-Length"] = []string{"0"}
	id, valid := parseTieID(said)
	switch {
	case !knows(cfg.Tied, r.RemoteAddr):
		w.WriteHeader(http.StatusForbidden)
	case r.Method != http.MethodDelete:
		w.Header()["Allow"] = []string{http.MethodDelete}
		w.WriteHeader(http.StatusMethodNotAllowed)
	case !valid:
		w.WriteHeader(http.StatusNotFound)
	default:
		switch g.tied.callOff(time.Now(), id) {
		case calledOff:
			delete(w.Header(), "Content-Length")
			w.WriteHeader(http.StatusNoContent)
		case started:
			w.WriteHeader(http.StatusConflict)
		default: // it has not come yet, or never will
			w.WriteHeader(http.StatusNotFound)
		}
	}
	return true
}

// knows reports whether an address is one of those that may tie requests.
func knows(c *config.Tied, remote string) bool {
	a, err := incoming.Addr(remote)
	return err == nil && c.Trusts(a)
}

// tie takes note of a tied request before it asks for its turn. The context it
// returns ends when it is called off. w is nil for a request that is not tied.
func (g *Gate) tie(cfg *config.Serve, r *http.Request) (ctx context.Context, w *waiter, ok bool) {
	values := r.Header[TiedHeader]
	if values == nil {
		return r.Context(), nil, true
	}
	delete(r.Header, TiedHeader) // for us alone
	if cfg.Tied == nil || !knows(cfg.Tied, r.RemoteAddr) {
		return r.Context(), nil, true
	}
	id, peer, valid := parseTied(values)
	if !valid {
		return r.Context(), nil, true
	}
	w = &waiter{id: id, peer: peer}
	ctx, w.cancel = context.WithCancel(r.Context())
	if !g.tied.join(time.Now(), w) {
		w.cancel()
		return nil, nil, false
	}
	return ctx, w, true
}

// turn says what came of a tied request at the door: it has its turn, or was
// refused, or gave up. It returns false if it was called off, and is not to be
// served.
func (g *Gate) turn(w *waiter, v *seakeep.Visit) bool {
	if w == nil {
		return true
	}
	ok := g.tied.leave(time.Now(), w, v != nil)
	switch {
	case !ok && v != nil: // its turn came at the same moment
		v.End(core.Result{Outcome: core.Cancelled})
	case ok && v != nil:
		g.tell(w)
	}
	if !ok || v == nil {
		w.cancel()
	}
	return ok
}

// twin is the refusal of a request that was called off.
func (g *Gate) twin(cfg *config.Serve, r *http.Request) *Refusal {
	return g.refusals.of(cfg, r, twinRejection)
}

var twinRejection = &seakeep.Rejection{Policy: "tied", Reason: core.TwinStarted}

// tell tells the door of a request's twin that it need not be served. Nothing
// waits for that.
func (g *Gate) tell(w *waiter) {
	t := &g.tied
	select {
	case t.slots <- struct{}{}:
	default:
		t.told(false)
		return
	}
	t.under.Go(func() {
		defer func() { <-t.slots }()
		t.told(t.send(w.id, w.peer) == nil)
	})
}

// send sends the word.
func (t *tying) send(id tieID, peer string) error {
	ctx, cancel := context.WithTimeout(context.Background(), tellTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete,
		"http://"+peer+tiedPath+hex.EncodeToString(id[:]), nil)
	if err != nil {
		return err
	}
	resp, err := t.sender.RoundTrip(req) // which follows no redirects
	if err != nil {
		return err
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10)
	_ = resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusNoContent, http.StatusConflict, http.StatusNotFound:
		return nil
	}
	return errNotDoor
}

var (
	errNotDoor   = errors.New("seakeephttp: who was told is no door that listens to us")
	errStrangers = errors.New("seakeephttp: the twin's door is none that the file trusts")
)

// newSender returns what other doors are told with. Where a twin is is the
// client's word; so the address is looked at when it is connected to, after its
// name was resolved, and only those that the file trusts are spoken to.
func (g *Gate) newSender() *http.Transport {
	d := net.Dialer{Timeout: tellTime, Control: func(_, address string, _ syscall.RawConn) error {
		cfg := g.set.File().Serve
		if cfg == nil || cfg.Tied == nil || !knows(cfg.Tied, address) {
			return errStrangers
		}
		return nil
	}}
	return &http.Transport{DialContext: d.DialContext, MaxIdleConns: 2 * maxTelling,
		MaxIdleConnsPerHost: maxTelling, MaxConnsPerHost: maxTelling, IdleConnTimeout: tellIdle,
		MaxResponseHeaderBytes: 4 << 10, DisableCompression: true}
}
