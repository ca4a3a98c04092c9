package main

import (
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/failsafe-go/failsafe-go/timeout"
	"github.com/seakeep/seakeep/seakeephttp"
)

const (
	httpName     = "seakeephttp"
	failsafeHTTP = "failsafehttp"
	httpNone     = "none"
)

func httpRow() row {
	return row{id: "h1", title: "RoundTripper with all of it over a stubbed transport, GET",
		base: httpNone, variants: []variant{
			{name: httpNone, make: func() loop { return roundTrips(stub{}) }},
			{httpName, func() loop {
				return roundTrips(seakeephttp.Wrap(ourPolicy(ourStack(limit)), stub{}))
			}, &ours{5, []string{failsafeHTTP, byHandName}}},
			{name: failsafeHTTP, make: func() loop { return roundTrips(failsafeTransport()) }},
			{name: byHandName, make: func() loop {
				return roundTrips(&handTransport{newByHand[*http.Response](limit)})
			}},
		}}
}

// stub answers two bytes, as cheaply as an http.Transport may.
type stub struct{}

// RoundTrip implements http.RoundTripper.
func (stub) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1",
		ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"text/plain"}},
		Body: io.NopCloser(strings.NewReader("ok")), ContentLength: 2, Request: req}, nil
}

// roundTrips sends a request as http.Client does, with a context that can be
// cancelled, as a server's is; reads the answer to its end and closes it.
func roundTrips(t http.RoundTripper) loop {
	return func(n int) {
		ctx, cancel := context.WithCancel(background)
		defer cancel()
		for range n {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://pricing/v1/7", nil)
			if err != nil {
				panic(err)
			}
			resp, err := t.RoundTrip(req)
			if err != nil {
				panic(err)
			}
			if size, err := io.Copy(io.Discard, resp.Body); size != 2 || err != nil {
				panic("the answer is not complete")
			}
			_ = resp.Body.Close()
		}
	}
}

func failsafeTransport() http.RoundTripper {
	retry := failsafehttp.NewRetryPolicyBuilder().WithMaxAttempts(attempts).
		WithBackoff(backoffBy, backoffTo).Build()
	stack := failsafe.With(bulkhead.New[*http.Response](slots), retry,
		failsafeBreaker[*http.Response](), timeout.New[*http.Response](limit))
	return failsafehttp.NewRoundTripperWithExecutor(stub{}, stack)
}

// handTransport is a RoundTripper by hand. The attempt's context must live
// until the body is closed, so that it cannot be ended where it was begun.
type handTransport struct{ *byHand[*http.Response] }

// RoundTrip implements http.RoundTripper.
func (h *handTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := h.slots.Acquire(req.Context(), 1); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(req.Context(), h.limit)
	resp, err := backoff.Retry(ctx, func() (*http.Response, error) {
		return h.breaker.Execute(func() (*http.Response, error) {
			resp, err := stub{}.RoundTrip(req.WithContext(ctx))
			if err == nil && resp.StatusCode >= http.StatusInternalServerError {
				return resp, errFailed
			}
			return resp, err
		})
	}, backoff.WithBackOff(waitsBetween()), backoff.WithMaxTries(attempts))
	if err != nil {
		cancel()
		h.slots.Release(1)
		return nil, err
	}
	resp.Body = &handBody{resp.Body, cancel, h}
	return resp, nil
}

// handBody gives everything back when it is closed.
type handBody struct {
	io.ReadCloser
	cancel context.CancelFunc
	h      *handTransport
}

// Close implements io.Closer. It is called once.
func (b *handBody) Close() error {
	b.cancel()
	b.h.slots.Release(1)
	return b.ReadCloser.Close()
}
