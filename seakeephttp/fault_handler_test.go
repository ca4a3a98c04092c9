package seakeephttp

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core/fault"
)

const faultyDoor = "{deadline: {default: 300ms}, faults: {allow: true, share: 100%, trust: [127.0.0.1]}}"

// talking is a handler that says this.
func talking(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

func TestFaultsBehindTheDoor(t *testing.T) {
	h, set := guarded(t, faultyDoor, talking("hello"))
	f := set.Faults("")
	server := serve(t, h.ServeHTTP)
	for _, row := range []struct {
		hurt   fault.Hurt
		status int
		least  time.Duration
	}{
		{fault.Hurt{Kind: fault.Latency, Delay: 50 * time.Millisecond}, 200, 50 * time.Millisecond},
		{fault.Hurt{Kind: fault.Latency, Delay: time.Hour}, 504, 300 * time.Millisecond},
		{fault.Hurt{Kind: fault.Error, Status: 500}, 500, 0},
		{fault.Hurt{Kind: fault.Error, GRPC: 14}, 200, 0},
		{fault.Hurt{Kind: fault.NoAnswer}, 504, 300 * time.Millisecond},
		{fault.Hurt{Kind: fault.SlowBody, Delay: 20 * time.Millisecond, Bytes: 1}, 200, 100 * time.Millisecond},
		{fault.Hurt{Kind: fault.Bandwidth, Bytes: 50}, 200, 100 * time.Millisecond},
	} {
		begin(t, f, fault.Rule{Hurt: row.hurt})
		start := time.Now()
		g := get(t, own(t), server.URL)
		if g.err != nil || g.status != row.status || g.header.Get(InjectedHeader) != "f" ||
			time.Since(start) < row.least || time.Since(start) > row.least+2*time.Second {
			t.Errorf("%+v gives %d, %v, %v after %v", row.hurt, g.status, g.header, g.err, time.Since(start))
		}
		if row.hurt.GRPC > 0 && g.header.Get("Grpc-Status") != "14" {
			t.Errorf("gRPC is told %v", g.header)
		}
		if row.status == 200 && row.hurt.GRPC == 0 && g.body != "hello" {
			t.Errorf("%+v gives %q", row.hurt, g.body)
		}
		f.Stop("")
		eventually(t, "nobody is hurt", func() bool { return f.Snapshot().Active == 0 })
	}
	if g := get(t, own(t), server.URL); g.status != 200 || g.header.Get(InjectedHeader) != "" {
		t.Errorf("afterwards %d, %v", g.status, g.header)
	}
}

// A reset is one on the wire: the client's system reports it, not just an end.
func TestFaultsResetConnections(t *testing.T) {
	stuck := make(chan struct{})
	h, set := guarded(t, "{concurrency: {}, faults: {allow: true, share: 100%}}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "begun")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		stuck <- struct{}{}
	})
	server := serve(t, h.ServeHTTP)
	f := set.Faults("")
	begin(t, f, fault.Rule{Hurt: fault.Hurt{Kind: fault.Reset}})
	if g := get(t, own(t), server.URL); !errors.Is(g.err, syscall.ECONNRESET) {
		t.Errorf("at once: %+v", g)
	}
	f.Stop("")
	begin(t, f, fault.Rule{Hurt: fault.Hurt{Kind: fault.Reset, Delay: 100 * time.Millisecond}})
	if g := get(t, own(t), server.URL); g.status != 200 || g.body != "begun" || !errors.Is(g.err, syscall.ECONNRESET) {
		t.Errorf("after a while: %+v", g)
	}
	<-stuck // the program is told
	eventually(t, "nobody is hurt", func() bool { return f.Snapshot().Active == 0 })
	eventually(t, "the door is empty", func() bool { return set.Door().Snapshot().Slots.InUse == 0 })
}

// HTTP/2 has a reset of its own.
func TestFaultsResetStreams(t *testing.T) {
	h, set := guarded(t, "{faults: {allow: true, share: 100%}}", talking("hello"))
	server := httptest.NewUnstartedServer(h)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	begin(t, set.Faults(""), fault.Rule{Hurt: fault.Hurt{Kind: fault.Reset}})
	_, err := server.Client().Get(server.URL)
	if err == nil || !strings.Contains(err.Error(), "INTERNAL_ERROR") {
		t.Errorf("%v", err)
	}
}

// Health checks are never hurt, whatever the share.
func TestFaultsSpareHealthChecks(t *testing.T) {
	h, set := guarded(t, faultyDoor, talking("ok"))
	begin(t, set.Faults(""), fault.Rule{Hurt: fault.Hurt{Kind: fault.Error, Status: 500}})
	begin(t, set.Faults(""), fault.Rule{Name: "m", Scope: fault.Scope{Marked: true}, Hurt: fault.Hurt{Kind: fault.Refused}})
	for range 100 {
		if w := ask(h, "/healthz", "X-Seakeep-Fault", "m"); w.Code != 200 || w.Header().Get(InjectedHeader) != "" {
			t.Fatalf("a health check gets %d", w.Code)
		}
	}
	if w := ask(h, "/"); w.Code != 500 {
		t.Errorf("another gets %d", w.Code)
	}
}

// Only the trusted may mark requests, and what strangers say is not passed on.
func TestOnlyTheTrustedMarkRequests(t *testing.T) {
	told := ""
	h, set := guarded(t, faultyDoor, func(_ http.ResponseWriter, r *http.Request) { told = r.Header.Get("X-Seakeep-Fault") })
	begin(t, set.Faults(""), fault.Rule{Scope: fault.Scope{Marked: true}, Hurt: fault.Hurt{Kind: fault.Error, Status: 501}})
	from := func(address, mark string) int {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = address
		r.Header.Set("X-Seakeep-Fault", mark)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	for _, row := range []struct {
		address, mark string
		status        int
		told          string
	}{{"127.0.0.1:5", "f", 501, ""}, {"127.0.0.1:5", "other", 200, "other"}, {"10.0.0.1:5", "f", 200, ""},
		{"[::ffff:127.0.0.1]:5", "f", 501, ""}, {"nonsense", "f", 200, ""}, {"", "f", 200, ""}} {
		told = ""
		if status := from(row.address, row.mark); status != row.status || told != row.told {
			t.Errorf("%+v: %d, told %q", row, status, told)
		}
	}
}
