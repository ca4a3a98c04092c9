// Package fault hurts a chosen share of requests on purpose, so that what is
// there for bad days is known to work before they come.
//
// # Algorithm
//
// A rule names a hurt, a share and a scope. Of the requests in its scope every
// one gets a number and with it a draw, which depends on nothing but the seed,
// the rule's name and the number: so the same requests are hurt in every run
// with that seed, and adding a rule changes nothing for the others. A request is
// drawn for once by each rule.
//
// Rules add up in their order. Delays are summed and come first; of errors,
// refused connections, resets and missing answers the first one stands; of two
// bodies slowed down each pause counts, and the lower of two bandwidths.
//
// # Bounds
//
// A rule always has an end, which comes even if nobody asks for it. All rules
// together may not cover more than Share of the requests, unless an operator
// forces it, and never more than Concurrent requests are hurt at the same time:
// whoever comes then passes unhurt. A request is being hurt only while the fault
// acts on it. If the share of calls that succeed falls below Abort.Success, all
// rules end at once.
//
// # Locking
//
// One mutex around the machine, which is not even looked at while no rule runs.
package fault
