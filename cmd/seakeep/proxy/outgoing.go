package proxy

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/internal/grpcstatus"
	"github.com/seakeep/seakeep/seakeephttp"
)

// context carries what the caller says of its request: how long it will wait,
// and whether it is trying again itself.
// With streams the request's body may end it; otherwise it ends with the
// client's, which is one context less.
func (x *exchange) context(streams bool) (context.Context, context.CancelFunc) {
	h := x.r.Header
	x.trace.Got1xxResponse = x.interim.got
	ctx := httptrace.WithClientTrace(x.r.Context(), &x.trace)
	ctx = seakeep.With(ctx, seakeep.Call{RetriedAbove: retriedAbove(h), Report: &x.report,
		Unhurt: x.unhurt()})
	if h[deadline.Header] != nil || h[deadline.EnvoyHeader] != nil ||
		h[deadline.GRPCHeader] != nil {
		// What is malformed is as good as absent.
		if left, ok, _ := deadline.Read(h.Get); ok {
			x.left = []string{deadline.EncodeMillis(left)}
		}
	}
	return x.limit(ctx, streams)
}

// retriedAbove reports whether whoever sent the request is retrying it.
func retriedAbove(h http.Header) bool {
	for _, name := range [...]string{retry.AttemptHeader, retry.EnvoyAttemptHeader} {
		if values := h[name]; len(values) > 0 {
			if n, ok := retry.ParseAttempt(values[0]); ok && n > 1 {
				return true
			}
		}
	}
	n, ok := retry.ParseAttempt(h.Get(grpcstatus.AttemptsHeader))
	return ok && n > 0
}

// outgoing is the request as it leaves. The fields are changed in place: nobody
// else reads them.
func (x *exchange) outgoing(ctx context.Context) *http.Request {
	x.forwardFields()
	if x.left != nil {
		// The transport keeps to it until the answer begins, as its sender does:
		// a stream may outlive it.
		x.r.Header[deadline.Header] = x.left
	}
	if x.degraded != nil { // no client can take it out by calling it a matter of this hop
		x.r.Header[seakeephttp.DegradedHeader] = x.degraded
	}
	out := x.r.WithContext(ctx)
	u := x.r.URL
	// The transport puts the endpoint's address in. Host stays the client's.
	u.Scheme, u.Host, u.User = "http", "", nil
	out.RequestURI, out.Close, out.TransferEncoding = "", false, nil
	out.Body, out.GetBody = nil, nil
	if x.small != nil {
		out.Body, _ = x.small.body()
		out.GetBody = x.small.body
	} else if x.body != nil {
		out.Body = x.body
	}
	if seakeephttp.KeyedWriteOf(ctx) != nil {
		// net/http would send a request with a key again by itself, and the
		// program need not know what the key means. What has a body of which
		// there is no second copy it sends once.
		out.GetBody = nil
		if out.Body == nil {
			out.Body = io.NopCloser(strings.NewReader(""))
		}
	}
	return out
}
