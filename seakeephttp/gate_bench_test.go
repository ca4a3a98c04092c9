package seakeephttp

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
)

// nowhere is an answer that nobody reads.
type nowhere struct{ h http.Header }

func (w *nowhere) Header() http.Header         { return w.h }
func (w *nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (w *nowhere) WriteHeader(int)             {}

// gateOf is the gate of a serve section, with the admission at a share.
func gateOf(tb testing.TB, serve string, share float64) *Gate {
	tb.Helper()
	file, err := config.Parse("f", []byte("version: 1\nservice: shop\nserve: "+serve+"\n"))
	if err != nil {
		tb.Fatal(err)
	}
	set, err := seakeep.NewSet(file, seakeep.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	if err := set.Door().Admit(share, 0); err != nil {
		tb.Fatal(err)
	}
	g, err := NewGate(set)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

const benchServe = "{deadline: {default: 1h}, criticality: {trust: [127.0.0.1]}, user: X-User, " +
	"concurrency: {algorithm: fixed, limit: 100}, queue: {length: 10}, shed: {}}"

// What our own part of a refusal costs; the rest is net/http's.
func BenchmarkRefusal(b *testing.B) {
	g := gateOf(b, benchServe, 0)
	r := httptest.NewRequest("GET", "/x", nil)
	r.Header.Set("X-User", "someone")
	w := &nowhere{http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.h)
		in, refused := g.Enter(r)
		if in != nil || refused == nil {
			b.Fatal("let in")
		}
		refused.Write(w, r)
	}
}

// What the door adds to a request that is served.
func BenchmarkPassage(b *testing.B) {
	g := gateOf(b, benchServe, 1)
	r := httptest.NewRequest("GET", "/x", nil)
	r.Header.Set("X-User", "someone")
	w := &nowhere{http.Header{}}
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200) })
	b.ReportAllocs()
	for b.Loop() {
		in, refused := g.Enter(r)
		if refused != nil {
			b.Fatal("refused")
		}
		in.Serve(w, next)
	}
}
