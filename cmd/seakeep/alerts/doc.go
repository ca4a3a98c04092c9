// Package alerts makes Prometheus rules of a policy file: the recording rules and
// burn alerts of its objectives, and an alert for each of the ways in which a
// protected service still fails.
//
// Counts are recorded, never ratios, and divided last, because a mean of ratios
// counts a quiet night as much as a busy day. The windows of alerts are counted
// from the counters themselves, so that an alert fires as soon as it should; the
// period is summed up from counts of five minutes, which is as exact and costs a
// thousandth.
package alerts
