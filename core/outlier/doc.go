// Package outlier finds the few endpoints that are worse than the others, and
// takes them out for a while.
//
// A breaker judges a dependency as a whole: one bad replica of twenty fails 5 %
// of the calls, which is below every threshold that leaves a healthy dependency
// alone. What gives it away is the comparison with the other nineteen. A slow
// replica is worse than a dead one, because nobody notices it: calls wait there
// instead of failing over.
//
// # Algorithm
//
// Six rules look at what each attempt came to. Three act on a run of errors,
// as soon as it is long enough:
//
//   - Consecutive.Errors failures in a row.
//   - Consecutive.Gateway failures in a row that are somebody else's: 502, 503,
//     504, or no answer at all.
//   - Consecutive.Local attempts in a row without an answer. With this rule on,
//     those no longer count as Errors, so that what the application answers and
//     what the network does are told apart.
//
// and three compare what an Interval has brought, when it is over:
//
//   - FailureShare: its failures are at least such a share.
//   - SuccessRate: its rate is below mean - Sigma * standard deviation of all.
//   - Latency: its quantile is Factor times the median of the others'.
//
// An endpoint that is out comes back at the first sweep after Base times the
// number of its recent ejections, at most Cap. Each whole interval that it
// stays in takes one off that number. What is reported of it while it is out
// does not count, nor does an attempt that began before it came back. It
// returns as one of which nothing is known; that it does not get its whole
// share at once is the balancer's slow start.
//
// Whatever the rules say, no more than MaxOut.Share of all endpoints are out
// after an ejection, those included that something else has taken out (Apart).
// An ejection that this forbids is counted as spared. Of several candidates at
// the end of an interval the worst goes first.
//
// A neutral outcome (the caller left, or made a mistake) counts nowhere, nor
// does 429: too much to do is no sign of being worse than others.
//
// The arithmetic of the success rate: k equally bad ones of n are beyond the
// threshold while sqrt((n-k)/k) > Sigma. With 1.9 that is k/n < 21.7 %, and a
// single one needs five endpoints. When more than that are bad, the rule sees
// none; FailureShare does.
//
// # Locking
//
// One mutex around the machine. A report is a few additions; a sweep looks at
// each endpoint, once in an Interval.
//
// # Source
//
// The rules and their numbers are those of Envoy's outlier detection. The
// comparison of latencies, the gap that a success rate must have and the check
// of the share after the ejection are ours.
package outlier
