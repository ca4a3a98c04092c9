// Package health decides what the answers of active health checks mean: when
// to check which endpoint, and which of them to take out.
//
// It sends nothing. A driver asks it what is due, makes the checks and reports
// how they went.
//
// # Algorithm
//
// Unhealthy checks that fail in a row take an endpoint out, Healthy ones that
// pass in a row bring it back; one of the other kind begins the count anew. All
// ways to fail count alike. An endpoint of which nothing is known yet is used:
// a check that is broken must not keep a program from starting.
//
// One check of an endpoint is under way at a time. The next starts an interval
// after the start of the one before, or at its end if that is later. The
// interval is Every.Edge from the first check that differs from what is known
// of the endpoint, until it is settled again, and while nothing is known of it;
// Every.Down while it is unhealthy; Every.Up else. Each is drawn anew within
// Jitter, so that the checks of many clients spread out.
//
// No more than MaxOut of the endpoints are out at a time, rounded down. When
// more than that fail, those that failed first stay out and the others are
// used, because a check that fails everywhere says more about itself, or about
// something that all endpoints share, than about any of them. When one of those
// that are out passes, the next in line takes its place.
//
// # Locking
//
// One mutex around the machine, used a few times for each check.
//
// # Source
//
// Counts of failures and passes, and the edge interval, are what proxies have;
// the rules about one check at a time, about the first differing result and the
// limit on how many go are answers to complaints about them.
package health
