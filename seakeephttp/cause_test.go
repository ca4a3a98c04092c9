package seakeephttp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/retry"
)

func TestClassifyAnswer(t *testing.T) {
	type r = core.Result
	for _, c := range []struct {
		status int
		header string
		want   core.Result
	}{
		{200, "", r{Outcome: core.Success}},
		{101, "", r{Outcome: core.Success}},
		{204, "", r{Outcome: core.Success}},
		{304, "", r{Outcome: core.Success}},
		{200, "X-Seakeep-No-Retry: 1", r{Outcome: core.Success}},
		{400, "", r{Outcome: core.Ignored, Cause: core.ClientError}},
		{404, "Retry-After: 5", r{Outcome: core.Ignored, Cause: core.ClientError}},
		{408, "", r{Outcome: core.Ignored, Cause: core.ClientError}},
		{429, "", r{Outcome: core.Overloaded, Cause: core.TooMany}},
		{429, "Retry-After: 7", r{Outcome: core.Overloaded, Cause: core.TooMany, RetryAfter: 7 * time.Second}},
		{429, "X-Envoy-Ratelimited: true", r{Outcome: core.Overloaded, Cause: core.TooMany, NoRetry: true}},
		{503, "", r{Outcome: core.Overloaded, Cause: core.Unavailable}},
		{503, "Retry-After: soon", r{Outcome: core.Overloaded, Cause: core.Unavailable}},
		{503, "Retry-After: 99999999999999999999", r{Outcome: core.Overloaded, Cause: core.Unavailable,
			RetryAfter: longestRetryAfter}},
		{503, "X-Envoy-Overloaded: true", r{Outcome: core.Overloaded, Cause: core.Unavailable, NoRetry: true}},
		{502, "", r{Outcome: core.Failure, Cause: core.BadGateway}},
		{504, "X-Seakeep-No-Retry: 1", r{Outcome: core.Failure, Cause: core.BadGateway, NoRetry: true}},
		{500, "", r{Outcome: core.Failure, Cause: core.ServerError}},
		{501, "Retry-After: 5", r{Outcome: core.Failure, Cause: core.ServerError}},
		{599, "", r{Outcome: core.Failure, Cause: core.ServerError}},
		{600, "", r{Outcome: core.Failure, Cause: core.BadAnswer}},
		{0, "", r{Outcome: core.Failure, Cause: core.BadAnswer}},
	} {
		resp := answer(c.status, "")
		if name, value, ok := strings.Cut(c.header, ": "); ok {
			resp.Header.Set(name, value)
		}
		if got := classifyAnswer(resp); got != c.want {
			t.Errorf("%d %s: %+v, want %+v", c.status, c.header, got, c.want)
		}
	}
}

// TestF040RetryAfterAsADate: both forms of the field are read.
func TestF040RetryAfterAsADate(t *testing.T) {
	resp := answer(503, "")
	resp.Header.Set("Retry-After", time.Now().Add(time.Minute).UTC().Format(http.TimeFormat))
	if r := classifyAnswer(resp); r.RetryAfter < 58*time.Second || r.RetryAfter > time.Minute {
		t.Error(r.RetryAfter)
	}
}

func TestClassifyError(t *testing.T) {
	op := func(op string, err error) error { return &net.OpError{Op: op, Err: err} }
	gone, leave := context.WithCancel(t.Context())
	leave()
	late, stop := context.WithTimeout(t.Context(), 0)
	defer stop()
	type r = core.Result
	for _, c := range []struct {
		err    error
		caller context.Context
		unsent bool
		want   core.Result
	}{
		{op("dial", syscall.ECONNREFUSED), nil, false, r{Outcome: core.Failure, Cause: core.Unsent}},
		{op("dial", &net.DNSError{IsNotFound: true}), nil, false, r{Outcome: core.Failure, Cause: core.Unsent}},
		{op("read", syscall.ECONNRESET), nil, false, r{Outcome: core.Failure, Cause: core.Reset}},
		{op("write", syscall.EPIPE), nil, true, r{Outcome: core.Failure, Cause: core.Unsent}},
		{io.EOF, nil, false, r{Outcome: core.Failure, Cause: core.Reset}},
		{io.ErrUnexpectedEOF, nil, false, r{Outcome: core.Failure, Cause: core.Reset}},
		{context.DeadlineExceeded, nil, false, r{Outcome: core.Timeout, Cause: core.TimedOut}},
		{context.DeadlineExceeded, nil, true, r{Outcome: core.Timeout, Cause: core.Unsent}},
		{context.DeadlineExceeded, late, false, r{Outcome: core.Timeout, Cause: core.TimedOut}},
		{context.Canceled, gone, false, r{Outcome: core.Cancelled}},
		{io.EOF, gone, false, r{Outcome: core.Cancelled}},
		{context.Canceled, nil, false, r{Outcome: core.Failure, Cause: core.Unknown}},
		{errors.New("odd"), nil, false, r{Outcome: core.Failure, Cause: core.Unknown}},
		{errors.New("net/http: server response headers exceeded 9 bytes; aborted"), nil, false,
			r{Outcome: core.Failure, Cause: core.BadAnswer}},
		{fmt.Errorf("x: %w", &seakeep.Rejection{Reason: core.CircuitOpen}), nil, false,
			r{Outcome: core.Overloaded, Cause: core.Unavailable, NoRetry: true}},
	} {
		if c.caller == nil {
			c.caller = t.Context()
		}
		f := failed{c.err, c.caller, c.unsent}
		if got := f.result(seakeep.Classify); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.err, got, c.want)
		}
	}
}

// TestF063CauseNotStatus: a retry rule for what was never sent leaves what an
// upstream says and does alone.
func TestF063CauseNotStatus(t *testing.T) {
	noLeak(t)
	p := policy(t, seakeep.Config{Timeout: seakeep.Timeout{Request: 100 * time.Millisecond},
		Retry: &seakeep.Retry{Attempts: 3, Backoff: quick, Causes: retry.Of(core.Unsent)},
		More:  &seakeep.More{Unbudgeted: true}})
	bad := rawServer(t, answers("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 4\r\n\r\nback"))
	silent := rawServer(t, func(_ net.Conn, r *bufio.Reader) { readRequest(r); _, _ = r.ReadByte() })
	for _, c := range []struct {
		url  string
		want int
	}{{refused(t), 3}, {bad.url, 1}, {silent.url, 1}} {
		var report seakeep.Report
		req := request(t, "GET", c.url, nil)
		g := send(Wrap(p, own(t)), req.WithContext(seakeep.With(t.Context(), seakeep.Call{Report: &report})))
		if len(report.Attempts) != c.want {
			t.Errorf("%s: %+v", c.url, report)
		}
		if c.url == bad.url && (g.status != 502 || g.body != "back") {
			t.Errorf("the upstream's own answer became %+v", g)
		}
	}
}

// TestTimeoutBeforeAConnection: a POST that waited in vain for a connection was
// never sent, and says so.
func TestTimeoutBeforeAConnection(t *testing.T) {
	noLeak(t)
	block := make(chan struct{})
	base := own(t)
	base.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		select {
		case <-ctx.Done():
		case <-block:
		}
		return nil, errors.New("too late")
	}
	defer close(block)
	tr := Wrap(retries(t, 2), base)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	x := newExchange(tr, request(t, "POST", "http://test/", strings.NewReader("abc")).WithContext(ctx))
	tried := x.try(ctx, 0)
	if tried.Result.Cause != core.Unsent || tried.Result.Outcome != core.Timeout {
		t.Errorf("%+v", tried.Result)
	}
}

// TestNoHandshakeNothingSent: whatever the method, and the error is the
// transport's own.
func TestNoHandshakeNothingSent(t *testing.T) {
	noLeak(t)
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	mute := rawServer(t, func(_ net.Conn, r *bufio.Reader) { _, _ = io.Copy(io.Discard, r) })
	base := own(t)
	base.TLSHandshakeTimeout = 50 * time.Millisecond
	for _, url := range []string{s.URL, "https" + plain.URL[4:], "https" + mute.url[4:]} {
		for _, method := range []string{"GET", "POST"} {
			var report seakeep.Report
			req := request(t, method, url, strings.NewReader("abc"))
			req = req.WithContext(seakeep.With(t.Context(), seakeep.Call{Report: &report}))
			g := send(Wrap(retries(t, 2), base), req)
			var refused *seakeep.Rejection
			if g.err == nil || errors.As(g.err, &refused) || len(report.Attempts) != 2 ||
				report.Attempts[0].Result.Cause != core.Unsent {
				t.Errorf("%s %s: %v, %+v", method, url, g.err, report)
			}
		}
	}
}

func TestF163AnswerHeadersTooLarge(t *testing.T) {
	noLeak(t)
	for _, size := range []int{15 << 10, 17 << 10} {
		s := rawServer(t, answers("HTTP/1.1 200 OK\r\nX-Large: "+strings.Repeat("x", size)+
			"\r\nContent-Length: 2\r\n\r\nok"))
		p := policy(t, seakeep.Config{Retry: &seakeep.Retry{Attempts: 3, Backoff: quick}, Breaker: breaker()})
		var report seakeep.Report
		req := request(t, "GET", s.url, nil)
		g := send(Wrap(p, own(t)), req.WithContext(seakeep.With(t.Context(), seakeep.Call{Report: &report})))
		if size < 16<<10 {
			if g.body != "ok" {
				t.Errorf("%d bytes of headers: %+v", size, g)
			}
			continue
		}
		want := core.Result{Outcome: core.Failure, Cause: core.BadAnswer}
		if len(report.Attempts) != 1 || report.Attempts[0].Result != want ||
			report.Reason != core.NotRetryable || g.err == nil {
			t.Errorf("%d bytes of headers: %+v, %+v", size, g, report)
		}
	}
}
