// Package seakeep keeps a service standing when something it depends on gets
// slow or fails. A policy says how each dependency is protected; Do carries a
// call through it.
//
//	policies, err := seakeep.Open("seakeep.yaml")
//	...
//	pricing := policies.MustPolicy("pricing")
//	price, err := seakeep.Do(ctx, pricing, func(ctx context.Context) (Price, error) {
//		return fetchPrice(ctx, sku)
//	})
//
// The order is fixed: the deadline, the throttle, a slot of the bulkhead, and
// for each attempt the retry budget, the circuit breaker and the attempt's
// timeout; then the fallbacks. A hedge sends a copy of an attempt that is slow.
// A rung that the policy leaves out is off. Policies are not generic: one
// breaker serves calls of any result type.
//
// A call that its policy refused returns a *Rejection, which says which rule
// refused and when to come back; Explain gives the numbers behind it. A
// dependency's own error is returned as it came. With tells what only the
// caller knows of a call, such as that repeating it is safe.
//
// A Door protects the service itself: it lets in what can be served, the most
// important first, and refuses the rest early. A Queue does the same between
// the producers and consumers of one program.
//
// A program can write its policy in Go instead (New), protect an http.Client
// (package seakeephttp), or put the same file in front of programs in any
// language (seakeep proxy).
package seakeep
