// Package slo keeps the count of a service level objective: how many of the
// events that users saw were good, how much of the error budget is left, how
// fast it burns, and what that means.
//
// An objective of 99.9 % over 30 days lets one event in a thousand be bad: 43.2
// minutes of complete failure. That thousandth is a budget. While some of it is
// left it may be spent, on drills and risky changes; when it is gone, what was
// agreed beforehand happens, and nobody has to argue.
//
// # Algorithm
//
// Counts are kept, never ratios: good and bad events, in slices of time, in four
// rings of growing slices (5 s for an hour, 1 min for twelve hours, 10 min for
// five days, a 720th of the period for the period). A ratio is made last, of
// the sums over a window. A window W holds what happened in (now-W, now], or up
// to one slice less: what falls out does so a slice at a time. A calendar window
// is counted exactly from its beginning, which is in the zone that it was given.
//
// A window burns at (bad/total) / (1-objective): 1 spends the budget in exactly
// one period. A pair of windows asks for a share of the budget in its long
// window, so its factor is share × period / long window; with 2 % in an hour of
// 30 days that is 14.4. Its alert fires while both the long and the short window
// burn faster than the factor. The long one says that it matters, the short one
// that it goes on, so that the alert clears when the trouble has ended. Too few
// events, or too few bad ones, in the long window do not fire: with five
// requests an hour one error is no outage.
//
// What is left of the budget are two numbers. Left is by the events that were:
// 1 - bad / ((1-objective) × total). LeftOfPeriod is by the events that the
// whole period will have had if the traffic goes on as it did; in the first week
// of a month ten errors of a thousand requests are a disaster by the one and
// nothing much by the other. Once a rolling window has been filled they are the
// same. Without events both are 1, burn is 0 and there is no ratio.
//
// The policy of the budget is a list of steps. A step is taken when LeftOfPeriod
// has come down to its Left, and given back when that is above Left by Back.
//
// # Locking
//
// One mutex around the machine. Instants are Unix time, because what is counted
// outlives the process; one that is older than the latest counts as the latest.
//
// # Source
//
// "The Site Reliability Workbook", chapter 5, has the pairs of windows and their
// shares; chapter 2 the policy of the budget.
package slo
