// Package hedge decides when a second copy of a call pays.
//
// One server of twenty stalls for a moment, and the calls that are with it wait
// although nineteen others are idle. A copy that goes to another server, once
// the first has taken longer than nearly all calls do, is answered as fast as
// most. It costs the few calls that are slow a second attempt, and the others
// nothing. It does not help when everything is slow, because then every call is
// one of the few, and the copies double the load that made it slow. So most of
// what is here is about when not to.
//
// # Algorithm
//
// A copy is due when the first attempt has taken longer than a fixed time, or
// than a quantile of what first attempts took in the last Window. Until there
// are Minimum of those to take a quantile of, none is due. An attempt that lost
// to its copy was cut short, and counts with the time it had until then: that is
// above the quantile, where how far above makes no difference. Were it left
// out, the slowest would be missing, and the quantile would creep down.
//
// A copy that is due is sent if none of this forbids it:
//
//   - Pushback. The dependency has said when to come back, and it is not yet
//     then.
//   - Everything is slow. Of the latest calls (an average in which each counts a
//     64th of what is left) more than Slow had a copy due. It is not the tail
//     that is slow then. Calls count when they are due whether or not a copy is
//     sent, so this passes by itself.
//   - The budget. Every call earns Budget of a copy, ten copies are kept at
//     most, and none are there to begin with. So copies are never more than
//     Budget of the calls, from the start on; and in any stretch of calls they
//     are never more than that and ten.
//
// What only the ladder knows is decided there: whether the call may run twice,
// whether there is another endpoint, whether a slot is free and the retry budget
// and the breaker agree.
//
// # Locking
//
// One mutex around the machine. The latencies are kept in a window.Recent, and
// read once in a 60th of the Window: that costs some microseconds.
//
// # Source
//
// Dean and Barroso, "The Tail at Scale", Communications of the ACM, 2013. The
// budget is Finagle's idea for its backup requests; that a budget alone is not
// enough when everything is slow is what its users found.
package hedge
