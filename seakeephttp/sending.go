package seakeephttp

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/core/idempotency"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/internal/connpool"
)

// keyHeader carries an idempotency key (IETF draft).
const keyHeader = "Idempotency-Key"

// sending is a request as one attempt sends it. The caller's own request is
// never changed: what differs is in here, and the header is copied only if
// something must be put into it.
type sending struct {
	req    http.Request
	got    atomic.Bool   // a connection was there to send the request on
	traced bool          // got is known
	owned  bool          // req.Header is a copy
	hurt   *seakeep.Hurt // on purpose; nil: not at all
	// stop ends the attempt's context; nil: its answer has no limits.
	stop context.CancelCauseFunc
}

// prepare makes the request for the endpoint that was chosen.
func (s *sending) prepare(ctx context.Context, x *exchange, attempt int) {
	if mayRunOnce(x.safety) && x.mayGoTwice() {
		ctx = s.trace(ctx)
	}
	if own := x.acquire(); own > 0 {
		ctx = connpool.WithAcquire(ctx, own)
	}
	if x.file != nil && x.file.Response.Limits() {
		ctx, s.stop = context.WithCancelCause(ctx)
	}
	s.req = *x.req.WithContext(ctx)
	if to := x.at.to; to != nil {
		s.direct(to)
	}
	s.tellTime(ctx)
	s.tellAttempt(x, attempt)
	s.tellPrevious(x, attempt)
	s.tellClass(x)
	if key := x.info.IdempotencyKey; key != "" && s.req.Header.Get(keyHeader) == "" {
		s.header().Set(keyHeader, idempotency.FormatKey(key))
	}
}

// acquire returns how long the request's operation lets it wait for a
// connection, if that differs from its dependency's; 0: it does not.
func (x *exchange) acquire() time.Duration {
	if x.file == nil || x.pool.of.conns == nil || x.file.Acquire == x.pool.config.Acquire {
		return 0
	}
	return x.file.Acquire
}

// mayRunOnce reports whether it matters that the request never left.
func mayRunOnce(s retry.Safety) bool { return s != retry.Idempotent && s != retry.Keyed }

// trace watches whether a connection is found. Before that nothing of the
// request can have been sent.
func (s *sending) trace(ctx context.Context) context.Context {
	s.traced = true
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { s.got.Store(true) },
	})
}

// direct sends the request to an endpoint. A Host that the caller chose apart
// from the address stays.
func (s *sending) direct(to *endpoint) {
	if s.req.Host == "" || s.req.Host == s.req.URL.Host {
		s.req.Host = to.host
	}
	u := *s.req.URL
	u.Scheme, u.Host = to.url.Scheme, to.url.Host
	s.req.URL = &u
}

// header returns a header that may be written to.
func (s *sending) header() http.Header {
	if !s.owned {
		s.owned = true
		if len(s.req.Header) == 0 {
			s.req.Header = make(http.Header, 1)
		} else {
			s.req.Header = maps.Clone(s.req.Header)
		}
	}
	return s.req.Header
}

// tellTime says how long somebody will wait for this attempt. It is a
// duration, so that clocks need not agree, as of the moment of sending. The
// forms that Envoy and gRPC know are only corrected, never added.
func (s *sending) tellTime(ctx context.Context) {
	left, ok := seakeep.TimeLeft(ctx)
	if !ok {
		return
	}
	envoy := s.req.Header[deadline.EnvoyHeader] != nil
	grpc := s.req.Header[deadline.GRPCHeader] != nil
	h := s.header()
	h[deadline.Header] = millis(left)
	if envoy {
		h[deadline.EnvoyHeader] = millis(max(left, 1)) // 0 would be "no limit"
	}
	if grpc {
		h[deadline.GRPCHeader] = []string{deadline.EncodeGRPC(left)}
	}
}

// lastMillis is the latest value of millis: nearly all attempts of a program
// have one of few limits, and are told them at once.
var lastMillis atomic.Pointer[said]

type said struct {
	left   time.Duration // whole milliseconds
	values []string
}

// millis is deadline.EncodeMillis as a field's values. It allocates only when
// the value changes, so the values are shared: a field's values are replaced
// as a whole, never changed.
func millis(left time.Duration) []string {
	whole := max(left, 0)
	if rest := whole % time.Millisecond; rest != 0 {
		whole += time.Millisecond - rest
	}
	if last := lastMillis.Load(); last != nil && last.left == whole {
		return last.values
	}
	next := &said{whole, []string{deadline.EncodeMillis(left)}}
	lastMillis.Store(next)
	return next.values
}

// tellAttempt marks repetitions, so that the layer below does not retry as
// well. A mark that came from above is passed on, and only grows.
func (s *sending) tellAttempt(x *exchange, attempt int) {
	n := attempt + 1
	if x.info.RetriedAbove {
		n++
	}
	if n == 1 {
		return
	}
	if above, ok := retry.ParseAttempt(s.req.Header.Get(retry.AttemptHeader)); ok && n < above {
		n = above
	}
	h := s.header()
	mark := []string{strconv.Itoa(n)}
	h[retry.AttemptHeader] = mark
	if h[retry.EnvoyAttemptHeader] != nil {
		h[retry.EnvoyAttemptHeader] = mark
	}
}

// classes are the values of the criticality's field. They are shared: a
// field's values are replaced as a whole, never changed.
var classes = func() (all [core.Criticalities][]string) {
	for i := range all {
		all[i] = []string{core.CriticalityAt(i).String()}
	}
	return all
}()

// tellClass says how important the request is, if the context does. What the
// request says itself then does not count.
func (s *sending) tellClass(x *exchange) {
	if c, said := seakeep.LookupCriticality(x.req.Context()); said {
		s.header()[config.CriticalityHeader] = classes[c.Index()]
	}
}

// classOf is how important a request is by its own word. Who is above has said
// so, and we are its client: it is believed.
func classOf(h http.Header) core.Criticality {
	if said := h[config.CriticalityHeader]; len(said) > 0 {
		c, _ := core.ParseCriticality(said[0])
		return c
	}
	return core.Critical
}
