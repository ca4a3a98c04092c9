package proxy

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// reader is a client's side of a connection.
type reader struct {
	net.Conn
	methods []string
	mu      sync.Mutex
	more    *sync.Cond
	got     strings.Builder
	last    time.Time // something came
	before  int       // bytes that came before it was asked whether the connection is open
	ended   bool
	reset   bool // ... with a reset
	late    bool // ... because it took too long
}

func (r *reader) run() {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		r.mu.Lock()
		r.got.Write(buf[:n])
		r.last, r.ended = time.Now(), err != nil
		r.reset = errors.Is(err, syscall.ECONNRESET)
		r.late = errors.Is(err, os.ErrDeadlineExceeded)
		r.more.Broadcast()
		r.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// text is all that has come, as a file has it.
func (r *reader) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got.String()
	if r.before > 0 {
		got = got[:r.before]
	}
	return escape(masked(ordered(got, r.methods)))
}

// await waits until something has come, and reports whether it has.
func (r *reader) await(ok func(got string) bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !ok(r.got.String()) {
		if r.ended {
			return false
		}
		r.more.Wait()
	}
	return true
}

// follow does what the client does.
func (r *reader) follow(t *testing.T, all []step, pieces bool) (state string) {
	for _, s := range all {
		what, arg, _ := strings.Cut(s.do, " ")
		switch what {
		case "":
			r.write(s.bytes, pieces)
		case "pause":
			time.Sleep(beat)
		case "await":
			if !r.await(func(got string) bool { return strings.Contains(got, arg) }) {
				t.Errorf("%s does not come", arg)
			}
		case "half-close":
			_ = r.Conn.(*net.TCPConn).CloseWrite()
			state = "@closed"
		case "close":
			_ = r.Close()
			return "@left"
		default:
			t.Fatalf("there is no @%s", s.do)
		}
	}
	if state == "@closed" {
		r.await(func(string) bool { return false })
	}
	return state
}

// write sends bytes at once, or the first ones each on its own.
func (r *reader) write(text string, pieces bool) {
	for i := 0; pieces && i < 200 && text != ""; i++ {
		if _, err := io.WriteString(r, text[:1]); err != nil {
			return
		}
		text = text[1:]
	}
	_, _ = io.WriteString(r, text) // the proxy may have ended the connection
}

// settle waits for the end of the exchange and reports what has become of the
// connection: one that is open is one on which a request is answered.
func (r *reader) settle(t *testing.T, want string) (state string) {
	text, state := want, "@closed"
	if i := strings.LastIndex(want, "@"); i >= 0 {
		text, state = want[:i], want[i:]
	}
	if want == "" {
		state = r.silence()
	} else if state == "@open" {
		r.enough(text)
	}
	if state == "@open" {
		before := len(r.raw())
		r.before = before
		_, _ = io.WriteString(r, "GET "+stillThere+" HTTP/1.1\r\nHost: h\r\n\r\n")
		if r.await(func(got string) bool { return strings.HasSuffix(got[before:], "\r\n\r\n") }) {
			return "@open"
		}
		return "@closed"
	}
	r.await(func(string) bool { return false })
	return "@closed"
}

func (r *reader) raw() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got.String()
}

// enough waits until what is expected has come.
func (r *reader) enough(text string) {
	text = unworded(text)
	r.await(func(got string) bool {
		return unworded(escape(masked(ordered(got, r.methods)))) == text
	})
}

// silence waits until nothing comes any more.
func (r *reader) silence() (state string) {
	for begin := time.Now(); ; time.Sleep(beat) {
		r.mu.Lock()
		last, ended := r.last, r.ended
		r.mu.Unlock()
		if last.Before(begin) {
			last = begin
		}
		switch {
		case ended:
			return "@closed"
		case time.Since(last) > 15*beat:
			return "@open"
		}
	}
}
