package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// both serves the backend, and plain in front of it, in HTTP/1.1 and HTTP/2.
func both(t *testing.T, h http.Handler) string {
	s := httptest.NewUnstartedServer(h)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

func TestClientsThroughPlain(t *testing.T) {
	backend := both(t, newBackend())
	for _, c := range []struct {
		name string
		row  row
	}{
		{"HTTP/1.1", row{size: 1 << 10}},
		{"HTTP/2 in", row{size: 64 << 10, h2In: true}},
		{"gRPC", row{h2In: true, h2Both: true}},
		{"at a rate", row{size: 10, rate: 500}},
	} {
		front := both(t, plain(backend, c.row.h2Both))
		clients, err := c.row.clients(&process{address: front})
		if err != nil {
			t.Fatal(err)
		}
		b, err := drive(clients, 100*time.Millisecond, c.row.rate)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if b.requests == 0 || len(b.latencies) != b.requests {
			t.Errorf("%s: %d requests with %d latencies", c.name, b.requests, len(b.latencies))
		}
		if c.row.rate > 0 && b.requests > 64 {
			t.Errorf("%d requests in a tenth of a second at %v/s", b.requests, c.row.rate)
		}
		for _, c := range clients {
			c.close()
		}
	}
}

func TestClientsSeeWhatIsWrong(t *testing.T) {
	front := both(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/1") {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	for _, size := range []int{1, 2} { // a wrong status, a wrong length
		for _, h2 := range []bool{false, true} {
			clients, err := row{size: size, h2In: h2}.clients(&process{address: front})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := drive(clients[:1], time.Second, 0); err == nil {
				t.Errorf("size %d, HTTP/2 %v: a wrong answer passes", size, h2)
			}
			for _, c := range clients {
				c.close()
			}
		}
	}
}

func TestRatiosAreTakenRoundByRound(t *testing.T) {
	of := func(us ...int) (all []burst) {
		for _, n := range us {
			all = append(all, burst{requests: 1, user: time.Duration(n) * time.Microsecond})
		}
		return all
	}
	// The machine got ten times slower in the third round, for both.
	got := ratios(of(50, 60, 550), of(100, 100, 1000))
	if got.Median != 0.55 || got.Low != 0.525 || got.High != 0.575 {
		t.Errorf("ratios %+v", got)
	}
}

func TestSelfIsMeasured(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("needs /proc")
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	p := &process{name: "self"}
	p.cmd = command(self)
	u0, s0, err := p.cpu()
	if err != nil {
		t.Fatal(err)
	}
	for u1, s1 := u0, s0; u1+s1 == u0+s0; { // until a tick has passed
		if u1, s1, err = p.cpu(); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := p.pss(); err != nil || n < 1<<20 {
		t.Errorf("memory %d, %v", n, err)
	}
}

func TestFreeAddressesDiffer(t *testing.T) {
	f := free()
	for _, address := range []string{f.address, f.h2} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
	}
}

func command(p *os.Process) *exec.Cmd { return &exec.Cmd{Process: p} }
