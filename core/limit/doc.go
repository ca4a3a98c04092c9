// Package limit works out how many requests may be in flight, from how long
// the served ones take. It is the algorithm and not the door: samples go in and
// a number comes out. Package bulkhead keeps to such a number.
//
// A fixed limit is right on one day: a new release, a slow disk or a larger
// machine makes it too high or too low, and nobody notices before an overload.
// Too high, and requests wait in line behind each other until their callers
// have left; too low, and work is refused that could have been done. Between
// the two is the knee: the least concurrency at which nearly all throughput is
// had.
//
// # Algorithm
//
// Knee, the default, rests on Little's law: requests in flight = throughput ×
// latency. Below the knee a higher limit brings throughput at the same latency,
// above it latency at the same throughput.
//
// Samples are collected in windows. A window is judged when it is old enough,
// has enough samples and is four times as long as its mean, and that mean is
// known to a tenth; a noisy or a slow service so gets longer windows. Each
// window with a mean below the baseline, twice its standard error included,
// lowers the baseline a quarter of the way. The limit is multiplied by goal /
// latency, in [0.7, 1.5]; the goal is Tolerance × baseline, or the baseline and
// room for four waiting requests if that is more. A limit of which less than
// half is in use does not move.
//
// A baseline that was never measured without a queue is wrong, and under a
// lasting overload no window is without a queue. So, when the limit binds, it
// is lowered on trial, by steps of 0.7, with traffic flowing: the first time it
// binds, then after some ten windows, then every 30 and, as long as nothing new
// is found, more and more seldom, to every 240. If latency falls along with the
// limit, what was taken off was only queue, and the trial goes on. If throughput
// falls instead, the knee is passed, and the latency there is the baseline,
// higher or lower than before. One more than a quarter higher has to be seen
// twice. The limit then goes straight to throughput × goal. A trial is broken
// off when traffic no longer fills it, and never goes on from half the
// throughput it began with.
//
// The same comparison runs while a high latency pushes the limit down. That is
// how a service that has become slower is told from one that is overloaded.
// Less than 0.6 of the throughput at the last trial, twice in a row, calls for
// the next trial at once. And what is measured five times in a row at Min is a
// baseline, because Min is right by definition.
//
// More than one dropped sample in twenty lowers the limit by a tenth.
//
// Fixed, AIMD, Vegas, Gradient2 and Envoy are there because they are known; see
// docs/policies/limit.md for how they compare.
//
// # Departures
//
// Where a published algorithm does what its users have reported as a fault,
// this package does the safe thing. A latency beyond Tolerance never raises a
// limit (Gradient2 and Envoy add headroom after multiplying, and so grow under
// a mild overload). A limit that is less than half in use does not grow (Envoy
// lets it). Limits stay within Min and Max, during Envoy's measurements too. An
// Envoy measurement that gets too few requests within 300 windows keeps the old
// baseline and ends. Windows with too few samples change nothing. Dropped
// samples have no latency.
//
// # Moves
//
// Snapshot names the reason of the last move: start (none yet), good (latency
// within tolerance), slow (beyond it), dropped, trial (lowered to see what
// comes of it), knee (a trial has ended), back (a trial was broken off for want
// of traffic), probe and measured (Envoy pins the limit, and lets it go).
//
// # Locking
//
// One mutex around the machine; Limit reads an atomic. A sample that ends no
// window costs a few additions and allocates nothing.
//
// # Source
//
// Little's law is from J. D. C. Little, 1961; the knee as the best point to
// work at from L. Kleinrock, 1979. To find a path's delay and rate apart from
// each other, at different moments, is the idea of BBR (Cardwell and others,
// 2016). AIMD, Vegas and Gradient2 follow Netflix's concurrency-limits, Vegas
// after L. Brakmo and L. Peterson, 1995; Envoy its adaptive concurrency filter.
package limit
