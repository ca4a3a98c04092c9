package seakeephttp

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep/internal/grpchealth"
)

// grpcServer answers checks of one service, over TLS or cleartext HTTP/2.
func grpcServer(t *testing.T, overTLS bool, status func(service string) (code string, body []byte)) *httptest.Server {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if r.ProtoMajor != 2 || r.URL.Path != grpchealth.Check || r.Method != "POST" || r.Header.Get("Te") != "trailers" || len(b) < 5 {
			t.Errorf("%s %s %s %v %x", r.Proto, r.Method, r.URL, r.Header, b)
			return
		}
		service := ""
		if len(b) > 7 {
			service = string(b[7:])
		}
		code, body := status(service)
		w.Header().Set("Content-Type", "application/grpc")
		if body == nil {
			w.Header().Set("Grpc-Status", code)
			return
		}
		w.Header().Set("Trailer", "Grpc-Status")
		_, _ = w.Write(body)
		w.Header().Set("Grpc-Status", code)
	}))
	s.EnableHTTP2 = true
	p := new(http.Protocols)
	p.SetHTTP2(overTLS)
	p.SetUnencryptedHTTP2(!overTLS)
	s.Config.Protocols = p
	if overTLS {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s
}

func TestHealthOverGRPC(t *testing.T) {
	noLeak(t)
	for _, overTLS := range []bool{false, true} {
		var serving atomic.Int32
		serving.Store(1)
		s := grpcServer(t, overTLS, func(service string) (string, []byte) {
			if service != "shop.Pricing" {
				return "5", nil // NOT_FOUND
			}
			return "0", []byte{0, 0, 0, 0, 2, 8, byte(serving.Load())}
		})
		base := s.Client().Transport.(*http.Transport)
		cfg := "health: {type: grpc, service: shop.Pricing, max-removed: 100%, " + swift + "}"
		tr := transport(t, setOf(t, file(cfg, s.URL)), base)
		t.Cleanup(base.CloseIdleConnections)
		settles(t, "serving", func() bool { return verdicts(tr) == "healthy" })
		serving.Store(2)
		settles(t, "not serving", func() bool { return states(tr) == "unhealthy" })
		tr.Close()
		other := transport(t, setOf(t, file("health: {type: grpc, "+swift+"}", s.URL)), base)
		settles(t, "unknown service", func() bool { return verdicts(other) == "unhealthy" })
		other.Close()
	}
}

// The transport's own connections and the checks' know servers by the same
// certificates.
func TestHealthUsesTheTransportsTLS(t *testing.T) {
	noLeak(t)
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(s.Close)
	tr := fileTransport(t, "health: {max-removed: 100%, "+swift+"}", s.URL)
	t.Cleanup(tr.Close)
	settles(t, "an unknown certificate is refused", func() bool { return verdicts(tr) == "unhealthy" })
	base := s.Client().Transport.(*http.Transport)
	t.Cleanup(base.CloseIdleConnections)
	known := transport(t, setOf(t, file("health: {"+swift+"}", s.URL)), base)
	t.Cleanup(known.Close)
	settles(t, "a known one is not", func() bool { return verdicts(known) == "healthy" })
}

// A server that takes connections and never says a word is found out, and so is
// that it is well again: its dead connection is not asked for ever.
func TestHealthOverGRPCAfterSilence(t *testing.T) {
	noLeak(t)
	s := grpcServer(t, false, func(string) (string, []byte) { return "0", []byte{0, 0, 0, 0, 2, 8, 1} })
	to := strings.TrimPrefix(s.URL, "http://")
	r := rawServer(t, func(c net.Conn, r *bufio.Reader) { _, _ = io.Copy(io.Discard, r) },
		func(c net.Conn, r *bufio.Reader) {
			out, err := net.Dial("tcp", to)
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(out, r)
				_ = out.Close()
			}()
			_, _ = io.Copy(c, out)
		})
	cfg := "health: {type: grpc, interval: 20ms, unhealthy: 1, healthy: 1, timeout: 200ms, jitter: none, max-removed: 100%}"
	tr := fileTransport(t, cfg, r.url)
	t.Cleanup(tr.Close)
	settles(t, "silent", func() bool { return verdicts(tr) == "unhealthy" })
	for range 1000 {
		if verdicts(tr) == "healthy" {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("still %s after %d connections", verdicts(tr), r.accepted.Load())
}
