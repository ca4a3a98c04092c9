package seakeephttp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
)

// within is a policy of one slot, a breaker and these limits.
func within(tb testing.TB, attempt, total time.Duration) *seakeep.Policy {
	return policy(tb, seakeep.Config{Timeout: seakeep.Timeout{Request: attempt, Total: total},
		Retry: &seakeep.Retry{Attempts: 3, Backoff: quick}, Breaker: breaker(),
		Bulkhead: &seakeep.Bulkhead{Limit: 1}})
}

// slowBody gives a byte each step, until its request's context ends.
type slowBody struct {
	ctx  context.Context
	left int
	step time.Duration
}

func (s *slowBody) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	timer := time.NewTimer(s.step)
	defer timer.Stop()
	select {
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	case <-timer.C:
	}
	s.left--
	p[0] = 'x'
	return 1, nil
}

func (s *slowBody) Close() error { return nil }

// slowly answers with n bytes, one each step.
func slowly(n int, step time.Duration, length int64) baseFunc {
	return func(r *http.Request) (*http.Response, error) {
		resp := answer(200, "")
		resp.ContentLength = length
		resp.Body = &slowBody{ctx: r.Context(), left: n, step: step}
		return resp, nil
	}
}

// TestF060AttemptLivesUntilItsBodyEnds: the attempt's limit ends with the
// headers, and its context with the body.
func TestF060AttemptLivesUntilItsBodyEnds(t *testing.T) {
	const size = 524288
	for _, early := range []bool{false, true} {
		var ctx context.Context
		rt := Wrap(within(t, time.Second, 0), baseFunc(func(r *http.Request) (*http.Response, error) {
			ctx = r.Context()
			resp := answer(200, strings.Repeat("x", size))
			resp.Body = io.NopCloser(&whileAlive{resp.Body, ctx.Err})
			return resp, nil
		}))
		resp, err := rt.RoundTrip(request(t, "GET", "http://test/", nil))
		if err != nil || ctx.Err() != nil {
			t.Fatal(err, ctx.Err())
		}
		if !early {
			if b, err := io.ReadAll(resp.Body); len(b) != size || err != nil {
				t.Errorf("%d bytes, %v", len(b), err)
			}
		} else if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
		if ctx.Err() == nil {
			t.Error("the attempt outlives its body")
		}
	}
}

// TestF100LimitsOfAnswers: once the headers are there, a body of stated length
// has what is left of the total, and a stream has all the time it wants.
func TestF100LimitsOfAnswers(t *testing.T) {
	for _, c := range []struct {
		name   string
		length int64
		bytes  int
		want   error
	}{
		{"stream", -1, 60, nil},
		{"sized, in time", 8, 8, nil},
		{"sized, too slow", 60, 60, context.DeadlineExceeded},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := within(t, time.Second, 10*time.Second)
				g := get(t, Wrap(p, slowly(c.bytes, time.Second, c.length)), "http://test/")
				if !errors.Is(g.err, c.want) || (c.want == nil && len(g.body) != c.bytes) {
					t.Errorf("%d bytes, %v", len(g.body), g.err)
				}
				s := p.Snapshot()
				if s.Bulkhead.InUse != 0 {
					t.Error("the slot is not free")
				}
				if open := s.Breaker.State.String() == "open"; open != (c.want != nil) {
					t.Errorf("the breaker is %v", s.Breaker.State)
				}
			})
		})
	}
}

func TestStreamHoldsItsSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := within(t, time.Second, time.Second)
		rt := Wrap(p, slowly(100, time.Second, -1))
		ctx, cancel := context.WithCancel(t.Context())
		resp, err := rt.RoundTrip(request(t, "GET", "http://test/", nil).WithContext(ctx))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		g := get(t, rt, "http://test/")
		var rejected *seakeep.Rejection
		if !errors.As(g.err, &rejected) || rejected.Reason != core.BulkheadFull {
			t.Errorf("%+v", g)
		}
		cancel()
		if _, err := io.ReadAll(resp.Body); !errors.Is(err, context.Canceled) {
			t.Errorf("the caller's context does not end the stream: %v", err)
		}
		if s := p.Snapshot(); s.Bulkhead.InUse != 0 || s.Breaker.State.String() != "closed" {
			t.Errorf("%+v", s)
		}
		_ = resp.Body.Close()
	})
}

// TestBodyUsedByManyGoroutines gives everything back once.
func TestBodyUsedByManyGoroutines(t *testing.T) {
	p := within(t, time.Second, 0)
	rt := Wrap(p, slowly(3, time.Millisecond, -1))
	for range 20 {
		resp, err := rt.RoundTrip(request(t, "GET", "http://test/", nil))
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = io.ReadAll(resp.Body) })
		for range 3 {
			wg.Go(func() { _ = resp.Body.Close() })
		}
		wg.Wait()
		if n := p.Snapshot().Bulkhead.InUse; n != 0 {
			t.Fatalf("%d slots in use", n)
		}
	}
}

// TestEventsArriveOneByOne: nothing is gathered on the way, and neither limit
// cuts a live stream.
func TestEventsArriveOneByOne(t *testing.T) {
	noLeak(t)
	next := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 4 {
			_, _ = fmt.Fprintf(w, "data: %d\n\n", i)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-next:
			case <-r.Context().Done():
				return
			}
		}
	})
	p := within(t, 100*time.Millisecond, 100*time.Millisecond)
	resp, err := Wrap(p, own(t)).RoundTrip(request(t, "GET", s.URL, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for i := range 4 {
		if !lines.Scan() || lines.Text() != fmt.Sprintf("data: %d", i) || !lines.Scan() {
			t.Fatalf("event %d: %q, %v", i, lines.Text(), lines.Err())
		}
		time.Sleep(40 * time.Millisecond)
		next <- struct{}{}
	}
	if lines.Scan() || lines.Err() != nil {
		t.Errorf("%q, %v", lines.Text(), lines.Err())
	}
	idle(t, p)
}

// TestF101UpgradeStaysAConnection: both directions work long after every limit,
// one can be closed alone, and the slot is held until the end.
func TestF101UpgradeStaysAConnection(t *testing.T) {
	noLeak(t)
	s := rawServer(t, func(c net.Conn, r *bufio.Reader) {
		if req, err := http.ReadRequest(r); err != nil || req.Header.Get("Upgrade") != "echo" {
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		_, _ = io.Copy(c, r)
	})
	p := within(t, 30*time.Millisecond, 50*time.Millisecond)
	req := request(t, "GET", s.url, nil)
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "echo")
	resp, err := Wrap(p, own(t)).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	rw, ok := resp.Body.(io.ReadWriteCloser)
	if resp.StatusCode != 101 || !ok {
		t.Fatalf("%d with a %T", resp.StatusCode, resp.Body)
	}
	time.Sleep(100 * time.Millisecond)
	buf := make([]byte, 4)
	for range 3 {
		if _, err := io.WriteString(rw, "ping"); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(rw, buf); err != nil || string(buf) != "ping" {
			t.Fatalf("%q, %v", buf, err)
		}
	}
	if n := p.Snapshot().Bulkhead.InUse; n != 1 {
		t.Errorf("%d slots in use", n)
	}
	if err := rw.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		t.Error(err)
	}
	if b, err := io.ReadAll(rw); len(b) != 0 || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	_ = rw.Close()
	_ = rw.Close()
	if st := p.Snapshot(); st.Bulkhead.InUse != 0 || st.Breaker.State.String() != "closed" || s.accepted.Load() != 1 {
		t.Errorf("%+v after %d connections", st, s.accepted.Load())
	}
}
