package seakeephttp

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// instance is a real server that says who it is.
func instance(t *testing.T, address string, served *atomic.Int64) *httptest.Server {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Skip(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		time.Sleep(time.Millisecond)
		_, _ = w.Write([]byte(address))
	}))
	_ = s.Listener.Close()
	s.Listener = l
	s.Start()
	return s
}

// TestDNSChangeMovesTrafficWithoutAnError: a real name server and real servers
// under load; the ones that the name no longer has are stopped as soon as
// nothing is in flight there.
func TestDNSChangeMovesTrafficWithoutAnError(t *testing.T) {
	noLeak(t)
	names := newNameServer(t)
	var served [4]atomic.Int64
	first := instance(t, "127.0.0.1:0", &served[0])
	_, port, _ := net.SplitHostPort(first.Listener.Addr().String())
	servers := []*httptest.Server{first}
	for i := 1; i < 4; i++ {
		servers = append(servers, instance(t, fmt.Sprintf("127.0.0.%d:%s", i+1, port), &served[i]))
	}
	for _, s := range servers {
		t.Cleanup(s.Close)
	}
	names.tell("pricing.internal", "127.0.0.1", "127.0.0.2")
	set := setOf(t, byName("dns: 'pricing.internal:"+port+"', type: A, every: 1s", "kind: critical"))
	tr := resolved(t, set, nil, names.resolver())
	var failed atomic.Int64
	stop := make(chan struct{})
	var load sync.WaitGroup
	for range 8 {
		load.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if g := send(tr, request(t, "POST", "http://test/", strings.NewReader("x"))); g.err != nil || g.status != 200 {
					failed.Add(1)
				}
			}
		})
	}
	until(t, "both serve", func() bool { return served[0].Load() > 20 && served[1].Load() > 20 })
	names.tell("pricing.internal", "127.0.0.3", "127.0.0.4")
	until(t, "the old ones are gone", func() bool {
		return !strings.Contains(urls(tr), "127.0.0.1:") && !strings.Contains(urls(tr), "127.0.0.2:")
	})
	servers[0].Close()
	servers[1].Close()
	until(t, "the new ones serve", func() bool { return served[2].Load() > 20 && served[3].Load() > 20 })
	close(stop)
	load.Wait()
	if failed.Load() != 0 {
		t.Errorf("%d requests failed", failed.Load())
	}
	asked := names.questions()
	tr.Close()
	tr.Close()
	if g := get(t, tr, "http://test/"); g.status != 200 {
		t.Errorf("after Close: %+v", g)
	}
	if asked < 2 {
		t.Errorf("the name was asked for %d times", asked)
	}
}

// until waits for something that real machines do in their own time.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for limit := time.Now().Add(20 * time.Second); !done(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("never happened: %s", what)
		}
	}
}
