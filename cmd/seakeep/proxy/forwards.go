package proxy

import (
	"net/http"
	"strconv"

	"github.com/seakeep/seakeep/internal/problem"
)

const maxForwards = "Max-Forwards"

var noTrace = problem.Problem{Status: http.StatusNotImplemented, Error: problem.RequestError,
	Reason: "trace", Detail: "Max-Forwards ends the request here, and TRACE is not offered here."}

// farthest counts how far a request may still go, if it says so, and answers the
// one that may go no farther (RFC 9110, section 7.6.2). Only OPTIONS and TRACE
// mean it. What is no number is the next one's to judge.
func (x *exchange) farthest() bool {
	trace := x.r.Method == http.MethodTrace
	values := x.r.Header[maxForwards]
	if len(values) == 0 || !trace && x.r.Method != http.MethodOptions {
		return false
	}
	n, err := strconv.ParseUint(values[0], 10, 63)
	switch {
	case err != nil || len(values) > 1:
		return false
	case n > 0:
		x.r.Header[maxForwards] = []string{strconv.FormatUint(n-1, 10)}
		return false
	case trace:
		x.make(noTrace)
		return true
	}
	x.dropBody()
	x.sent, x.status = true, http.StatusOK
	x.w.Header()["Content-Length"] = []string{"0"}
	x.w.Header()["Content-Type"] = nil
	x.w.WriteHeader(http.StatusOK)
	return true
}
