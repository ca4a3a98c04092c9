package h1

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/wire"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// refuse answers what package wire does not let through.
func refuse(w http.ResponseWriter, _ *http.Request, why *wire.Refusal) {
	w.WriteHeader(why.Status)
}

// listen serves a handler, by our server or by net/http alone, and returns its
// address and how to stop it.
func listen(t testing.TB, own bool, h http.Handler) (address string, shutdown func() error) {
	t.Helper()
	return listenFor(t, own, time.Minute, 5*time.Second, h)
}

// listenIdle is listen with an own idle time.
func listenIdle(t testing.TB, d time.Duration, h http.Handler) (string, func() error) {
	t.Helper()
	return listenFor(t, true, d, 5*time.Second, h)
}

// listenHeads is listen with an own time for heads.
func listenHeads(t testing.TB, d time.Duration, h http.Handler) (string, func() error) {
	t.Helper()
	return listenFor(t, true, time.Minute, d, h)
}

func listenFor(t testing.TB, own bool, idle, head time.Duration, h http.Handler) (address string,
	shutdown func() error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	judged := wire.Listen(l, wire.Limits{Head: 8 << 10, HeadTime: head, Conns: 1000})
	quiet := log.New(io.Discard, "", 0)
	others := &http.Server{Handler: wire.Handler(h, refuse), ConnContext: wire.ConnContext,
		ErrorLog: quiet, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute,
		DisableGeneralOptionsHandler: true}
	s := &Server{Handler: h, Others: others, IdleTime: idle, ErrorLog: quiet}
	ended := make(chan error, 1)
	go func() {
		if own {
			ended <- s.Serve(judged)
		} else {
			ended <- others.Serve(judged)
		}
	}()
	shutdown = func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if !own {
			return others.Shutdown(ctx)
		}
		return s.Shutdown(ctx)
	}
	t.Cleanup(func() {
		if own {
			_ = s.Close()
		} else {
			_ = others.Close()
		}
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("Serve returns %v", err)
		}
	})
	return judged.Addr().String(), shutdown
}

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
	case "/close":
		w.Header().Set("Connection", "close")
	case "/panic":
		panic("a mistake")
	case "/twice":
		w.WriteHeader(http.StatusTeapot)
		w.WriteHeader(http.StatusOK)
	case "/odd":
		w.Header().Set("X-Odd", "a\r\nB: c")
		w.WriteHeader(299)
	}
	return false
}

// bodies plays with bodies.
func bodies(w http.ResponseWriter, path string) (ended bool) {
	rc := http.NewResponseController(w)
	switch path {
	case "/empty":
		return true
	case "/unread":
		return true
	case "/large":
		_, _ = w.Write(bytes.Repeat([]byte("x"), 10_000))
		return true
	case "/sized":
		w.Header().Set("Content-Length", "10000")
		for range 10 {
			_, _ = w.Write(bytes.Repeat([]byte("y"), 1000))
		}
		return true
	case "/too-much":
		w.Header().Set("Content-Length", "3")
		if _, err := w.Write([]byte("abcdef")); !errors.Is(err, http.ErrContentLength) {
			panic("more than the length was taken")
		}
		_, _ = w.Write([]byte("abc"))
		return true
	case "/too-little":
		w.Header().Set("Content-Length", "10")
		_, _ = w.Write([]byte("abc"))
		return true
	case "/flushed":
		_, _ = io.WriteString(w, "one")
		_ = rc.Flush()
		_, _ = io.WriteString(w, "two")
		return true
	case "/trailer":
		w.Header().Set("Trailer", "X-Sum")
		_, _ = io.WriteString(w, "body")
		w.Header().Set("X-Sum", "4")
		w.Header().Set(http.TrailerPrefix+"X-Late", "5")
		_ = rc.Flush()
		return true
	case "/abort":
		_, _ = io.WriteString(w, "some")
		_ = rc.Flush()
		panic(http.ErrAbortHandler)
	}
	return false
}

// told is a handler that does what the path asks, and otherwise writes what it
// was told.
func told(w http.ResponseWriter, r *http.Request) {
	w.Header()["Content-Type"] = nil
	if ended := status(w, r.URL.Path) || bodies(w, r.URL.Path); ended {
		return
	}
	body, err := io.ReadAll(r.Body)
	fmt.Fprintf(w, "%s %s path=%q raw=%q query=%q host=%s length=%d close=%v proto=%s body=%q err=%v\n",
		r.Method, r.RequestURI, r.URL.Path, r.URL.RawPath, r.URL.RawQuery, r.Host, r.ContentLength,
		r.Close, r.Proto, body, err)
	var names []string
	for name, values := range r.Header {
		names = append(names, fmt.Sprintf("%s=%q", name, values))
	}
	slices.Sort(names)
	fmt.Fprintln(w, strings.Join(names, " "))
}

var dates = regexp.MustCompile(`Date: [^\r]*\r\n`)

// ask sends bytes, in pieces of a size, and returns all that comes.
func ask(t testing.TB, address, send string, piece int) string {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	got := make(chan string)
	go func() {
		all, _ := io.ReadAll(conn)
		got <- string(all)
	}()
	for rest := send; len(rest) > 0; {
		n := min(piece, len(rest))
		if _, err := io.WriteString(conn, rest[:n]); err != nil {
			break
		}
		if rest = rest[n:]; piece < len(send) {
			time.Sleep(time.Millisecond) // so that it comes in pieces
		}
	}
	// A client that has nothing more to say is not one that has left.
	time.Sleep(30 * time.Millisecond)
	_ = conn.(*net.TCPConn).CloseWrite()
	return dates.ReplaceAllString(<-got, "")
}

// TestSameAsNetHTTP: from outside our server and net/http's are the same.
func TestSameAsNetHTTP(t *testing.T) {
	ours, _ := listen(t, true, http.HandlerFunc(told))
	theirs, _ := listen(t, false, http.HandlerFunc(told))
	for _, e := range exchanges {
		for _, piece := range []int{1 << 20, 1000, 7} {
			if piece == 7 && len(e.send) > 1000 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", e.name, piece), func(t *testing.T) {
				t.Parallel()
				got, want := ask(t, ours, e.send, piece), ask(t, theirs, e.send, piece)
				if got != want && !equal(got, want) {
					t.Errorf("ours:\n%.600q\nnet/http:\n%.600q", got, want)
				}
			})
		}
	}
}

// equal compares answers by what they mean: net/http splits a body into chunks
// where its buffers end.
func equal(a, b string) bool {
	return slices.Equal(read(a), read(b))
}

func read(text string) (all []string) {
	r := bufio.NewReader(strings.NewReader(text))
	for {
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			if err != io.ErrUnexpectedEOF {
				all = append(all, "error "+err.Error())
			}
			return all
		}
		body, err := io.ReadAll(resp.Body)
		all = append(all, fmt.Sprint(resp.Status, resp.Header, resp.ContentLength, resp.TransferEncoding,
			string(body), err, resp.Trailer, resp.Close))
	}
}
