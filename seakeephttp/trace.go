package seakeephttp

import (
	"net/http"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core/call"
)

// RequestTrace is an AttemptTrace that wants to know what HTTP knows of the
// attempt. All of it comes before EndAttempt.
type RequestTrace interface {
	// Sending is told of the request as it is sent, to the endpoint that was
	// chosen for it. Its header may be written to.
	Sending(*http.Request)
	// Answered is told of the answer's head.
	Answered(*http.Response)
	// Failed is told why there is no answer.
	Failed(error)
}

// followed is pass for a call that somebody follows, its fallback included.
func (x *exchange) followed(turn *seakeep.Turn) (resp *http.Response, err error) {
	ctx, t := x.adapter.Trace(x.req.Context())
	x.req = x.req.WithContext(ctx)
	end := seakeep.Ending{Verdict: call.Failed}
	defer func() {
		kind := ""
		if x.answered && resp != nil { // the header may also be of a proxy further on
			kind = resp.Header.Get(FallbackHeader)
		}
		t.Ended(&end, kind)
	}()
	return x.pass(turn, &end)
}

// follows sends the attempt's request with what follows it listening.
func (s *sending) follows(x *exchange) (*http.Response, error) {
	t, ok := seakeep.AttemptTraceOf(s.req.Context()).(RequestTrace)
	if !ok {
		return s.send(x)
	}
	s.header()
	t.Sending(&s.req)
	resp, err := s.send(x)
	if err != nil {
		t.Failed(err)
	} else {
		t.Answered(resp)
	}
	return resp, err
}
