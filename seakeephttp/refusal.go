package seakeephttp

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/problem"
)

// refusedFor is over how long those who were refused are spread when they come
// back: 1 to 5 seconds, in whole ones.
const refusedFor = 5 * time.Second

// Refusal is the answer to a request that was not let in.
type Refusal struct {
	Rejection *seakeep.Rejection
	problem   problem.Problem
	grpc      bool
	fields    [][2]string // more of the answer's fields
}

func newRefusal(cfg *config.Serve, r *http.Request, why *seakeep.Rejection) *Refusal {
	f := &Refusal{Rejection: why, grpc: strings.HasPrefix(r.Header.Get("Content-Type"), grpcType)}
	p := &f.problem
	p.Policy, p.Reason, p.RetryAfter = why.Policy, why.Reason.String(), why.RetryAfter
	p.Attempts, p.Spread = -1, refusedFor
	p.Status, p.Error, p.Type = http.StatusServiceUnavailable, problem.LimitReached,
		problem.ReducedCapacity
	p.Detail = details[why.Reason]
	switch why.Reason {
	case core.Shed, core.AdmissionReduced:
		p.Error, p.NoRetry = problem.RequestDenied, true
	case core.TenantLimit:
		p.Status, p.Error, p.Type = http.StatusTooManyRequests, problem.RequestError,
			problem.QuotaExceeded
		p.NoRetry = true
		f.quota(cfg)
	case core.DeadlineExceeded, core.DeadlineTooShort:
		p.Status, p.Error, p.Type = http.StatusGatewayTimeout, problem.ResponseTimeout, ""
		p.RetryAfter, p.Spread, p.NoRetry = 0, 0, true
	}
	return f
}

// details are for people. They are fixed, because refusing must be cheap.
var details = map[core.Reason]string{
	core.Shed: "The service has more to do than it can. " +
		"For now only more important requests are let in.",
	core.AdmissionReduced: "For now only a share of all requests is let in, " +
		"until the service has recovered.",
	core.TenantLimit: "As many requests as one tenant may have at once are here already.",
	core.BulkheadFull: "As many requests as the service can serve at once are here already, " +
		"and as many as may wait.",
	core.QueueTimeout:     "The request has waited as long as it may.",
	core.QueueDelay:       "Requests have waited too long for a while, so some are dropped.",
	core.Evicted:          "A more important request, or a newer one, has taken this one's place.",
	core.DeadlineExceeded: "The time for the answer is up.",
	core.DeadlineTooShort: "There is less time left than an answer takes.",
}

// quota says what the tenant may have, in the fields of the IETF's draft.
func (f *Refusal) quota(cfg *config.Serve) {
	if t := cfg.Door.Tenants; t != nil {
		f.fields = append(f.fields,
			[2]string{"RateLimit-Policy", `"tenant";q=` + strconv.Itoa(t.Slots) +
				`;qu="concurrent-requests"`},
			[2]string{"RateLimit", `"tenant";r=0;t=1`})
	}
}

const (
	grpcType        = "application/grpc"
	grpcUnavailable = "14"
	grpcExhausted   = "8"
	grpcDeadline    = "4"
)

// Write sends the answer. What is left of the request's body is not read.
func (f *Refusal) Write(w http.ResponseWriter) {
	h := w.Header()
	for _, field := range f.fields {
		h.Set(field[0], field[1])
	}
	if f.grpc {
		f.writeGRPC(w)
		return
	}
	problem.Write(w, f.problem)
}

// writeGRPC sends a status and nothing else: a bare 503 would lose the reason.
// A negative pushback says that the client must not try again.
func (f *Refusal) writeGRPC(w http.ResponseWriter) {
	h, code, pushback := w.Header(), grpcUnavailable, strconv.Itoa(1000*f.problem.Seconds())
	switch f.problem.Status {
	case http.StatusTooManyRequests:
		code = grpcExhausted
	case http.StatusGatewayTimeout:
		code = grpcDeadline
	}
	if f.problem.NoRetry {
		pushback = "-1"
	}
	h.Set("Content-Type", grpcType)
	h.Set("Grpc-Status", code)
	h.Set("Grpc-Message", f.problem.Reason)
	h.Set("Grpc-Retry-Pushback-Ms", pushback)
	w.WriteHeader(http.StatusOK)
}
