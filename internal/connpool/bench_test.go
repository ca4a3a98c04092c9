package connpool

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/seakeep/seakeep/config"
)

// BenchmarkGet is a request over loopback, by the pool and by net/http's own.
func BenchmarkGet(b *testing.B) {
	for _, protocol := range []config.Protocol{config.HTTP1, config.H2C} {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "ok")
		}))
		s.Config.Protocols = new(http.Protocols)
		s.Config.Protocols.SetHTTP1(true)
		s.Config.Protocols.SetUnencryptedHTTP2(true)
		s.Start()
		p, err := New(Settings{Protocol: protocol, Connections: config.Connections{}.Filled(0)}, nil)
		if err != nil {
			b.Fatal(err)
		}
		bare := p.Transport()
		bare.MaxIdleConnsPerHost = 128
		for name, rt := range map[string]http.RoundTripper{"pool": p, "net-http": bare} {
			b.Run(protocol.String()+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						req, _ := http.NewRequest("GET", s.URL, nil)
						resp, err := rt.RoundTrip(req)
						if err != nil {
							b.Error(err)
							return
						}
						_, _ = io.Copy(io.Discard, resp.Body)
						_ = resp.Body.Close()
					}
				})
			})
		}
		p.CloseIdleConnections()
		bare.CloseIdleConnections()
		s.Close()
	}
}
