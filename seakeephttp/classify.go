package seakeephttp

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/internal/connpool"
)

// longestRetryAfter bounds what an answer may ask for. Nobody waits longer than
// a day, and a wrong clock over there must not make it centuries.
const longestRetryAfter = 24 * time.Hour

// classifyAnswer says what an answer means to the policies.
func classifyAnswer(resp *http.Response) core.Result {
	if answersGRPC(resp) {
		return classifyGRPC(resp.Header)
	}
	r := classifyStatus(resp.StatusCode)
	if r.Outcome != core.Overloaded && r.Outcome != core.Failure {
		return r
	}
	h := resp.Header
	r.NoRetry = h[retry.NoRetryHeader] != nil || h[envoyOverloaded] != nil ||
		h[envoyRatelimited] != nil
	if r.Outcome == core.Overloaded {
		if value := h.Get("Retry-After"); value != "" {
			r.RetryAfter, _ = retry.ParseRetryAfter(value, time.Now(), longestRetryAfter)
		}
	}
	return r
}

// What Envoy adds to answers that it made because of a limit of its own.
const (
	envoyOverloaded  = "X-Envoy-Overloaded"
	envoyRatelimited = "X-Envoy-Ratelimited"
)

func classifyStatus(status int) core.Result {
	switch {
	case status == http.StatusSwitchingProtocols, status >= 200 && status < 400:
		return core.Result{Outcome: core.Success}
	case status == http.StatusTooManyRequests:
		return core.Result{Outcome: core.Overloaded, Cause: core.TooMany}
	case status >= 400 && status < 500:
		return core.Result{Outcome: core.Ignored, Cause: core.ClientError}
	case status == http.StatusServiceUnavailable:
		return core.Result{Outcome: core.Overloaded, Cause: core.Unavailable}
	case status == http.StatusBadGateway, status == http.StatusGatewayTimeout:
		return core.Result{Outcome: core.Failure, Cause: core.BadGateway}
	case status >= 500 && status < 600:
		return core.Result{Outcome: core.Failure, Cause: core.ServerError}
	}
	return core.Result{Outcome: core.Failure, Cause: core.BadAnswer}
}

// failed is an attempt without an answer.
type failed struct {
	err    error
	caller context.Context // ended: the caller's doing
	unsent bool            // nothing of the request can have left
}

// result says what the error means to the policies. An error of the caller's
// context is told apart from one of our own limit: the first says nothing about
// the dependency.
func (f failed) result(classify func(error) core.Result) core.Result {
	if f.caller.Err() == context.Canceled {
		return core.Result{Outcome: core.Cancelled}
	}
	r := classify(f.err)
	switch {
	case r.Outcome == core.Cancelled && errors.Is(f.err, context.Canceled):
		// The caller is still there, so somebody below gave up.
		r = core.Result{Outcome: core.Failure, Cause: core.Unknown}
	case r.Cause == core.Unknown && (tooLarge(f.err) || errors.Is(f.err, ErrBodyTooLarge)):
		r.Cause = core.BadAnswer
	case r.Outcome.Failed() && (noHandshake(f.err) || connpool.NeverSent(f.err)):
		r.Cause = core.Unsent
		if full := (*AcquireError)(nil); connpool.Refused(f.err) || errors.As(f.err, &full) {
			r.Outcome = core.Overloaded // it is there, and too busy for this
		}
	case r.Cause == core.Unknown:
		r = connectionLost(f.err, r)
	}
	if f.unsent && r.Outcome.Failed() && (r.Cause == core.TimedOut || r.Cause == core.Reset ||
		r.Cause == core.Unknown) {
		r.Cause = core.Unsent
	}
	return r
}

// overdue is an attempt's error as it is meant if its time is up. A server is told
// that time, and resets the stream when it has passed; what it sends may be read
// before our own timer has fired, and is no other failure for that.
func overdue(ctx context.Context, err error) error {
	if _, reset := connpool.StreamCode(err); reset && ctx.Err() == context.DeadlineExceeded {
		return context.DeadlineExceeded
	}
	return err
}

// inTime sends the request. An answer whose attempt has ended in the same moment
// cannot be read any more, and is none: the attempt may be made again.
func inTime(ctx context.Context, s *sending, x *exchange) (*http.Response, error) {
	resp, err := s.roundTrip(x)
	attempt, ours := ctx.(interface{ Over() bool })
	if err != nil || !ours || !attempt.Over() || bodyless(x.req, resp) {
		return resp, err
	}
	_ = resp.Body.Close()
	s.got.Store(true) // the request was sent, or nobody would have answered
	return nil, ctx.Err()
}

// connectionLost says what an error of HTTP/2 means that net/http's other errors
// do not: the stream was reset, or its connection ended.
func connectionLost(err error, r core.Result) core.Result {
	_, reset := connpool.StreamCode(err)
	switch {
	case connpool.Calm(err):
		return core.Result{Outcome: core.Overloaded, Cause: core.TooMany}
	case reset, slices.ContainsFunc(ended, func(s string) bool { return strings.Contains(err.Error(), s) }):
		r.Cause = core.Reset
	}
	return r
}

// ended are what net/http says of connections of HTTP/2 that have ended, where it
// has no error values.
var ended = []string{
	"http2: server sent GOAWAY and closed the connection",
	"http2: client connection lost",
	"http2: client connection force closed", // ours, of one that has gone dead
}

// noHandshake reports whether a TLS connection did not come about, for which
// nothing of the request was sent. net/http has no error value for its limit.
func noHandshake(err error) bool {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	return errors.As(err, &certificate) || errors.As(err, &record) ||
		errors.Is(err, http.ErrSchemeMismatch) ||
		strings.HasSuffix(err.Error(), "TLS handshake timeout")
}

// tooLarge reports whether an answer's headers were larger than the transport
// accepts. net/http has no error value for it.
func tooLarge(err error) bool {
	text := err.Error()
	return strings.Contains(text, "server response headers exceeded") ||
		strings.Contains(text, "response header list larger")
}
