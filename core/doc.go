// Package core holds the words that Seakeep's policies share: an Instant, how
// an attempt ended (Outcome, Cause, Result), why a policy decided as it did
// (Reason), and the Event that records a decision.
//
// Everything below core is pure. A policy is told the time and what happened,
// and answers what to do; it reads no clock, starts no goroutine or timer,
// does no I/O, calls no user code, draws no global randomness and never ranges
// over a map. That is why one implementation serves the library, the proxy and
// the simulator, and why a sequence of calls always gives the same answers.
//
// A name enters this package only when two policies need it in a signature.
package core
