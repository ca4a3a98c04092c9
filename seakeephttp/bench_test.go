package seakeephttp

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep"
)

// stub answers at once, as far from a network as possible, so that what is
// measured is what Transport adds.
type stub struct{ body bool }

func (s stub) RoundTrip(*http.Request) (*http.Response, error) {
	resp := &http.Response{StatusCode: 200, ContentLength: 2, Body: http.NoBody, ProtoMajor: 1}
	if s.body {
		resp.Body = io.NopCloser(strings.NewReader("ok"))
	}
	return resp, nil
}

func ladder(tb testing.TB) *seakeep.Policy {
	p, err := seakeep.New(seakeep.Config{
		Name:     "bench",
		Timeout:  seakeep.Timeout{Request: time.Second},
		Retry:    &seakeep.Retry{Attempts: 3},
		Breaker:  &seakeep.Breaker{Window: seakeep.Window{Over: 10 * time.Second}, Failures: 0.5, Open: seakeep.Pause{For: time.Second}},
		Bulkhead: &seakeep.Bulkhead{Limit: 100},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func BenchmarkRoundTrip(b *testing.B) {
	header := http.Header{"Accept": {"*/*"}, "User-Agent": {"bench"}, "X-Request-Id": {"1"}}
	for _, with := range []struct {
		name string
		rt   http.RoundTripper
	}{
		{"stub", stub{body: true}},
		{"ladder", Wrap(ladder(b), stub{body: true})},
		{"no-body", Wrap(ladder(b), stub{})},
	} {
		b.Run(with.name, func(b *testing.B) {
			req, err := http.NewRequestWithContext(b.Context(), "GET", "http://pricing/quote?sku=1", nil)
			if err != nil {
				b.Fatal(err)
			}
			req.Header = header
			buf := make([]byte, 64)
			b.ReportAllocs()
			for b.Loop() {
				resp, err := with.rt.RoundTrip(req)
				if err != nil {
					b.Fatal(err)
				}
				for err == nil {
					_, err = resp.Body.Read(buf)
				}
				_ = resp.Body.Close()
			}
		})
	}
}
