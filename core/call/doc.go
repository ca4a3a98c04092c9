// Package call is the call machine: the client's half of the ladder, in one
// place and one order.
//
//	deadline left -> client throttle -> bulkhead -> [each attempt: retry
//	budget -> breaker -> timeout -> the call itself] -> classify -> retry or
//	answer
//
// A Plan is the compiled policy of one dependency, or of one operation of it,
// shared by all calls. A Call is one call's state: a value in its driver's
// frame, stepped by one owner, without a lock. The machine is told what
// happened and answers with one Action; there is nothing to drain or forget.
//
//	var c call.Call
//	act := c.Begin(now, plan, &request)
//	for !act.Verdict.Done() {
//		// start what act.Start names, wait until act.WakeAt, then tell it:
//		act = c.Step(now, &event)
//	}
//
// # Order
//
// The order is fixed, because an order that can be composed changes meaning
// without looking different. The breaker sees attempts, so that a retry can be
// refused by it; Breaker.Counts turns that into whole calls. A retry is
// decided in full before its wait begins: an attempt that the budget, the
// breaker or the deadline would refuse is refused at once, not after a sleep.
// The throttle is asked once a call and told of every attempt. It comes before
// the slots, so that what it refuses takes none and waits for none.
//
// # Copies
//
// A call whose Request has Hedge set may have several attempts under way: when
// one has taken too long the hedge may send a copy, into a lane of its own with
// a slot and a permit of its own. The first success ends the call and Cancel
// names the others, whose ends are neutral. A failure waits for the attempts
// that are left, because they are paid for; the last one's decides on a retry,
// and copies count as attempts there. Without a retry policy the next copy
// follows a failure at once when nothing is left under way. A driver that has
// no such calls meets none of this.
//
// # Observe
//
// A rung in Plan's Observe set decides and says what it would have done, and
// the call passes. That is how a rung is tried on real traffic.
//
// # Ownership
//
// A slot of the bulkhead is held until the work it stands for has ended. An
// attempt that was abandoned at its timeout keeps its slot until its late
// Returned comes, or until Plan.EndOrphan is called for it. With Request.Tail
// the slot outlives the verdict and belongs to the Tail, because an HTTP
// answer's body is still to come.
package call
