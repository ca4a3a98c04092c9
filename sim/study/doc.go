// Package study makes figures that can be believed out of runs of a scenario,
// and says why they came out so.
//
// # Figures
//
// Summarise takes the runs of one scenario under several seeds. Every figure
// of the Summary has a key such as endpoints.pricing.success, by which
// expectations, edges and comparisons name it, and an interval that holds the
// truth in 95 of 100 cases:
//
//   - a rate or a mean has Student's t interval over the runs;
//   - a share, counted in requests, has the wider of that and of Wilson's
//     interval for the requests of all runs together, so that five runs
//     without a failure do not claim that there are none;
//   - a quantile has the wider of the t interval of the runs' quantiles and of
//     the interval between two order statistics of all requests, widened by
//     the width of the histogram's buckets. The first knows that requests of
//     one run are not independent, the second how few make a p99.9.
//
// # Causes
//
// Why tells what led to what in one run, in the order of time: from what the
// scenario says happens, from the series of the run, and from the decisions of
// the policies that a Log gathered. Each sentence follows a rule and is about
// something that was counted.
//
// # Theory
//
// Notes puts what a formula says beside what was measured, and Assumptions
// lists the settings that decide a result and the keys that change them.
package study
