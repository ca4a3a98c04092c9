// Package tail shows what two bad replicas of twenty do to the slowest answers,
// and what ejecting outliers and hedging do about it, on real sockets and in one
// process.
//
// # What runs
//
//	users ──HTTP──> seakeep proxy ──HTTP──> twenty replicas
//
// One replica stalls for a second in one of a hundred requests, another takes
// ten times as long for each; the others are well. Replicas wait and do not
// work, so that twenty of them fit on one machine. Users are an open loop: they
// come when they come, and wait for ten seconds. Each variant is a policy file
// of its own; all get the same requests at the same moments, and a request that
// is sent to the same replica takes the same time in each.
//
// The last run is of what hedging must not do: when every replica is slow, the
// copies must not add to it.
//
// # What is measured
//
// A request belongs to the moment for which it was planned, and its time runs
// from there: if the generator itself is late, the wait is in the measurement
// and not hidden by it (coordinated omission). All latencies are kept, so the
// quantiles are exact. One without a good answer counts with the patience of
// its user. The load is counted where it arrives: replicas count how often they
// get each request.
//
// # What is promised
//
// A report says of each promise whether it held, and if not, why. The same
// promises are tested in virtual time, with the same policy files and
// endpoints, and no sockets.
package tail
