package proxy

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/internal/grpcstatus"
	"github.com/seakeep/seakeep/seakeephttp"
)

// limit ends a call of gRPC with its caller's deadline, also if its answer has
// begun: that is what a deadline means there. Whoever asked hears a status, and
// does not depend on the dependency for it.
func (x *exchange) limit(ctx context.Context, streams bool) (context.Context, context.CancelFunc) {
	switch {
	case !streams && !x.grpc:
		return ctx, func() {}
	case !x.grpc || x.r.Header[deadline.GRPCHeader] == nil:
		return context.WithCancel(ctx)
	}
	left, err := deadline.DecodeGRPC(x.r.Header.Get(deadline.GRPCHeader))
	if err != nil {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, left)
}

// messageTime is how long the one message of a call may take to come: what comes
// later is a stream, at its client's pace.
const messageTime = 20 * time.Millisecond

// pace tells the door whether the time that a call of gRPC took was its client's.
// No length says so before, as gRPC gives none.
func (x *exchange) pace() {
	if x.grpc && x.body.within(messageTime) > messageTime {
		x.passage.Paced()
	}
}

// within returns how long the body took to come, or more than limit if it has not
// come yet.
func (b *inbound) within(limit time.Duration) time.Duration {
	if b == nil {
		return 0
	}
	b.state.Lock()
	defer b.state.Unlock()
	if !b.ended {
		return limit + 1
	}
	return b.end.Sub(b.began)
}

// foreign answers a client of gRPC to whom the dependency has spoken in HTTP: a
// load balancer, most often, or something that is no server of gRPC.
func (x *exchange) foreign(resp *http.Response) {
	pushback, h := "", resp.Header
	if h[retry.NoRetryHeader] != nil {
		pushback = grpcstatus.Pushback(0, true)
	}
	x.dropBody()
	x.w.Header()["Via"] = append(h["Via"], viaBack(resp))
	x.log("an answer that is not gRPC", "status", resp.StatusCode)
	x.sent, x.status = true, resp.StatusCode
	x.answered()
	grpcstatus.Write(x.w, grpcstatus.OfHTTP(resp.StatusCode), "the dependency answered "+
		strconv.Itoa(resp.StatusCode)+" "+http.StatusText(resp.StatusCode)+", which is not gRPC",
		pushback)
}

// cutShort ends an answer of gRPC that broke off, with a status in its trailer.
// It reports false where there can be none.
func (x *exchange) cutShort(resp *http.Response, err error) bool {
	if !x.grpc || x.r.ProtoMajor != 2 || resp.ContentLength >= 0 {
		return false
	}
	code, text := grpcstatus.Unavailable, "the dependency's answer broke off: "+err.Error()
	x.status = http.StatusBadGateway
	if timedOut(err) {
		code, text = grpcstatus.DeadlineExceeded, "the time for the answer is up"
		x.status = http.StatusGatewayTimeout
	}
	trailer := http.Header{}
	grpcstatus.Set(trailer, code, text, "")
	h := x.w.Header()
	for name, values := range trailer {
		h[http.TrailerPrefix+name] = values
	}
	x.log("an answer broke off", "error", err.Error(), "code", code.String())
	return true
}

// settle takes note of what the status of gRPC says to the door.
func (x *exchange) settle(resp *http.Response) {
	if !x.grpc || x.status != http.StatusOK {
		return
	}
	value := resp.Trailer.Get(grpcstatus.StatusHeader)
	if value == "" {
		value = resp.Header.Get(grpcstatus.StatusHeader)
	}
	if value != "" {
		x.status = seakeephttp.GRPCStatus(value)
	}
}
