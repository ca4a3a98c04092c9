package overload

import (
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/seakeep/seakeep"
)

var update = flag.Bool("update", false, "write the golden files")

// Whatever a demo starts must be over when it is.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// golden compares text with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; go test ./cmd/seakeep/demo/overload -update rewrites it.\ngot:\n%s\nwant:\n%s",
			path, got, want)
	}
}

// narrow fails if a line is wider than a terminal.
func narrow(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if len(line) > 81 {
			t.Errorf("is wider than a terminal: %s", line)
		}
	}
}

// inside is a guard without sockets: a handler around the program's. With it a
// demo runs in a bubble of synctest, where nobody has to wait and no machine is
// too busy.
type inside func(http.Handler) http.Handler

func (inside) start(string) (string, func(), error) { panic("overload: has no socket") }

// inMemory is an opener without sockets.
func inMemory(a *app, g guard) (*place, error) {
	h := http.Handler(a)
	if wrap, ok := g.(inside); ok {
		h = wrap(a)
	}
	return &place{url: "http://program", door: direct{h}, stop: func() {}}, nil
}

// direct calls a handler as a transport would.
type direct struct{ handler http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	rec, done := httptest.NewRecorder(), make(chan struct{})
	go func() {
		defer close(done)
		d.handler.ServeHTTP(rec, r)
	}()
	select {
	case <-done:
	case <-r.Context().Done():
	}
	if err := r.Context().Err(); err != nil {
		<-done
		return nil, err
	}
	return rec.Result(), nil
}

// bubble runs a test in virtual time. A bubble begins in the year 2000, when the
// library's clock is far below zero; it is let run to where clocks are as a rule.
func bubble(t *testing.T, f func(t *testing.T)) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Second - time.Duration(seakeep.Now()))
		f(t)
	})
}

func swept(t *testing.T, o Options) *Report {
	t.Helper()
	o.open = inMemory
	r, err := Sweep(t.Context(), o, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
