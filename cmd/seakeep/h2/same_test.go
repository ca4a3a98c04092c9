package h2

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// status plays with the head of an answer, and reports whether that is all.
func status(w http.ResponseWriter, path string) (ended bool) {
	switch path {
	case "/nothing":
		w.WriteHeader(http.StatusNoContent)
		return true
	case "/same":
		w.Header().Set("Content-Length", "7")
		w.WriteHeader(http.StatusNotModified)
		return true
	case "/hints":
		w.Header().Set("Link", "</a>")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Link")
	case "/panic":
		panic("a mistake")
	case "/twice":
		w.WriteHeader(http.StatusTeapot)
		w.WriteHeader(http.StatusOK)
	case "/odd":
		w.Header().Set("X-Odd", "a\r\nB: c")
		w.Header().Set("X Odd", "a")
		w.Header().Set("X-Good", "a\tb \xe9")
		w.WriteHeader(299)
	case "/large-head":
		w.Header().Set("X-Large", strings.Repeat("h", 40_000))
	}
	return false
}

// bodies plays with bodies.
func bodies(w http.ResponseWriter, path string) (ended bool) {
	rc := http.NewResponseController(w)
	switch path {
	case "/empty", "/unread":
		return true
	case "/large":
		_, _ = w.Write(bytes.Repeat([]byte("x"), 40_000))
		return true
	case "/sized":
		w.Header().Set("Content-Length", "10000")
		for range 10 {
			_, _ = w.Write(bytes.Repeat([]byte("y"), 1000))
		}
		return true
	case "/too-much":
		w.Header().Set("Content-Length", "3")
		_, _ = w.Write([]byte("abc"))
		if _, err := w.Write([]byte("def")); err == nil {
			panic("more than the length was taken")
		}
		return true
	case "/flushed":
		_, _ = io.WriteString(w, "one")
		_ = rc.Flush()
		_, _ = io.WriteString(w, "two")
		return true
	case "/flushed-only":
		_ = rc.Flush()
		return true
	case "/trailer":
		w.Header().Set("Trailer", "X-Sum")
		_, _ = io.WriteString(w, "body")
		w.Header().Set("X-Sum", "4")
		w.Header().Set(http.TrailerPrefix+"X-Late", "5")
		_ = rc.Flush()
		return true
	case "/only-trailer":
		_ = rc.Flush()
		w.Header().Set(http.TrailerPrefix+"Grpc-Status", "5")
		return true
	case "/abort":
		_, _ = io.WriteString(w, "some")
		_ = rc.Flush()
		panic(http.ErrAbortHandler)
	case "/hijack":
		if _, _, err := rc.Hijack(); !errors.Is(err, http.ErrNotSupported) {
			panic("it was taken over")
		}
		return true
	}
	return false
}

// told is a handler that does what the path asks, and otherwise writes what it was
// told.
func told(w http.ResponseWriter, r *http.Request) {
	w.Header()["Content-Type"] = nil
	if ended := status(w, r.URL.Path) || bodies(w, r.URL.Path); ended {
		return
	}
	body, err := io.ReadAll(r.Body)
	fmt.Fprintf(w, "%s %s path=%q raw=%q query=%q force=%v host=%s url=%s length=%d close=%v proto=%s body=%q err=%v\n",
		r.Method, r.RequestURI, r.URL.Path, r.URL.RawPath, r.URL.RawQuery, r.URL.ForceQuery, r.Host, r.URL.Host,
		r.ContentLength, r.Close, r.Proto, body, err)
	var names []string
	for name, values := range r.Header {
		if name != "Expect" { // which net/http hides
			names = append(names, fmt.Sprintf("%s=%q", name, values))
		}
	}
	slices.Sort(names)
	fmt.Fprintln(w, strings.Join(names, " "), r.Trailer)
}

// otherwise is where ours differs, and how it ends then: net/http lets a body
// that is shorter than its length pass for a whole one until somebody reads it, and
// takes more of an answer than its length before it finds out.
var otherwise = map[string]string{
	"body that is too short": "reset PROTOCOL_ERROR",
	"too much":               "whole",
}

// TestSameAsNetHTTP: from outside our server and net/http's are the same.
func TestSameAsNetHTTP(t *testing.T) {
	ours, theirs := listen(t, asIs, http.HandlerFunc(told)), listen(t, nil, http.HandlerFunc(told))
	for _, e := range exchanges {
		t.Run(e.name, func(t *testing.T) {
			var got [2]string
			var end string
			for i, s := range []*server{theirs, ours} {
				p := s.dial(t)
				e.send(p)
				a := p.answer(1)
				got[i], end = fmt.Sprintf("%+v", a), a.end
			}
			if want := otherwise[e.name]; want != "" && end == want {
				return
			}
			if got[0] != got[1] {
				t.Errorf("net/http:\n%.600s\nours:\n%.600s", got[0], got[1])
			}
		})
	}
}
