package seakeephttp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/grpcstatus"
)

// grpcAnswer is an answer with a status in its head, or behind a body.
func grpcAnswer(status, body, trailer string, more ...string) *http.Response {
	resp := &http.Response{StatusCode: 200, ProtoMajor: 2, ContentLength: -1, Trailer: http.Header{},
		Header: http.Header{"Content-Type": {"application/grpc+proto"}},
		Body:   io.NopCloser(strings.NewReader(body))}
	if status != "" {
		resp.Header.Set("Grpc-Status", status)
		resp.Body, resp.ContentLength = http.NoBody, 0
	} else {
		resp.Trailer.Set("Grpc-Status", trailer)
	}
	for _, value := range more {
		resp.Header.Add("Grpc-Retry-Pushback-Ms", value)
	}
	return resp
}

func TestGRPCAnswersMean(t *testing.T) {
	fail := func(o core.Outcome, c core.Cause) core.Result { return core.Result{Outcome: o, Cause: c} }
	for name, tc := range map[string]struct {
		resp *http.Response
		want core.Result
	}{
		"OK":             {grpcAnswer("0", "", ""), fail(core.Success, 0)},
		"nothing yet":    {grpcAnswer("", "x", "14"), fail(core.Success, 0)},
		"UNAVAILABLE":    {grpcAnswer("14", "", ""), fail(core.Failure, core.Unavailable)},
		"INTERNAL":       {grpcAnswer("13", "", ""), fail(core.Failure, core.ServerError)},
		"CANCELLED":      {grpcAnswer("1", "", ""), fail(core.Failure, core.Unknown)},
		"NOT_FOUND":      {grpcAnswer("5", "", ""), fail(core.Ignored, core.ClientError)},
		"a code unknown": {grpcAnswer("77", "", ""), fail(core.Failure, core.Unknown)},
		"no code":        {grpcAnswer("x", "", ""), fail(core.Failure, core.Unknown)},
		"pushback of 250": {grpcAnswer("14", "", "", "250"), core.Result{Outcome: core.Overloaded,
			Cause: core.Unavailable, Exact: true, RetryAfter: 250 * time.Millisecond}},
		"pushback of -1": {grpcAnswer("8", "", "", "-1"), core.Result{Outcome: core.Overloaded,
			Cause: core.TooMany, NoRetry: true}},
	} {
		if got := classifyAnswer(tc.resp); got != tc.want {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
	html := grpcAnswer("", "x", "")
	html.StatusCode = 503
	if got := classifyAnswer(html); got.Cause != core.Unavailable {
		t.Errorf("503 with gRPC's type: %+v", got)
	}
}

// The breaker hears of a stream's first message as of a success, and of a status
// in the trailer when the body ends. Without a message that is all it hears.
func TestGRPCTrailerIsReported(t *testing.T) {
	for name, tc := range map[string]struct {
		body, trailer string
		calls, failed uint64
	}{
		"message, OK":         {"m", "0", 1, 0},
		"message, INTERNAL":   {"m", "13", 2, 1},
		"no message, OK":      {"", "0", 1, 0},
		"no message, failure": {"", "14", 1, 1},
		"no message, blame":   {"", "3", 0, 0},
		"no status":           {"m", "", 2, 1},
	} {
		p := policy(t, seakeep.Config{Breaker: &seakeep.Breaker{Failures: 1, MinCalls: 100,
			Window: seakeep.Window{Calls: 100}, Open: seakeep.Pause{For: time.Minute}}})
		tr := Wrap(p, roundTripper(func(*http.Request) (*http.Response, error) {
			return grpcAnswer("", tc.body, tc.trailer), nil
		}))
		req := httptest.NewRequest("POST", "http://h/s.S/M", nil)
		req.Header.Set("Content-Type", "application/grpc")
		if got := send(tr, req); got.err != nil {
			t.Fatal(got.err)
		}
		w := p.Snapshot().Breaker.Window
		if uint64(w.Calls) != tc.calls || uint64(w.Failed) != tc.failed {
			t.Errorf("%s: %d calls, %d failed; want %d, %d", name, w.Calls, w.Failed, tc.calls, tc.failed)
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// What the door counts a program by that answers in gRPC.
func TestGRPCSettles(t *testing.T) {
	for value, want := range map[string]int{"0": 200, "14": 503, "8": 429, "4": 504, "13": 500, "2": 500,
		"5": 400, "1": 400, "x": 500} {
		for _, prefix := range []string{"", http.TrailerPrefix} {
			h := http.Header{"Content-Type": {"application/grpc"}, prefix + grpcstatus.StatusHeader: {value}}
			if got := settled(200, h); got != want {
				t.Errorf("grpc-status %s is %d, want %d", value, got, want)
			}
		}
	}
	if got := settled(200, http.Header{grpcstatus.StatusHeader: {"14"}}); got != 200 {
		t.Errorf("an answer of HTTP is %d", got)
	}
}
