// Package failover moves calls from a provider that fails to a second one, and
// back when the first has recovered.
//
// A fallback answers one call that has failed already, so that the caller has
// waited for the failure. Once a provider fails a large share of its calls it
// is better not to ask it: failover judges it over a window and then sends all
// calls that may go there to the second. Each call goes to one provider only.
//
// # Algorithm
//
// First: calls go to the first provider, and how they end is counted over a
// sliding window. When it holds enough calls and the share that failed reaches
// the limit, the state becomes Second.
//
// Second: calls go to the second provider. Those that have to stay with the
// first go there still, and say nothing. After a wait the state becomes
// Returning.
//
// Returning: a small share of the calls tries the first again. That share
// doubles step by step. A step is passed when it has lasted its time, enough
// calls were judged in it, and the share of them that failed is within the limit
// of the way back, which is lower than the one of leaving: between the two
// limits nothing moves to and fro. When the share reaches 1, the state is First
// again, with an empty window. As soon as a step has more failures than that, it
// is Second again, and the next wait is twice as long, up to eight times.
//
// A call belongs to the state, and to the step, in which it began: what it tells
// later than that is no longer of interest, as a timeout of half a minute ago
// says nothing about a provider that has just come back. Neutral outcomes are
// never counted.
//
// # Locking
//
// One mutex around the machine, held for a few dozen nanoseconds.
//
// # Source
//
// The limit of a fifth of the calls in 30 seconds is a notification service's
// rule for its providers. Two thresholds instead of one are the Schmitt trigger;
// to come back with a small and growing share is what canary releases do.
package failover
