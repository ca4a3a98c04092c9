package seakeephttp

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
)

// Strangers can neither tie requests nor call any off, and a twin's door that
// the file does not trust is not spoken to, whatever a client says (it could
// make us ask whom it cannot reach itself).
func TestTiedStrangers(t *testing.T) {
	noLeak(t)
	l, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skip("there is no such loopback address here:", err)
	}
	var asked atomic.Int32
	victim := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(
		func(http.ResponseWriter, *http.Request) { asked.Add(1) })}}
	victim.Start()
	defer victim.Close()
	h, _ := guarded(t, behindOne, func(w http.ResponseWriter, r *http.Request) {
		if r.Header[TiedHeader] != nil {
			w.WriteHeader(500)
		}
	})
	g := gateIn(h)
	defer g.Close()
	there := "id=" + someID + "; peer=" + l.Addr().String()
	if code := say(h, "192.0.2.1", "GET", "/", there); code != 200 {
		t.Errorf("a stranger's request gets %d", code)
	}
	if c, _ := g.Tied(); c != (TiedCounts{}) {
		t.Errorf("a stranger's request is tied: %+v", c)
	}
	if code := say(h, "127.0.0.1", "GET", "/", there); code != 200 {
		t.Errorf("a client's request gets %d", code)
	}
	eventually(t, "the word is not given", func() bool { c, _ := g.Tied(); return c.Untold == 1 })
	if asked.Load() != 0 {
		t.Error("an address was asked that the file does not trust")
	}
}

var someID = strings.Repeat("0f", 16)

// say has a handler answer a request from an address, and returns the status.
func say(h http.Handler, from, method, path, tied string) int {
	r := httptest.NewRequest(method, path, nil)
	r.RemoteAddr = from + ":1234"
	if tied != "" {
		r.Header.Set(TiedHeader, tied)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code
}

// Only those whom the file trusts can call a request off.
func TestTiedWhoMayCallOff(t *testing.T) {
	noLeak(t)
	id := someID
	h, _ := guarded(t, behindOne, func(http.ResponseWriter, *http.Request) {})
	g := gateIn(h)
	defer g.Close()
	if code := say(h, "127.0.0.1", "GET", "/", "id="+id+"; peer=127.0.0.1:1"); code != 200 {
		t.Errorf("a client's request gets %d", code)
	}
	for _, c := range []struct {
		from, method, path string
		want               int
	}{
		{"192.0.2.1", "DELETE", tiedPath + id, 403},
		{"127.0.0.1", "GET", tiedPath + id, 405},
		{"127.0.0.1", "DELETE", tiedPath + "x", 404},
		{"127.0.0.1", "DELETE", tiedPath + strings.Repeat("ab", 16), 404},
		{"127.0.0.1", "DELETE", tiedPath + id, 409}, // it was served
	} {
		if code := say(h, c.from, c.method, c.path, ""); code != c.want {
			t.Errorf("%+v: %d", c, code)
		}
	}
	h, _ = guarded(t, "{}", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(299) })
	if code := say(h, "127.0.0.1", "DELETE", tiedPath+id, ""); code != 299 {
		t.Errorf("a door that takes no tied requests answers %d itself", code)
	}
}

// Writes without a key have no copy, and so no tie; nor has a call with nowhere
// else to go, or by another protocol.
func TestTiedOnlyWhatMayRunTwice(t *testing.T) {
	for _, c := range []struct{ method, endpoints string }{
		{"POST", "ab"}, {"GET", "a"}, {"GET", "as"},
	} {
		noLeak(t)
		var tied, asked atomic.Int32
		s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			if r.Header[TiedHeader] != nil {
				tied.Add(1)
			}
			time.Sleep(20 * time.Millisecond)
		})
		urls := map[string]string{"a": s.URL, "b": "http://localhost:" + s.URL[strings.LastIndex(s.URL, ":")+1:],
			"s": "https://127.0.0.1:1"}
		var endpoints []string
		for _, name := range strings.Split(c.endpoints, "") {
			endpoints = append(endpoints, urls[name])
		}
		set := setOf(t, file("hedge: {tied: true}\n    retry: {attempts: 2, backoff: {base: 1ms}}", endpoints...))
		tr := transport(t, set, own(t))
		for range 4 {
			if g := send(tr, request(t, c.method, "http://x/", nil)); g.err != nil {
				t.Errorf("%+v: %v", c, g.err)
			}
		}
		if asked.Load() != 4 || tied.Load() != 0 {
			t.Errorf("%+v: %d requests of 4 calls, %d of them tied", c, asked.Load(), tied.Load())
		}
	}
}

// Of two endpoints whose turns come in pairs each is the first at times.
func TestTiedTakesTurns(t *testing.T) {
	noLeak(t)
	d := newDoors(t)
	tr, _ := d.transport("1s", "balance: {policy: round-robin}")
	firsts := map[string]int{}
	for i := range 30 {
		answer := sent(t, tr)
		eventually(t, "it is served", func() bool { return len(d.ran("/tied")) == i+1 })
		at := d.ran("/tied")[i]
		firsts[at]++
		d.hold[at[0]-'0'] <- 200
		_ = answer()
	}
	if firsts["0"] < 3 || firsts["1"] < 3 {
		t.Errorf("of 30 requests %v were sent first", firsts)
	}
}

// Servers that call nothing off would serve every call twice. The client
// notices, and then ties few calls.
func TestTiedToServersThatAreNoDoors(t *testing.T) {
	noLeak(t)
	var asked atomic.Int32
	h := func(http.ResponseWriter, *http.Request) {
		asked.Add(1)
		time.Sleep(3 * time.Millisecond)
	}
	set := setOf(t, file("hedge: {tied: {delay: 100us}}", serve(t, h).URL, serve(t, h).URL))
	tr := transport(t, set, own(t))
	const calls = 400
	for range calls {
		if g := get(t, tr, "http://x/"); g.err != nil {
			t.Fatal(g.err)
		}
	}
	if n := asked.Load(); n < calls+patience/2 || n > calls+patience+30 {
		t.Errorf("%d requests of %d calls, want about %d", n, calls, calls+patience+calls/suspicion)
	}
}

// breaks panics when a request is queued.
type breaks struct{}

func (breaks) Observe(e core.Event) {
	if e.Kind == core.RequestQueued {
		panic("the observer breaks")
	}
}

// An observer that panics leaves nothing behind, or the table would fill up.
func TestTiedRequestWhoseObserverPanics(t *testing.T) {
	noLeak(t)
	set, err := seakeep.NewSet(fileOf(t, "version: 1\nservice: s\nserve: "+behindOne+"\n"),
		seakeep.Options{Observer: breaks{}})
	if err != nil {
		t.Fatal(err)
	}
	in, let := make(chan bool), make(chan bool)
	h, err := Handler(set, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		in <- true
		<-let
	}))
	if err != nil {
		t.Fatal(err)
	}
	g := gateIn(h)
	defer g.Close()
	first := make(chan bool)
	go func() {
		say(h, "127.0.0.1", "GET", "/", "")
		close(first)
	}()
	<-in
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is lost")
			}
		}()
		say(h, "127.0.0.1", "GET", "/", "id="+someID+"; peer=127.0.0.1:1")
	}()
	let <- true
	<-first
	if n := len(g.tied.waiting); n != 0 {
		t.Errorf("%d requests wait in the table", n)
	}
}

// A call of gRPC that was called off has a status of gRPC, and its client knows
// it for what it is.
func TestTiedOverGRPC(t *testing.T) {
	noLeak(t)
	h, _ := guarded(t, behindOne, func(http.ResponseWriter, *http.Request) { t.Error("it is served") })
	g := gateIn(h)
	defer g.Close()
	if code := say(h, "127.0.0.1", "DELETE", tiedPath+someID, ""); code != 404 {
		t.Errorf("to call off what has not come is answered %d", code)
	}
	r := httptest.NewRequest("POST", "/s.S/M", nil)
	r.RemoteAddr = "127.0.0.1:1"
	r.Header.Set("Content-Type", "application/grpc")
	r.Header.Set(TiedHeader, "id="+someID+"; peer=127.0.0.1:1")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	said := w.Header()
	if w.Code != 200 || said.Get("Grpc-Status") != "14" ||
		!strings.HasPrefix(said.Get("Grpc-Message"), "twin-started: ") ||
		said.Get("Grpc-Retry-Pushback-Ms") != "-1" || !new(tie).lost(w.Result()) {
		t.Errorf("answered %d %v", w.Code, said)
	}
}

// A request that was called off in the moment in which it had its turn is not
// served, and gives its slot back.
func TestTiedTurnInTheSameMoment(t *testing.T) {
	noLeak(t)
	h, set := guarded(t, behindOne, func(http.ResponseWriter, *http.Request) {})
	g := gateIn(h)
	defer g.Close()
	ctx, cancel := context.WithCancel(t.Context())
	w := &waiter{id: tieID{1}, peer: "127.0.0.1:1", cancel: cancel}
	if !g.tied.join(time.Now(), w) {
		t.Fatal("it is not let in")
	}
	v, err := set.Door().Enter(ctx, seakeep.Arrival{})
	if err != nil {
		t.Fatal(err)
	}
	if g.tied.callOff(time.Now(), w.id) != calledOff || g.turn(w, v) {
		t.Error("it is to be served")
	}
	if s := set.Door().Snapshot(); s.Slots.InUse != 0 {
		t.Errorf("%d slots are in use", s.Slots.InUse)
	}
	if c, _ := g.Tied(); c != (TiedCounts{Registered: 1, Cancelled: 1}) {
		t.Errorf("the counts are %+v", c)
	}
}
