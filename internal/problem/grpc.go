package problem

import (
	"net/http"
	"strconv"

	"github.com/seakeep/seakeep/internal/grpcstatus"
)

// GRPC is the code of gRPC that says the same as the status. Where gRPC's own
// table for answers of HTTP has only UNAVAILABLE or UNKNOWN, we know better what
// we mean.
func (p *Problem) GRPC() grpcstatus.Code {
	switch p.Status {
	case http.StatusTooManyRequests:
		return grpcstatus.ResourceExhausted
	case http.StatusGatewayTimeout, http.StatusRequestTimeout:
		return grpcstatus.DeadlineExceeded
	case http.StatusInternalServerError:
		return grpcstatus.Internal
	case http.StatusNotImplemented:
		return grpcstatus.Unimplemented
	case http.StatusConflict:
		return grpcstatus.Aborted
	case http.StatusUnprocessableEntity:
		return grpcstatus.InvalidArgument
	case http.StatusRequestEntityTooLarge:
		return grpcstatus.ResourceExhausted
	}
	if p.Status >= 400 && p.Status < 500 {
		return grpcstatus.Internal // what has come is not what a client of gRPC sends
	}
	return grpcstatus.OfHTTP(p.Status)
}

// message is the text beside the code: the rule, and then what people need.
func (p *Problem) message() string {
	switch {
	case p.Reason == "":
		return p.Detail
	case p.Detail == "":
		return p.Reason
	}
	return p.Reason + ": " + p.Detail
}

// WriteGRPC sends the answer to a client of gRPC: to one, a bare 503 would lose
// the reason. The pushback says when to try again, if that is known, or that it
// must not.
func (a *Answer) WriteGRPC(w http.ResponseWriter) {
	p := &a.problem
	pushback := ""
	switch {
	case p.NoRetry:
		pushback = grpcstatus.Pushback(0, true)
	case p.tellsWhen():
		pushback = strconv.Itoa(1000 * p.Seconds())
	}
	w.Header()["Proxy-Status"] = []string{a.proxyStatus}
	grpcstatus.Write(w, p.GRPC(), p.message(), pushback)
}

// WriteFor sends the answer in the language of the request.
func WriteFor(w http.ResponseWriter, r *http.Request, p Problem) { p.Prepare().WriteFor(w, r) }

// WriteFor sends the answer in the language of the request.
func (a *Answer) WriteFor(w http.ResponseWriter, r *http.Request) {
	if grpcstatus.Speaks(r.Header) {
		a.WriteGRPC(w)
		return
	}
	a.Write(w)
}
