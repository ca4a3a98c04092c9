// Package budget limits how much load retries may add.
//
// A count of attempts limits one call. It does not limit the fleet: with three
// attempts a dependency that is down gets three times its traffic while it
// tries to get up. A budget limits retries as a share of all calls. When a few
// calls fail, all of them are tried again; when most fail, the budget runs out
// and the load stays near normal.
//
// # Algorithm
//
// Three kinds, because the field has three and they are different things.
//
// Ratio, the default, is Finagle's: every call that starts deposits Ratio of a
// retry, and deposits and withdrawals are both forgotten after a sliding
// Window. A retry is granted while, within the window,
//
//	retries + 1 <= Ratio * calls + Floor * Window
//
// so a quiet client lives on the floor and a busy one adds at most Ratio.
//
// Tokens is gRPC's (proposal A6): a count that starts at MaxTokens, loses one
// for each failed attempt and gains Ratio for each success, within 0 and
// MaxTokens. Retries are granted while it is above half.
//
// Concurrent is Envoy's: retries under way stay below a share of the calls
// under way, or below a floor if that is more. A call counts until its final
// outcome, also while it waits to try again.
//
// Ask before the wait of a retry, not after: a retry that will be refused then
// costs its caller no time. What was granted and never sent is refunded.
//
// All amounts are integers, in thousandths. A budget that has seen a million
// deposits is exact, where 0.1 added a million times is not.
//
// # Locking
//
// One mutex around the machine. The section it guards is a few additions, so
// that an atomic word would gain little and cost the exactness.
//
// # Source
//
// Finagle's RetryBudget and WindowedAdder; gRPC proposal A6, "Retry Throttling
// Policy"; Envoy's retry_budget circuit breaker.
package budget
