package h1

import (
	"bufio"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A client that has sent more than is answered gets the answer and an end, not a
// reset.
func TestAnswerBeforeAnEnd(t *testing.T) {
	address, _ := listen(t, true, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		_, _ = io.WriteString(w, "the last one")
	}))
	conn := dial(t, address, strings.Repeat(get, 4000))
	time.Sleep(20 * time.Millisecond) // a reset would be here
	all, err := io.ReadAll(conn)
	if n := strings.Count(string(all), "HTTP/1.1 200"); err != nil || n != 1 ||
		!strings.HasSuffix(string(all), "the last one") {
		t.Errorf("%d answers, %v: %.300q", n, err, all)
	}
}

// A large head is not kept while its request is handled, and neither is room for
// fields of which there is one.
func TestLargeHeadsAreNotKept(t *testing.T) {
	const clients = 50
	came, release := make(chan int, clients), make(chan struct{})
	address, _ := listen(t, true, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		n := len(r.Header["A"])
		r.Header = nil
		came <- n
		<-release
	}))
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	const lines = 1900
	for range clients {
		dial(t, address, "GET / HTTP/1.1\r\nHost: a\r\n"+strings.Repeat("A:\r\n", lines)+"\r\n")
		if n := <-came; n != lines {
			t.Fatalf("%d values, want %d", n, lines)
		}
	}
	// The client's side is here too. Kept, the head and its values would be 66 KiB.
	if each := (heap() - before) / clients; each > 24<<10 {
		t.Errorf("%d bytes for each", each)
	}
	close(release)
}

// More fields than are usual all arrive.
func TestManyFields(t *testing.T) {
	address, _ := listen(t, true, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for i := range 300 {
			if r.Header.Get("X-"+strconv.Itoa(i)) != strconv.Itoa(i) {
				w.WriteHeader(http.StatusTeapot)
			}
		}
		r.Header["X-1"] = append(r.Header["X-1"], "changed")
		if r.Header.Get("X-2") != "2" {
			w.WriteHeader(http.StatusTeapot)
		}
	}))
	var b strings.Builder
	for i := range 300 {
		b.WriteString("X-" + strconv.Itoa(i) + ": " + strconv.Itoa(i) + "\r\n")
	}
	conn := dial(t, address, "GET / HTTP/1.1\r\nHost: a\r\n"+b.String()+"\r\n")
	if resp := answer(t, bufio.NewReader(conn)); resp.StatusCode != 200 {
		t.Error(resp.Status)
	}
}

// A client that reads nothing holds its connection no longer than a write may
// take, whoever sets that.
func TestClientThatReadsNothing(t *testing.T) {
	ended := make(chan error, 1)
	address, _ := listen(t, true, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				ended <- err
				return
			}
		}
	}))
	dial(t, address, get)
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("it is written to for ever")
	}
}

// Heads that come byte by byte are cut off by their own time, wherever in the
// connection they come.
func TestSlowHead(t *testing.T) {
	for _, first := range []string{"", get} {
		address, _ := listenHeads(t, 200*time.Millisecond, http.HandlerFunc(
			func(http.ResponseWriter, *http.Request) {}))
		conn := dial(t, address, first+"GET / HTTP/1.1\r\nX: ")
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = io.Copy(io.Discard, conn)
		}()
		for open := true; open; {
			select {
			case <-ended:
				open = false
			case <-time.After(20 * time.Millisecond):
				_, _ = io.WriteString(conn, "x")
			}
		}
		if err := conn.SetDeadline(time.Now()); err != nil {
			t.Error(err)
		}
	}
}

// Whoever goes on sending behind the request that he has called his last gets the
// answer and an end, not a reset (RFC 9112, section 9.6). What the connection is
// closed over has not been read by anybody.
func TestMoreBehindTheLastOne(t *testing.T) {
	for name, last := range map[string]string{
		"own":      "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
		"old":      "GET / HTTP/1.0\r\nHost: a\r\n\r\n", // which is net/http's
		"net/http": "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n",
	} {
		came, release := make(chan struct{}), make(chan struct{})
		address, _ := listen(t, true, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			close(came)
			<-release
			_, _ = io.WriteString(w, "the last one")
		}))
		conn := dial(t, address, last)
		<-came
		_, _ = io.WriteString(conn, strings.Repeat(get, 1000))
		close(release)
		time.Sleep(20 * time.Millisecond) // a reset would be here
		all, err := io.ReadAll(conn)
		if err != nil || !strings.HasSuffix(string(all), "the last one") {
			t.Errorf("%s: %v: %.300q", name, err, all)
		}
	}
}

// A client that is told before it has sent all of a large body hears that, and goes
// on sending until it has.
func TestAnswerBeforeAnUpload(t *testing.T) {
	came, release := make(chan struct{}), make(chan struct{})
	address, _ := listen(t, true, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(came)
		<-release
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	conn := dial(t, address, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000000\r\n\r\n")
	<-came
	close(release)
	for range 30 {
		if _, err := conn.Write(make([]byte, 100<<10)); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(20 * time.Millisecond) // a reset would be here
	if resp := answer(t, bufio.NewReader(conn)); resp.StatusCode != 503 {
		t.Errorf("%v", resp.Status)
	}
}
