// Package balance chooses the endpoint for each attempt.
//
// Endpoints take turns. An attempt that follows a failed one goes to an
// endpoint that this call has not tried, because trying the same machine again
// is the least likely to help. An endpoint that could not be reached at all
// rests for a while, so that a machine that is down does not cost every second
// call a failed attempt.
//
// # Algorithm
//
// Round robin: the next endpoint in order that neither rests nor was tried; if
// all that are up were tried, the next of those in order.
//
// An endpoint rests for one second after an attempt could not reach it. Then
// one attempt, and only one, is sent to it as a trial. If that fails too it
// rests twice as long, up to ten seconds; if it succeeds the endpoint is back
// in its turn. A trial that never reports is replaced by another after the same
// rest. While an endpoint rests and no trial is out, a report can only be of an
// attempt that began earlier. It says nothing about now and is ignored, so that
// fifty calls failing at once count as one failure.
//
// If all endpoints rest, the one whose last failure or try is the longest ago is
// chosen, of those not tried first: a guess is better than a certain refusal. A
// guess that fails leaves the rest as it was; one that succeeds ends it.
//
// # Locking
//
// One mutex around the machine, held for a few nanoseconds.
//
// # Source
//
// Passive marking of unreachable peers is what HTTP proxies do by default; the
// single trial is the half-open state of a breaker in small.
package balance
