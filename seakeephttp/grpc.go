package seakeephttp

import (
	"context"
	"net/http"
	"strconv"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/grpcstatus"
)

// classifyGRPC says what an answer of gRPC means to the policies, by the status
// in its head. One that has none yet is good so far: the status is in its
// trailer, and is looked at when the body ends.
func classifyGRPC(h http.Header) core.Result {
	if h[grpcstatus.StatusHeader] == nil {
		return core.Result{Outcome: core.Success}
	}
	return grpcResult(h)
}

// grpcResult is what the status in a head or a trailer means. Who says CANCELLED
// although the caller is there has failed: somebody beyond has given up.
func grpcResult(h http.Header) core.Result {
	code, _ := grpcstatus.Parse(h.Get(grpcstatus.StatusHeader))
	r := code.Result(h[grpcstatus.PushbackHeader])
	if r.Outcome == core.Cancelled {
		r = core.Result{Outcome: core.Failure, Cause: core.Unknown}
	}
	return r
}

// answersGRPC reports whether an answer carries a status of gRPC, in its head or
// behind its body.
func answersGRPC(resp *http.Response) bool {
	return resp.StatusCode == http.StatusOK && grpcstatus.Speaks(resp.Header)
}

// message takes note that the first message of a call of gRPC has come. Until
// then nobody knows whether it goes well, because a status may follow its head
// at once; and behind the first one a stream may go on for hours.
func (b *answerBody) message() {
	b.telling.Lock()
	defer b.telling.Unlock()
	if b.grpc = grpcHeard; !b.ended.Load() {
		b.tail.Report(core.Success)
	}
}

// status is how a call of gRPC ended whose body was read to its end.
func (b *answerBody) status() core.Outcome {
	if b.req.Context().Err() == context.Canceled { // and may have been the reason
		return core.Cancelled
	}
	return grpcResult(b.resp.Trailer).Outcome
}

// grpcStage is how far the answer to a call of gRPC is.
type grpcStage uint8

const (
	noGRPC     grpcStage = iota
	grpcSilent           // no message has come
	grpcHeard
)

// tellPrevious says how often the call was tried before: a client of gRPC is not
// there to say so. Attempts that reached no server do not count.
func (s *sending) tellPrevious(x *exchange, attempt int) {
	n := attempt - int(x.unsent)
	if !grpcstatus.Speaks(s.req.Header) || n <= 0 {
		return
	}
	if above, err := strconv.Atoi(s.req.Header.Get(grpcstatus.AttemptsHeader)); err == nil && above > 0 {
		n += above
	}
	s.header()[grpcstatus.AttemptsHeader] = []string{strconv.Itoa(n)}
}

// settled is the status of HTTP that means to the door what the answer of a
// program behind it says in gRPC's; status, if it says nothing of that kind.
func settled(status int, h http.Header) int {
	if status != http.StatusOK || !grpcstatus.Speaks(h) {
		return status
	}
	for _, prefix := range [...]string{"", http.TrailerPrefix} {
		if values := h[prefix+grpcstatus.StatusHeader]; len(values) > 0 {
			return GRPCStatus(values[0])
		}
	}
	return status
}

// GRPCStatus returns the status of HTTP that says to the policies what a value of
// grpc-status says.
func GRPCStatus(value string) int {
	code, _ := grpcstatus.Parse(value)
	switch r := code.Result(nil); r.Outcome {
	case core.Success:
		return http.StatusOK
	case core.Timeout:
		return http.StatusGatewayTimeout
	case core.Overloaded:
		return http.StatusTooManyRequests
	case core.Failure:
		if r.Cause == core.Unavailable {
			return http.StatusServiceUnavailable
		}
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}
