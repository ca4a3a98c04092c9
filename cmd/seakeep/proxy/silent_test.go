package proxy

import (
	"crypto/tls"
	"io"
	"net"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// greeted is how a client of HTTP/2 begins.
const greeted = http2.ClientPreface + "\x00\x00\x00\x04\x00\x00\x00\x00\x00"

// silents are clients that have stopped somewhere, and neither go on nor leave.
var silents = map[string]struct {
	tls  string // the protocol that is agreed on; "no": there is no TLS; "": its handshake is not made
	send string
	gets bool // an answer, first
}{
	"nothing":                     {"no", "", false},
	"half a head":                 {"no", "GET / HTTP/1.1\r\nHo", false},
	"a request":                   {"no", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", true},
	"a request in HTTP/1.0":       {"no", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true},
	"half a preface":              {"no", http2.ClientPreface[:10], false},
	"a preface":                   {"no", http2.ClientPreface, true},
	"settings":                    {"no", greeted, true},
	"half a frame":                {"no", greeted + "\x00\x00", true},
	"half a HEADERS":              {"no", greeted + "\x00\x00\x01\x01\x01\x00\x00\x00\x01\x82", true},
	"TLS: nothing":                {"", "", false},
	"TLS: half a hello":           {"", "\x16\x03\x01\x02\x00\x01", false},
	"TLS: a handshake":            {"http/1.1", "", false},
	"TLS: a handshake for HTTP/2": {"h2", "", false},
	"TLS: half a head":            {"http/1.1", "GET / HTTP/1.1\r\nHo", false},
	"TLS: a request":              {"http/1.1", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", true},
	"TLS: half a preface":         {"h2", http2.ClientPreface[:10], false},
	"TLS: a preface":              {"h2", http2.ClientPreface, true},
	"TLS: settings":               {"h2", greeted, true},
}

// TestDrainWaitsForNobodySilent: a client that says nothing, at whatever point it has
// stopped, does not hold a drain up.
func TestDrainWaitsForNobodySilent(t *testing.T) {
	k := keep(t)
	for name, c := range silents {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rungs := []string{k.rung()}
			if c.tls == "no" {
				rungs = nil
			}
			u := start(t, policy(saying(t, "one"), rungs...))
			var conn net.Conn
			conn, err := net.Dial("tcp", u.Addr("dep").String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if c.tls != "no" && c.tls != "" {
				s := tls.Client(conn, &tls.Config{RootCAs: k.authority.Pool(), ServerName: "127.0.0.1",
					NextProtos: []string{c.tls}})
				if err := s.Handshake(); err != nil {
					t.Fatal(err)
				}
				conn = s
			}
			_, _ = io.WriteString(conn, c.send)
			if c.gets {
				_ = conn.SetReadDeadline(time.Now().Add(patience))
				if _, err := conn.Read(make([]byte, 1)); err != nil {
					t.Fatal(err)
				}
			}
			until(t, "the connection", func() bool { return u.status().Listeners[0].Connections == 1 })
			<-time.After(20 * time.Millisecond) // it has come to where it waits
			began := time.Now()
			u.stop()
			if err := u.wait(); err != nil {
				t.Error(err)
			}
			if d := time.Since(began); d > patience/10 {
				t.Errorf("the drain takes %v", d)
			} else {
				t.Logf("the drain takes %v", d.Round(time.Millisecond))
			}
			if u.log.has("cut off") {
				t.Error("something was cut off")
			}
		})
	}
}
