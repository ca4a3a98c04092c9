package seakeephttp

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
)

func TestUploadPrefixIsKeptAndTheRestStreams(t *testing.T) {
	q := &quota{max: 1 << 20}
	src := &closes{Reader: strings.NewReader("abcdef")}
	u := newUpload(src, -1, 4, q)
	first, _ := u.next()
	buf := make([]byte, 3)
	if _, err := io.ReadFull(first, buf); err != nil || string(buf) != "abc" {
		t.Fatal(err, buf)
	}
	if !u.replayable(true) {
		t.Fatal("three bytes of four are not kept")
	}
	if _, err := first.Read(buf); !errors.Is(err, errBodyMoved) {
		t.Errorf("the first attempt reads on: %v", err)
	}
	second, _ := u.next()
	_ = first.Close()
	if b, err := io.ReadAll(second); string(b) != "abcdef" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	if u.replayable(false) {
		t.Error("six bytes of four are kept")
	}
	if _, err := u.next(); !errors.Is(err, errBodyGone) {
		t.Error(err)
	}
	u.end()
	if src.n.Load() != 0 {
		t.Error("closed while an attempt has it")
	}
	_ = second.Close()
	_ = second.Close()
	u.end()
	if src.n.Load() != 1 || q.used.Load() != 0 {
		t.Errorf("closed %d times, %d bytes kept", src.n.Load(), q.used.Load())
	}
}

func TestUploadUntouchedIsReplayableWhateverItsSize(t *testing.T) {
	u := newUpload(io.NopCloser(strings.NewReader("abcdef")), 6, 4, &quota{max: 100})
	first, _ := u.next()
	_ = first.Close()
	second, err := u.next()
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(second); string(b) != "abcdef" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

// TestUploadErrorReachesEveryAttempt: a client that breaks off breaks off for
// the second attempt too.
func TestUploadErrorReachesEveryAttempt(t *testing.T) {
	broken := errors.New("client is gone")
	src := io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(broken))
	u := newUpload(io.NopCloser(src), -1, 100, &quota{max: 100_000})
	for range 2 {
		r, _ := u.next()
		if b, err := io.ReadAll(r); string(b) != "ab" || !errors.Is(err, broken) {
			t.Errorf("%q, %v", b, err)
		}
		_ = r.Close()
	}
}

// TestUploadReaderStuckInTheSource: the first attempt's transport is still
// waiting for the client when the second one starts. What it gets belongs to
// the second, also beyond the limit.
func TestUploadReaderStuckInTheSource(t *testing.T) {
	pr, pw := io.Pipe()
	q := &quota{max: 100_000}
	u := newUpload(pr, -1, 4, q)
	first, _ := u.next()
	var wg sync.WaitGroup
	reading := make(chan struct{})
	wg.Go(func() {
		buf := make([]byte, 100)
		_, _ = first.Read(buf) // "ab"
		close(reading)
		_, _ = first.Read(buf) // "cdefgh", meant for the second
		if _, err := first.Read(buf); !errors.Is(err, errBodyMoved) {
			t.Error(err)
		}
	})
	_, _ = pw.Write([]byte("ab"))
	<-reading
	for u.reading.TryLock() { // until the reader is in the source
		u.reading.Unlock()
	}
	if !u.replayable(true) {
		t.Fatal("not replayable")
	}
	second, err := u.next()
	if err != nil {
		t.Fatal(err)
	}
	wg.Go(func() {
		_, _ = pw.Write([]byte("cdefgh"))
		_, _ = pw.Write([]byte("ij"))
		_ = pw.Close()
	})
	if b, err := io.ReadAll(second); string(b) != "abcdefghij" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	wg.Wait()
	_ = first.Close()
	_ = second.Close()
	u.end()
	if n := q.used.Load(); n != 0 {
		t.Errorf("%d bytes kept", n)
	}
}

// TestUploadAlwaysTheSameBytes: whatever the sizes of reads, limits and the
// moments of failing, each attempt that may be made has the bytes from the
// start, the source is closed once, and the quota ends at zero.
func TestUploadAlwaysTheSameBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		data := make([]byte, rng.IntN(3000))
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		q := &quota{max: int64(rng.IntN(6000))}
		src := &closes{Reader: bytes.NewReader(data)}
		size := int64(len(data))
		if rng.IntN(2) == 0 {
			size = -1
		}
		limit := int64(rng.IntN(3000))
		u := newUpload(src, size, limit, q)
		for attempt := range 5 {
			r, err := u.next()
			if err != nil {
				if attempt == 0 || u.replayable(false) {
					t.Fatal(err)
				}
				break
			}
			n := rng.IntN(len(data) + 2)
			b := make([]byte, n)
			n, _ = io.ReadFull(iotest.HalfReader(r), b)
			if !bytes.Equal(b[:n], data[:n]) {
				t.Fatal("other bytes")
			}
			if q.used.Load() > q.max {
				t.Fatalf("%d bytes kept of %d", q.used.Load(), q.max)
			}
			if int64(n) <= limit && q.max >= 5000 && (size < 0 || size <= limit) && !u.replayable(false) {
				t.Fatalf("%d bytes of %d are not kept", n, limit)
			}
			_ = r.Close()
		}
		u.end()
		if src.n.Load() != 1 || q.used.Load() != 0 {
			t.Fatalf("closed %d times, %d bytes kept", src.n.Load(), q.used.Load())
		}
	}
}
