// Package tune proposes settings of a policy file from what was measured: limits
// on time, slots, queues, and when breakers and copies act.
//
// # Why
//
// A timeout that somebody guessed either cuts off healthy calls or bounds
// nothing. The numbers to choose it by are there already, in monitoring or in
// the results of a load test.
//
// # How
//
// A source gives a Sample for each dependency: latencies of attempts as the
// caller saw them, how many failed, and over what time. Propose makes changes of
// it. Each comes with its reason and with how sure it is: a quantile has the
// interval between two order statistics that holds the true one with 95 %
// (binomial, so nothing is assumed of the distribution), buckets widen it, and
// below ten calls beyond a quantile there are too few and nothing is proposed.
// The two halves of the sample are compared; if they differ by more than chance
// allows, the slower one decides.
//
// Calls that the present timeout cut off are longer than that, and nobody knows
// by how much. A quantile among them is unknown, and the report says so.
//
// Patch changes the text of the file at the places concerned and nothing else:
// comments, order and anchors stay. A value that others share by an anchor is
// changed for the one dependency only; those who share it keep what they have.
// What "seakeep check" finds in the result and not in the file before is taken
// out again. Effect runs both files in the simulator on what was measured.
//
// # Sources
//
// What comes from outside is read up to a bound, and each form has a parser that
// says what is wrong and where. Docs/tune.md lists them.
package tune
