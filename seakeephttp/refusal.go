package seakeephttp

import (
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/grpcstatus"
	"github.com/seakeep/seakeep/internal/problem"
)

// refusedFor is over how long those who were refused are spread when they come
// back: 1 to 5 seconds, in whole ones.
const refusedFor = 5 * time.Second

// Refusal is the answer to a request that was not let in. It is shared by all
// requests that are refused alike, because refusing must be cheap.
type Refusal struct {
	Rejection *seakeep.Rejection
	cfg       *config.Serve
	problem   problem.Problem
	answer    *problem.Answer
	grpc      bool
	policy    string // RateLimit-Policy; empty: none
}

// Status is the status that the answer has: of HTTP, which for gRPC is 200
// whatever happened.
func (f *Refusal) Status() int {
	if f.grpc {
		return http.StatusOK
	}
	return f.problem.Status
}

// lastRefusals are the last ones for each reason: for HTTP and for gRPC.
type lastRefusals [64][2]atomic.Pointer[Refusal]

// of returns the answer to a rejection. The door gives the same one as long as
// it would say the same.
func (all *lastRefusals) of(cfg *config.Serve, r *http.Request, why *seakeep.Rejection) *Refusal {
	grpc := grpcstatus.Speaks(r.Header)
	if int(why.Reason) >= len(all) {
		return newRefusal(cfg, grpc, why)
	}
	slot := &all[why.Reason][0]
	if grpc {
		slot = &all[why.Reason][1]
	}
	f := slot.Load()
	if f == nil || f.Rejection != why || f.cfg != cfg {
		f = newRefusal(cfg, grpc, why)
		slot.Store(f)
	}
	return f
}

func newRefusal(cfg *config.Serve, grpc bool, why *seakeep.Rejection) *Refusal {
	f := &Refusal{Rejection: why, cfg: cfg, grpc: grpc}
	p := &f.problem
	p.Policy, p.Reason, p.RetryAfter = why.Policy, why.Reason.String(), why.RetryAfter
	p.Attempts, p.Spread = -1, refusedFor
	p.Status, p.Error, p.Type = http.StatusServiceUnavailable, problem.LimitReached,
		problem.ReducedCapacity
	p.Detail = details[why.Reason]
	switch why.Reason {
	case core.Shed, core.AdmissionReduced:
		p.Error, p.NoRetry = problem.RequestDenied, true
	case core.TwinStarted:
		p.Error, p.Type, p.NoRetry = problem.RequestDenied, "", true
	case core.TenantLimit:
		p.Status, p.Error, p.Type = http.StatusTooManyRequests, problem.RequestError,
			problem.QuotaExceeded
		p.NoRetry = true
		if t := cfg.Door.Tenants; t != nil {
			f.policy = `"tenant";q=` + strconv.Itoa(t.Slots) + `;qu="concurrent-requests"`
		}
	case core.DeadlineExceeded, core.DeadlineTooShort:
		p.Status, p.Error, p.Type = http.StatusGatewayTimeout, problem.ResponseTimeout, ""
		p.RetryAfter, p.Spread, p.NoRetry = 0, 0, true
	}
	f.answer = p.Prepare()
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
	core.TwinStarted:      "A copy of the request, which waited elsewhere, is being served.",
}

const (
	// skipBytes and skipTime bound what is read of the body of a request that
	// was refused, so that the connection can be used again. Most bodies are
	// smaller and have come already; to wait for the others would be to let the
	// refused say when they are refused.
	skipBytes = 64 << 10
	skipTime  = 50 * time.Millisecond
)

// Write sends the answer to the request that was refused. What is left of the
// request's body is not waited for: if it is not short and here, the connection
// ends with the answer.
func (f *Refusal) Write(w http.ResponseWriter, r *http.Request) {
	skipBody(w, r)
	if f.policy != "" { // in the fields of the IETF's draft
		h := w.Header()
		h.Set("RateLimit-Policy", f.policy)
		h.Set("RateLimit", `"tenant";r=0;t=1`)
	}
	if f.Rejection.Reason == core.TwinStarted {
		w.Header()[TiedHeader] = []string{twinStarted}
	}
	if f.grpc {
		f.answer.WriteGRPC(w)
		return
	}
	f.answer.Write(w)
}

// skipBody sees to it that net/http does not wait for what is left of a body:
// it would read up to a quarter of a megabyte before it sends the answer.
func skipBody(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor != 1 || r.Body == nil || r.Body == http.NoBody {
		return
	}
	rc := http.NewResponseController(w)
	if r.Header["Expect"] == nil && r.ContentLength <= skipBytes { // or nobody has asked for it yet
		if rc.SetReadDeadline(time.Now().Add(skipTime)) != nil {
			return // it is not from a connection
		}
		if _, err := io.CopyN(io.Discard, r.Body, skipBytes+1); err == io.EOF {
			_ = rc.SetReadDeadline(time.Time{})
			return
		}
	}
	_ = rc.SetReadDeadline(time.Unix(1, 0)) // net/http looks for the rest behind the answer, too
	w.Header().Set("Connection", "close")
}
