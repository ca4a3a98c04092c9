package proxy

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
)

// recording is a dependency that tells the lines of each request's head as
// they came, and answers 200. It reads no bodies.
func recording(t *testing.T, seen chan<- []string) *backend {
	return scripted(t, func(c net.Conn, br *bufio.Reader) {
		var head []string
		for {
			line, err := br.ReadString('\n')
			if err != nil {
				return
			}
			if line = strings.TrimSuffix(line, "\r\n"); line != "" {
				head = append(head, line)
				continue
			}
			seen <- head
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
			_ = c.(*net.TCPConn).CloseWrite()
			_, _ = io.Copy(io.Discard, br)
			return
		}
	})
}

// field returns a field's values in a head of recording.
func field(head []string, name string) (values []string) {
	for _, line := range head[1:] {
		n, value, _ := strings.Cut(line, ": ")
		if strings.EqualFold(n, name) {
			values = append(values, value)
		}
	}
	return values
}
