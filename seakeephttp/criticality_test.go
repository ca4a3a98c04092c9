package seakeephttp

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
)

// teller is a base that keeps what it was told, and answers with a status.
type teller struct {
	status int
	told   [][]string
}

func (b *teller) RoundTrip(r *http.Request) (*http.Response, error) {
	b.told = append(b.told, r.Header[config.CriticalityHeader])
	return &http.Response{StatusCode: b.status, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}

// What the context says is put on the wire, on every attempt; what the request
// says goes on as it came; and if nobody says anything, nothing is added.
func TestCriticalityOnTheWire(t *testing.T) {
	var none core.Criticality = 100
	for _, tc := range []struct {
		context core.Criticality
		header  []string
		want    []string
	}{
		{none, nil, nil},
		{core.Critical, nil, []string{"critical"}},
		{core.Sheddable, nil, []string{"sheddable"}},
		{core.CriticalPlus, []string{"sheddable"}, []string{"critical_plus"}},
		{none, []string{"SHEDDABLE_PLUS"}, []string{"SHEDDABLE_PLUS"}},
		{none, []string{"nonesuch", "critical"}, []string{"nonesuch", "critical"}},
	} {
		base := &teller{status: 503}
		rt := Wrap(retries(t, 2), base)
		req := request(t, "GET", "http://test/", nil)
		if tc.header != nil {
			req.Header[config.CriticalityHeader] = tc.header
		}
		if tc.context != none {
			req = req.WithContext(seakeep.WithCriticality(req.Context(), tc.context))
		}
		send(rt, req)
		if len(base.told) != 2 || !slices.Equal(base.told[0], tc.want) || !slices.Equal(base.told[1], tc.want) {
			t.Errorf("%v and %q give %q", tc.context, tc.header, base.told)
		}
		if got := req.Header[config.CriticalityHeader]; !slices.Equal(got, tc.header) {
			t.Errorf("the caller's own request has %q", got)
		}
	}
}

// The throttle goes by the context's word, or the request's, or neither's.
func TestThrottleGoesByTheClass(t *testing.T) {
	base := &teller{status: 503}
	p := policy(t, seakeep.Config{Throttle: &seakeep.Throttle{Minimum: 1},
		More: &seakeep.More{Draw: func() float64 { return 0 }}})
	rt := Wrap(p, base)
	ask := func(ctx context.Context, header string) error {
		req := request(t, "GET", "http://test/", nil).WithContext(ctx)
		if header != "" {
			req.Header.Set(config.CriticalityHeader, header)
		}
		return send(rt, req).err
	}
	bare := context.Background()
	plus := seakeep.WithCriticality(bare, core.CriticalPlus)
	for i, tc := range []struct {
		ctx     context.Context
		header  string
		refused bool
	}{
		{bare, "sheddable", false}, // a 503 of the dependency
		{bare, "Sheddable", true},
		{bare, "", false},
		{bare, "nonesuch", true}, // critical, as if nothing was said
		{plus, "sheddable", false},
		{plus, "", true},
		{bare, "critical_plus", true},
		{bare, "sheddable_plus", false},
	} {
		var r *seakeep.Rejection
		err := ask(tc.ctx, tc.header)
		if got := errors.As(err, &r) && r.Reason == core.Throttled; got != tc.refused {
			t.Errorf("request %d: %v", i, err)
		}
	}
	if len(base.told) != 4 {
		t.Errorf("%d requests were sent", len(base.told))
	}
}

// What an answer means to the throttle: 429 and 503, timeouts and what cannot
// get through are no acceptance; everything else that answers is, and a 4xx
// says nothing.
func TestThrottleCountsAnswers(t *testing.T) {
	for status, want := range map[int][2]int64{
		200: {1, 1}, 304: {1, 1}, 500: {1, 1}, 501: {1, 1}, 429: {1, 0}, 503: {1, 0}, 502: {1, 0},
		504: {1, 0}, 404: {0, 0}, 409: {0, 0},
	} {
		p := policy(t, seakeep.Config{Throttle: &seakeep.Throttle{}})
		send(Wrap(p, &teller{status: status}), request(t, "GET", "http://test/", nil))
		c := p.Snapshot().Throttle.Classes[core.Critical.Index()]
		if got := [2]int64{c.Requests, c.Accepts}; got != want {
			t.Errorf("%d counts as %d accepted of %d", status, c.Accepts, c.Requests)
		}
	}
	p := policy(t, seakeep.Config{Throttle: &seakeep.Throttle{},
		Timeout: seakeep.Timeout{Request: time.Millisecond}})
	send(Wrap(p, &silent{}), request(t, "GET", "http://test/", nil))
	if c := p.Snapshot().Throttle.Classes[core.Critical.Index()]; c.Requests != 1 || c.Accepts != 0 {
		t.Errorf("a timeout is %+v", c)
	}
}
