package h1

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"reflect"
	"testing"

	"github.com/seakeep/seakeep/cmd/seakeep/wire"
)

// given is a connection that has sent all it ever will.
type given struct {
	net.Conn
	r io.Reader
}

func (g given) Read(p []byte) (int, error) { return g.r.Read(p) }
func (g given) Close() error               { return nil }

// Accept makes it its own listener.
func (g given) Accept() (net.Conn, error) { return g, nil }
func (g given) Addr() net.Addr            { return nil }

// FuzzParse: whatever package wire lets pass and we take, we read as net/http
// does.
func FuzzParse(f *testing.F) {
	for _, e := range exchanges {
		f.Add([]byte(e.send))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		l := wire.Listen(given{r: bytes.NewReader(sent)}, wire.Limits{Head: 8 << 10, Conns: 1})
		conn, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		passed, _ := io.ReadAll(conn)
		end := bytes.Index(passed, headEnd)
		if end < 0 {
			return
		}
		var q request
		if !q.parse(passed[:end+len(headEnd)]) {
			return
		}
		got := q.build(context.Background(), "")
		want, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(passed)))
		if err != nil {
			t.Fatalf("taken, and net/http says %v: %q", err, passed)
		}
		same := got.Method == want.Method && got.RequestURI == want.RequestURI && got.Host == want.Host &&
			got.ContentLength == want.ContentLength && got.Close == want.Close && got.Proto == want.Proto &&
			reflect.DeepEqual(got.URL, want.URL) && reflect.DeepEqual(got.Header, want.Header)
		if !same {
			t.Fatalf("ours %+v\n%+v\nnet/http %+v\n%+v", got, got.URL, want, want.URL)
		}
	})
}
