// Package telemetry turns decisions into metrics and log lines. It knows no
// monitoring system: adapters/prometheus and adapters/otel offer what it counts
// to one each.
//
// # Why
//
// Every decision of every policy is a core.Event. Somebody has to count them in
// a way that costs little, that no client can make grow, and that says the same
// to whichever system asks.
//
// # How
//
// Metrics is an observer: what happens is counted as it happens. What is a
// state and not a happening, such as a bulkhead's free slots, is read from
// Sources when somebody collects. Definitions is the one table of names, types,
// labels and meanings; docs/monitoring.md is tested against it.
//
// A state is told three ways, because a gauge that is scraped every 15 seconds
// misses what is shorter: as a gauge, as a counter of transitions, and as a
// counter of the time spent in it.
//
// # Bounds
//
// Labels come from the policy file and from fixed lists of words. A word that
// is on no list becomes "other"; so does every policy after the first thousand.
// Nothing that a client says is a label: not its keys, its tenants, its paths.
//
// # Locking
//
// Counting takes no lock and, but for the first event of a policy, allocates
// nothing. The counters of calls and attempts, which every call touches, are
// striped, so that processors do not take turns at a cache line. A collection
// is not a snapshot of one instant: a call that ends meanwhile may be in one
// counter and not yet in another.
package telemetry
