// Package breaker is the circuit breaker: it stops calling a dependency that
// is clearly broken, so that callers fail in nanoseconds instead of waiting,
// and the dependency gets room to recover.
//
// # Algorithm
//
// Closed, calls pass and their results land in a window (the last N calls, the
// last T of time, or failures in a row). When the window holds enough calls
// and the share of failures, or of slow calls, reaches its threshold, the
// breaker opens. Open, every call is refused. When the open time has passed,
// the next call finds the breaker half-open and becomes a trial; a few trials
// decide whether it closes or opens again. After closing, traffic may be let
// back gradually (the ramp).
//
// Several rules keep it from flapping. Trials must do better than the
// threshold that opened the breaker. The open time may grow with each opening
// that follows a failed trial, or that comes before the breaker has been
// closed for as long as it was open. And a window starts empty after each
// change, so that yesterday's results do not decide today.
//
// Each change of state begins a new era, and a Permit names the era that gave
// it. A report from an earlier era changes nothing: without this rule, results
// of calls that were under way when the breaker opened would open it again, or
// close it, long after they meant anything. A neutral outcome (the caller
// left, or the mistake was the caller's own) gives its permit back and counts
// nowhere, in every state. A trial that never reports counts as failed after
// a bound.
//
// Time alone makes an open breaker ready; there is no timer. The change itself
// happens when a call asks.
//
// # Locking
//
// The machine is pure and has no lock. Breaker guards it with a mutex and
// keeps the latest now, so the machine never sees time go back. Two atomic
// words spare most calls of Admit the lock: one says "closed, in this era",
// the other "open until then". Both are written under the lock after a change,
// and the answers they give are the machine's.
//
// # Source
//
// The pattern is Michael Nygard's (Release It!, 2007). Minimum calls and the
// window of slices follow Hystrix, slow calls as a rate of their own
// Resilience4j, generations gobreaker, the ramp Traefik's recovery.
package breaker
