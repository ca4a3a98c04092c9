package proxy

import (
	"net/http"
	"strings"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/wire"
	"github.com/seakeep/seakeep/internal/problem"
)

// Answers that no dependency gave.
var (
	noTunnels = problem.Problem{Status: http.StatusNotImplemented, Error: problem.RequestError, Reason: "connect",
		Detail: "CONNECT is not offered: this address stands for one dependency."}
	looping = problem.Problem{Status: http.StatusBadGateway, Error: "proxy_loop_detected", Reason: "loop",
		Detail: "The request has come through this proxy before: " +
			"an endpoint of the dependency leads back to the proxy."}
)

// make answers a request that no dependency has answered.
func (x *exchange) make(m problem.Problem) {
	x.dropBody()
	x.answer(m)
}

// dropBody sees to it that what is left of the request is not taken for the next
// one.
func (x *exchange) dropBody() {
	if x.r.ProtoMajor == 2 {
		x.body.close() // net/http ends the stream behind the answer
		return
	}
	if done, touched := x.body.done(); !done {
		rc := http.NewResponseController(x.w)
		if waits := x.r.Header["Expect"] != nil && !touched; !waits {
			x.body.drop(rc)
		}
		if done, _ = x.body.done(); !done {
			x.last()
		}
	}
}

// answer sends it.
func (x *exchange) answer(m problem.Problem) {
	x.log("answered here", "status", m.Status, "error", m.Error, "reason", m.Reason,
		"detail", m.Detail)
	x.sent, x.status = true, m.Status
	problem.WriteFor(x.w, x.r, m)
}

// refuse answers a request that package wire did not let through.
func (p *Proxy) refuse(w http.ResponseWriter, r *http.Request, why *wire.Refusal) {
	p.local.Info("a request was refused", "client", r.RemoteAddr, "rule", why.Rule)
	problem.WriteFor(w, r, refusal(why))
}

func refusal(why *wire.Refusal) problem.Problem {
	return problem.Problem{Status: why.Status, Error: problem.RequestError, Reason: why.Rule,
		Detail: strings.ToUpper(why.Detail[:1]) + why.Detail[1:] + "."}
}

// millis is a duration as a number of milliseconds, to the microsecond.
func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
