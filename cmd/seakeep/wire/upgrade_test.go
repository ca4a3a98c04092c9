package wire

import (
	"bufio"
	"io"
	"net/http"
	"testing"
)

// TestUpgradeIsLeftAlone: after 101 anything may follow, also what would be a
// bad request.
func TestUpgradeIsLeftAlone(t *testing.T) {
	s := serve(t, limits(), func(w http.ResponseWriter, _ *http.Request) {
		conn, brw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = brw.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n" +
			"Upgrade: raw\r\n\r\n")
		_ = brw.Flush()
		_, _ = io.Copy(conn, io.LimitReader(brw, 8))
	})
	c := s.dial(t)
	_, _ = io.WriteString(c,
		"GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: raw\r\n\r\n\n\x00\r\n") // early bytes too
	br := bufio.NewReader(c)
	resp, err := http.ReadResponse(br, nil)
	if err != nil || resp.StatusCode != 101 {
		t.Fatalf("got %v, %v", resp, err)
	}
	_, _ = io.WriteString(c, "\xff\x00\n\n")
	got, err := io.ReadAll(br)
	if err != nil || string(got) != "\n\x00\r\n\xff\x00\n\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestRefusedUpgradeEndsTheConnection: what followed was not judged.
func TestRefusedUpgradeEndsTheConnection(t *testing.T) {
	for name, lines := range map[string]string{
		"plain":          "Connection: Upgrade\r\nUpgrade: websocket\r\n",
		"second line":    "Upgrade: h2c\r\nUpgrade: websocket\r\n",
		"empty first":    "Upgrade:\r\nUpgrade: websocket\r\n",
		"one of two":     "Upgrade: h2c, websocket\r\n",
		"no Connection":  "Upgrade: websocket\r\n",
		"other spelling": "uPGRADE: websocket\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, limits(), nil)
			got, ended := s.talk(t, "GET /1 HTTP/1.1\r\nHost: h\r\n"+lines+"\r\n"+
				"GET /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 2)
			if len(got) != 1 || !ended || s.handled.Load() != 1 {
				t.Errorf("got %v, ended %v, handled %d; want one answer and the end",
					got, ended, s.handled.Load())
			}
		})
	}
}

// TestOfferOfHTTP2IsIgnored: some clients offer it with every first request.
func TestOfferOfHTTP2IsIgnored(t *testing.T) {
	s := serve(t, limits(), nil)
	got, _ := s.talk(t, "GET /1 HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\n"+
		"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n", 2)
	if len(got) != 2 || got[0].body != "GET /1 []" || got[1].body != "GET /2 []" {
		t.Errorf("got %v", got)
	}
}
