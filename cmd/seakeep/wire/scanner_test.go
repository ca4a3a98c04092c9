package wire

import (
	"strings"
	"testing"
)

// TestEveryCut reads each seed cut in two at every place.
func TestEveryCut(t *testing.T) {
	for _, seed := range seeds {
		want, why := through([]byte(seed), nil, 1000)
		for at := 1; at < len(seed); at++ {
			got, r := through([]byte(seed), []byte{byte(at - 1), 255}, 1000)
			if string(got) != string(want) || r != why {
				t.Errorf("cut at %d of %q: passed %q (%v), want %q (%v)", at, seed, got, r, want, why)
			}
		}
	}
}

// TestHeadIsHeldBack: nothing of a head passes before it is known to be good.
func TestHeadIsHeldBack(t *testing.T) {
	got, r := through([]byte("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\nA : b\r\n\r\n"),
		[]byte{0}, 1000)
	if string(got) != "GET /1 HTTP/1.1\r\nHost: h\r\n\r\n" || r != badName {
		t.Errorf("passed %q, %v", got, r)
	}
}

func TestReadingDoesNotAllocate(t *testing.T) {
	request := []byte("POST /path HTTP/1.1\r\nHost: example\r\nAccept: */*\r\nContent-Length: 10\r\n\r\n0123456789")
	source := &feed{}
	c := newConn(source, Limits{Head: 1 << 16}, func() {})
	buf := make([]byte, 4096)
	if n := testing.AllocsPerRun(100, func() {
		source.left = request
		if n, err := c.Read(buf); n != len(request) || err != nil {
			t.Fatalf("read %d, %v", n, err)
		}
	}); n != 0 {
		t.Errorf("%v allocations for a request in one piece", n)
	}
}

func BenchmarkRead(b *testing.B) {
	request := []byte("GET /some/path?and=query HTTP/1.1\r\nHost: example.com\r\n" +
		"User-Agent: a client/1.0\r\nAccept: */*\r\nAccept-Encoding: gzip\r\n" +
		"Cookie: " + strings.Repeat("c", 100) + "\r\n\r\n")
	source := &feed{}
	c := newConn(source, Limits{Head: 1 << 16}, func() {})
	buf := make([]byte, 4096)
	b.SetBytes(int64(len(request)))
	b.ReportAllocs()
	for b.Loop() {
		source.left = request
		_, _ = c.Read(buf)
	}
}
