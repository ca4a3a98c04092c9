package conformance

import (
	"io"
	"net/http"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/seakeephttp"
)

func TestHTTPClient(t *testing.T) {
	for _, s := range Scripts(t, "testdata") {
		t.Run(filepath.Base(s.Name), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				events, start := httpClient(t, s)
				Same(t, Instants(Log(events, start)), Instants(s.Want))
			})
		})
	}
}

// httpClient runs a script through the RoundTripper, with HTTP/1.1 over
// connections in memory.
func httpClient(t *testing.T, s *Script) ([]core.Event, core.Instant) {
	d := &Diary{}
	set, err := seakeep.NewSet(s.Policy, seakeep.Options{Observer: d, Draw: Half})
	if err != nil {
		t.Fatal(err)
	}
	b := s.Backend(t)
	protected, err := seakeephttp.NewTransport(set, s.Policy.Dependencies[0].Name, b.Transport())
	if err != nil {
		t.Fatal(err)
	}
	start := seakeep.Now()
	s.Play(func(n int) {
		ctx, cancel := s.context()
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.URL()+Path(n), nil)
		if err != nil {
			t.Error(err)
			return
		}
		resp, err := protected.RoundTrip(req)
		if err != nil {
			return // it is among the decisions
		}
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body)
	})
	return d.Events(), start
}
