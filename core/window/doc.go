// Package window keeps counts of recent results, and distributions of recent
// latencies, in fixed memory.
//
// A policy that decides by "half of the recent calls failed" needs to say what
// recent means. There are three common answers, and each suits another load:
// the last N calls (memory of a fixed number of results, however old), the
// last T of time (memory of a fixed time, however busy), and the failures in a
// row (no share at all: one success forgets everything).
//
// # Algorithm
//
// A window of calls is a ring of one byte a call; the totals are kept up to
// date by taking away what the ring overwrites. A window of time is a ring of
// slices (buckets) with their totals. The current slice is replaced when its
// end has passed, so what is counted is between Over less one slice and Over.
// A slice begins at the first result after a quiet spell, not on a grid of the
// clock, which is why the clock's origin does not matter. Advancing costs at
// most one step a slice, however long the gap, and no division.
//
// A Histogram is log-linear, as HdrHistogram made popular: each power of two
// is cut into 32 equal buckets, so a quantile is off by at most 1/64 of its
// value (1.6 %), from 64 ns up to 137 s. Below 64 ns it is exact; above 137 s
// only the maximum is kept.
//
// # Locking
//
// A Window (machine.go) has no lock: it is a part of other policies' machines
// and is called under their lock. A Histogram and a Recent may be used from
// any number of goroutines; they are made of atomic counters.
package window
