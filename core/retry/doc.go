// Package retry says which failures deserve another attempt, how long to wait
// before it, and how layers tell each other that one of them retries.
//
// A retry helps when a failure may go away on its own and when running the
// call twice does no harm. It hurts in every other case: it repeats what
// cannot work, charges a card twice, or adds load to what is overloaded. So
// Check asks, in this order, whether the failure can go away, whether the
// other side allows it, whether it is safe and whether it is possible at all.
// The budget and the deadline are asked after that, by the call.
//
// # Algorithm
//
// Before attempt k+1 the wait starts from e = min(Cap, Base * Factor^(k-1)),
// computed in floating point and capped there, so that no shift can wrap and
// no overflow can pass the cap. Jitter then draws from it, so that callers who
// failed together do not come back together:
//
//	Full          uniform in [0, e)
//	Equal         e/2 + uniform in [0, e/2)
//	Decorrelated  min(Cap, uniform in [Base, 3 * the wait before)), ignoring e
//	None          e
//
// The draw is an argument: the driver owns the random numbers, and the same
// draws give the same waits. A wait that the server asks for, capped by
// MaxWait, is a lower bound; an exact one (gRPC's pushback) is the wait, and one
// beyond MaxWait means no other attempt.
//
// # Locking
//
// None: a Config is a value and every function is pure. What a call has to
// remember between attempts (their number, the wait before) is its own.
//
// # Source
//
// The kinds of jitter are those of "Exponential Backoff And Jitter" (AWS
// Architecture Blog). Retry-After is RFC 9110, section 10.2.3; the pushback
// header is gRPC proposal A6.
package retry
