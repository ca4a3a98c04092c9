//go:build unix

package upstream

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkRoundTrip is a GET of 1 KiB over loopback. The server costs the same
// for both, so what is of interest is the difference to "none", which is the same
// exchange without any HTTP on this side.
func BenchmarkRoundTrip(b *testing.B) {
	answer := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: Mon, 30 Nov 2026 10:00:00 GMT\r\n" +
		"Content-Length: 1024\r\n\r\n" + strings.Repeat("x", 1024)
	s := serve(b, func(c net.Conn, br *bufio.Reader, _ int) {
		head := make([]byte, 4096)
		text := []byte(answer)
		for {
			if _, err := c.Read(head); err != nil {
				return
			}
			if _, err := c.Write(text); err != nil {
				return
			}
		}
	})
	b.Run("none", func(b *testing.B) {
		measure(b, func(pb *testing.PB) {
			c, err := net.Dial("tcp", s.Addr().String())
			if err != nil {
				b.Error(err)
				return
			}
			defer c.Close()
			buf := make([]byte, 4096)
			for pb.Next() {
				_, _ = c.Write([]byte("GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 127.0.0.1\r\n\r\n"))
				if _, err := c.Read(buf); err != nil {
					b.Error(err)
				}
			}
		})
	})
	for name, rt := range map[string]http.RoundTripper{"own": pool(b, Settings{}), "net-http": standard(b)} {
		b.Run(name, func(b *testing.B) {
			measure(b, func(pb *testing.PB) {
				buf := make([]byte, 32<<10)
				for pb.Next() {
					req, _ := http.NewRequest("GET", s.url(), nil)
					req.Header["X-Forwarded-For"] = []string{"127.0.0.1"}
					resp, err := rt.RoundTrip(req)
					if err != nil {
						b.Error(err)
						return
					}
					_, _ = io.CopyBuffer(io.Discard, struct{ io.Reader }{resp.Body}, buf)
					_ = resp.Body.Close()
				}
			})
		})
	}
}

// measure reports the processor time of an exchange, on both sides.
func measure(b *testing.B, run func(*testing.PB)) {
	b.ReportAllocs()
	b.SetParallelism(16)
	before := cpu()
	b.ResetTimer()
	b.RunParallel(run)
	b.ReportMetric(float64(cpu()-before)/float64(b.N), "cpu-ns/op")
}

func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
