// Package stats says how far a simulated figure can be believed.
//
// A simulation draws random numbers, so a figure of one run is one draw. What
// may be printed is a figure with an interval: run the same scenario under
// several seeds, and the spread of the answers says how near their mean is to
// the truth.
//
// # Algorithm
//
// A mean over replications gets Student's t interval. The replications are
// independent, which calls or seconds within one run are not: one bad second
// makes the next one bad.
//
// A quantile of raw samples gets the interval between two order statistics:
// the number of samples below the true quantile is binomial, whatever the
// distribution is, so nothing is assumed of it. Where the sample is too small
// for a bound, as a p99.9 of 500 samples is, the bound is infinite and not a
// guess.
//
// Two variants that ran under the same seeds are compared pair by pair: what
// both drew alike cancels, and the interval is that of the difference.
//
// # Source
//
// Student's distribution function for whole degrees of freedom is the finite
// series 26.7.3 and 26.7.4 of Abramowitz and Stegun, "Handbook of Mathematical
// Functions"; its quantile is found by bisection. The order-statistic interval
// is in David and Nagaraja, "Order Statistics", section 7.1, and the rule for
// when to stop in Law, "Simulation Modeling and Analysis", section 9.4.
//
// Only functions of package math are used that are the same on every
// architecture, so that a report is too.
package stats
