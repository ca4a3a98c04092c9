// Package seakeephttp protects HTTP calls: its Transport is an
// http.RoundTripper for any http.Client, and what seakeep proxy sends requests
// through.
//
//	set, err := seakeep.Open("seakeep.yaml")
//	...
//	pricing, err := seakeephttp.NewTransport(set, "pricing", nil)
//	client := &http.Client{Transport: pricing}
//
// An answer of the dependency reaches the caller whole and as it is, a failing
// one too. Without an answer RoundTrip returns a *seakeep.Rejection, or the
// last error as it came. What each status and error means to the policies is a
// table in docs/http.md.
//
// Handler is the other half: it protects an HTTP server by the serve section of
// its policy file. Idempotency runs a write once for each Idempotency-Key.
//
// # Bodies
//
// A request's body is kept for another attempt while it is small enough; a
// larger one streams through and is sent once. An answer's body is never
// gathered: the call keeps its place in the bulkhead until the body was read to
// its end or closed.
//
// # Limits
//
// The limit of an attempt ends when the answer's headers are there. A body of
// stated length then has what is left of the call's total limit; a stream,
// whose length nobody knows, and a connection that was upgraded have only the
// caller's own context.
package seakeephttp
