package seakeephttp

import (
	"net/http"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core/retry"
)

// FailoverHeader is set on every answer that came from a dependency's second
// provider, and names it.
const FailoverHeader = "X-Seakeep-Failover"

// turn decides whether a request goes to the dependency's second provider. That
// has to have endpoints, or the request would find the first by its address.
func (t *Transport) turn(req *http.Request) (turn seakeep.Turn, second *Transport) {
	p := t.current()
	if p.config == nil || p.config.Failover == nil {
		return turn, nil
	}
	x := exchange{req: req, pool: p, info: seakeep.CallOf(req.Context())}
	turn = t.set.Turn(t.name, x.word(x.knownSafety()))
	to := turn.To()
	if to == "" {
		return turn, nil
	}
	second, err := t.family.member(t.set, to)
	if err != nil || second.current().dir == nil {
		return turn, nil
	}
	return turn, second
}

// word is what is known of running the request twice, by the policy file's word
// if it has one.
func (x *exchange) word(s retry.Safety) retry.Safety {
	again := x.target().Policy.Plan().Config().Retry
	switch {
	case again == nil:
	case again.Idempotent == retry.Always:
		return retry.Idempotent
	case again.Idempotent == retry.Never:
		return retry.Unsafe
	}
	return s
}

// divert sends the request to the second provider, through that one's ladder.
func divert(second *Transport, req *http.Request) (*http.Response, error) {
	resp, err := second.RoundTrip(req)
	if err == nil {
		setHeader(resp, FailoverHeader, second.name)
	}
	return resp, err
}
