package live

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"time"
)

// Server is an HTTP server on a free port of the loopback interface.
type Server struct {
	// URL is where it listens, without a path.
	URL  string
	http http.Server
	done chan error
}

// Serve starts a server. Stop must follow.
func Serve(h http.Handler) (*Server, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return ServeAt(ln, h), nil
}

// ServeAt serves h where somebody listens already.
func ServeAt(ln net.Listener, h http.Handler) *Server {
	s := &Server{URL: "http://" + ln.Addr().String(), done: make(chan error, 1)}
	s.http.Handler = h
	s.http.ReadHeaderTimeout = 10 * time.Second
	// What users' leaving does to connections is in the figures, not in a log.
	s.http.ErrorLog = log.New(io.Discard, "", 0)
	go func() { s.done <- s.http.Serve(ln) }()
	return s
}

// Stop waits a moment for requests under way and ends the rest.
func (s *Server) Stop() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		_ = s.http.Close()
	}
	<-s.done
}
