package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// client sends one request and reads all of its answer.
type client interface {
	exchange() error
	close()
}

// burst is what one turn of a proxy came to.
type burst struct {
	requests     int
	took         time.Duration
	user, system time.Duration
	latencies    []time.Duration // sorted; from the moment a request was due
}

// drive lets the clients work for a time: as fast as answers come, or at a
// fixed rate all together, each request at a moment of its own. A request that
// fails ends the measurement: a proxy that fails is not to be compared.
func drive(clients []client, d time.Duration, rate float64) (burst, error) {
	var wg sync.WaitGroup
	counts := make([]burst, len(clients))
	errs := make([]error, len(clients))
	began := time.Now()
	for i, c := range clients {
		wg.Go(func() { counts[i], errs[i] = work(c, began, d, rate, i, len(clients)) })
	}
	wg.Wait()
	b := burst{took: time.Since(began)}
	for _, c := range counts {
		b.requests += c.requests
		b.latencies = append(b.latencies, c.latencies...)
	}
	slices.Sort(b.latencies)
	for _, err := range errs {
		if err != nil {
			return b, err // the others say the same
		}
	}
	return b, nil
}

func work(c client, began time.Time, d time.Duration, rate float64, i, of int) (b burst, err error) {
	var every time.Duration
	due := began
	if rate > 0 {
		every = time.Duration(float64(time.Second) * float64(of) / rate)
		due = began.Add(every * time.Duration(i) / time.Duration(of))
	}
	for {
		if rate > 0 {
			time.Sleep(time.Until(due))
		} else {
			due = time.Now()
		}
		if due.Sub(began) >= d {
			return b, nil
		}
		if err := c.exchange(); err != nil {
			return b, err
		}
		b.requests++
		b.latencies = append(b.latencies, time.Since(due))
		due = due.Add(every)
	}
}

// raw is a client of HTTP/1.1 that knows in advance what the answer looks like.
// It costs little, so that the processors are the proxy's.
type raw struct {
	conn net.Conn
	r    *bufio.Reader
	ask  []byte
	size int
}

func newRaw(address string, size int) (client, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	ask := fmt.Sprintf("GET /%d HTTP/1.1\r\nHost: bench.test\r\nUser-Agent: bench/1.0\r\n"+
		"Accept: */*\r\n\r\n", size)
	return &raw{conn, bufio.NewReaderSize(conn, 64<<10), []byte(ask), size}, nil
}

var (
	ok200  = []byte("HTTP/1.1 200 OK\r\n")
	length = []byte("content-length:")
)

func (c *raw) exchange() error {
	if err := c.conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return err
	}
	if _, err := c.conn.Write(c.ask); err != nil {
		return err
	}
	first, n := true, -1
	for {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if first && !bytes.Equal(line, ok200) {
			return fmt.Errorf("answered %q", line)
		}
		if first = false; len(line) == 2 {
			break
		}
		if len(line) > len(length) && bytes.EqualFold(line[:len(length)], length) {
			n, err = strconv.Atoi(string(bytes.TrimSpace(line[len(length):])))
			if err != nil {
				return err
			}
		}
	}
	if n != c.size {
		return fmt.Errorf("the answer has length %d, not %d", n, c.size)
	}
	_, err := c.r.Discard(n)
	return err
}

func (c *raw) close() { _ = c.conn.Close() }

// multi is a client of HTTP/2, one of several that share a connection.
type multi struct {
	t    *http.Transport
	url  string
	size int
	grpc bool
}

// newMultis returns clients on so many connections with so many streams each.
func newMultis(address string, connections, streams, size int, grpc bool) (all []client) {
	only := new(http.Protocols)
	only.SetUnencryptedHTTP2(true)
	for range connections {
		t := &http.Transport{Protocols: only, DisableCompression: true}
		for range streams {
			url := fmt.Sprintf("http://%s/%d", address, size)
			all = append(all, &multi{t, url, size, grpc})
		}
	}
	return all
}

func (c *multi) exchange() error {
	req, err := http.NewRequest(http.MethodGet, c.url, nil)
	if c.grpc {
		req, err = http.NewRequest(http.MethodPost, c.url, bytes.NewReader(grpcMessage))
	}
	if err != nil {
		return err
	}
	if c.grpc {
		req.Header = http.Header{"Content-Type": {grpcType}, "Te": {"trailers"}}
	}
	resp, err := c.t.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	switch {
	case err != nil:
		return err
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("answered %s", resp.Status)
	case c.grpc && resp.Trailer.Get("Grpc-Status") != "0":
		return fmt.Errorf("grpc-status is %q", resp.Trailer.Get("Grpc-Status"))
	case !c.grpc && n != int64(c.size):
		return fmt.Errorf("the answer has %d bytes, not %d", n, c.size)
	}
	return nil
}

func (c *multi) close() { c.t.CloseIdleConnections() }
