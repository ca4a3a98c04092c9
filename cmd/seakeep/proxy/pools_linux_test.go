package proxy

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
)

// rchar is how many bytes this process has read with system calls that copy.
func rchar(t *testing.T) (n int64) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skip(err) // not every system lets a process look
	}
	if _, err := fmt.Sscanf(string(text), "rchar: %d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestLongBodiesAreSpliced: the proxy does not read them. The client does, in
// this process too, so without that every byte would be read twice.
func TestLongBodiesAreSpliced(t *testing.T) {
	const size = 32 << 20
	backend := web(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(size))
		_, _ = io.Copy(w, struct{ io.Reader }{io.LimitReader(zeros{}, size)})
	})
	for name, tc := range map[string]struct {
		rung   string
		copied bool
	}{
		"plain": {"bulkhead: {limit: 4}", false},
		"paced": {"response: {idle: 10s}", true},
	} {
		t.Run(name, func(t *testing.T) {
			u := start(t, policy(backend, tc.rung))
			before := rchar(t)
			if resp, body := u.get("/"); resp.StatusCode != 200 || len(body) != size {
				t.Fatalf("got %d with %d bytes", resp.StatusCode, len(body))
			}
			if n := rchar(t) - before; (n > size+size/2) != tc.copied {
				t.Errorf("%d bytes were read of an answer of %d", n, size)
			}
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
