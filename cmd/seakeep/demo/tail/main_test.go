package tail

import (
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/seakeephttp"
)

const ms = time.Millisecond

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
		t.Errorf("%s differs; go test ./cmd/seakeep/demo/tail -update rewrites it.\ngot:\n%s\nwant:\n%s",
			path, got, want)
	}
}

// bubble runs a test in virtual time. A bubble begins in the year 2000, when the
// library's clock is far below zero; it is let run to where clocks are as a rule.
func bubble(t *testing.T, f func(t *testing.T)) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Second - time.Duration(seakeep.Now()))
		f(t)
	})
}

// inMemory is an opener without sockets: the policy file's ladder, balancer,
// detector and copies are those of the proxy, and the replicas are called as
// functions.
func inMemory(f *fleet, file string, o seakeep.Options) (*place, error) {
	p, hosts := &place{url: "http://quotes"}, direct{}
	for i := 1; i <= replicas; i++ {
		host := "replica-" + strconv.Itoa(i)
		p.urls = append(p.urls, "http://"+host)
		hosts[host] = f.replica(i)
	}
	policy, err := read(file, p.urls)
	if err != nil {
		return nil, err
	}
	set, err := seakeep.NewSet(policy, o)
	if err != nil {
		return nil, err
	}
	t, err := seakeephttp.NewTransport(set, dependency, hosts)
	if err != nil {
		return nil, err
	}
	p.door, p.stop = t, t.Close
	return p, nil
}

// direct calls handlers as a transport would, by host.
type direct map[string]http.Handler

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	rec := httptest.NewRecorder()
	d[r.URL.Host].ServeHTTP(rec, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return rec.Result(), nil
}

func run(t *testing.T, o Options) *Report {
	t.Helper()
	o.open = inMemory
	r, err := Run(t.Context(), o, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
