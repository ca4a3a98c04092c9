package proxy

import (
	"bufio"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// stillThere is asked for behind an exchange, to see whether the connection can
// be used again.
const stillThere = "/still-there"

// beat is how long a side waits at @pause: longer than anybody takes to see
// what has come.
const beat = 30 * time.Millisecond

// partner is a dependency that follows a case.
type partner struct {
	answers [][]step
	mu      sync.Mutex
	got     strings.Builder
	turn    int
	conns   int
	open    int // connections
}

// follow starts a dependency that answers as a case says: the first request by
// what stands before the first @next, and all beyond the last by that.
func follow(t *testing.T, script string) (*partner, *backend) {
	p := &partner{answers: [][]step{nil}}
	if script == "" {
		script = "HTTP/1.1 200 OK\nContent-Length: 2\n\nok\\"
	}
	for _, s := range steps(script) {
		if n := len(p.answers); s.do == "next" {
			p.answers = append(p.answers, nil)
		} else {
			p.answers[n-1] = append(p.answers[n-1], s)
		}
	}
	return p, scripted(t, p.serve)
}

func (p *partner) serve(c net.Conn, br *bufio.Reader) {
	p.count(1)
	defer p.count(-1)
	number := 0
	for {
		head, err := readHead(br)
		if err != nil {
			if head != "" {
				p.note(head + mark + "@cut\r\n")
			}
			return
		}
		if strings.Contains(head, " "+stillThere+" ") {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
			continue
		}
		answer := p.next(&number)
		if len(answer) > 0 && answer[0].do == "early" {
			go p.play(c, answer[1:])
			p.receive(br, head)
			continue
		}
		if !p.receive(br, head) || !p.play(c, answer) {
			return
		}
	}
}

// next is the answer that is due. A connection that is not the first one is
// marked where it begins.
func (p *partner) next(number *int) []step {
	p.mu.Lock()
	defer p.mu.Unlock()
	if *number == 0 {
		if p.conns++; p.conns > 1 {
			p.got.WriteString("@new connection\r\n")
		}
		*number = p.conns
	}
	i := min(p.turn, len(p.answers)-1)
	p.turn++
	return p.answers[i]
}

func (p *partner) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.got.WriteString(text)
}

// text is all that was received, once the proxy has closed its connections.
func (p *partner) text(t *testing.T) string {
	until(t, "the proxy to close its connections", func() bool { return p.count(0) == 0 })
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.got.String()
}

func (p *partner) count(change int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open += change
	return p.open
}

func readHead(br *bufio.Reader) (head string, err error) {
	for !strings.HasSuffix(head, "\r\n\r\n") {
		line, err := br.ReadString('\n')
		if head += line; err != nil {
			return head, err
		}
	}
	return head, nil
}

// receive reads a request's body and takes the request down. It reports whether
// it was whole.
func (p *partner) receive(br *bufio.Reader, head string) bool {
	body, whole := readBody(br, head)
	text := ordered(head+body, nil)
	if !whole {
		text += mark + "@cut\r\n"
	}
	p.note(text)
	return whole
}

func readBody(br *bufio.Reader, head string) (body string, whole bool) {
	var b strings.Builder
	for _, line := range strings.Split(head, "\r\n")[1:] {
		name, value, _ := strings.Cut(line, ": ")
		switch name {
		case "Content-Length":
			n, _ := strconv.ParseInt(value, 10, 64)
			_, err := io.CopyN(&b, br, n)
			return b.String(), err == nil
		case "Transfer-Encoding":
			for {
				line, err := br.ReadString('\n')
				if b.WriteString(line); err != nil {
					return b.String(), false
				}
				n, _ := strconv.ParseInt(strings.TrimSpace(line), 16, 64)
				if n == 0 {
					break
				}
				if _, err := io.CopyN(&b, br, n+2); err != nil {
					return b.String(), false
				}
			}
			for {
				line, err := br.ReadString('\n')
				if b.WriteString(line); err != nil || line == "\r\n" {
					return b.String(), err == nil
				}
			}
		}
	}
	return "", true
}

// play does what the dependency does. It reports whether the connection goes on.
func (p *partner) play(c net.Conn, answer []step) bool {
	for _, s := range answer {
		switch s.do {
		case "":
			if _, err := io.WriteString(c, s.bytes); err != nil {
				return false
			}
		case "pause":
			time.Sleep(beat)
		case "half-close":
			_ = c.(*net.TCPConn).CloseWrite()
		case "close":
			_ = c.Close()
			return false
		case "reset":
			hard(c)
			_ = c.Close()
			return false
		default:
			panic("there is no @" + s.do)
		}
	}
	return true
}
