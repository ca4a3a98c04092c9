// Package load is a small load test with an open loop: requests are planned as
// independent people would make them, and go out when their moment comes,
// whether or not those before them were answered.
//
// # Why
//
// A closed loop asks again when it has been answered, so it slows down with the
// server and never shows what happens past the limit; and it leaves out of its
// figures the requests that it would have made meanwhile (coordinated omission).
// Here latency counts from the planned moment. The time from the real sending
// is told beside it, under its own name.
//
// # How
//
// The rate goes in steps, or rises along a ramp that is reported in steps.
// Goodput is what is answered with a 2xx within the time that is good. A step
// holds if nearly all of its requests are good. Search doubles the rate until a
// step does not hold, halves the gap a few times, and then goes past the limit,
// to show what it is like there. Between steps all requests come to their end.
//
// # Bounds
//
// At most Most requests are under way, each with a connection at most; one that
// is due while so many are is not sent, and counts as such and as not good.
// Latencies are kept in histograms of fixed size. If the machine that makes the
// load is itself late, the step says so and decides nothing.
package load
