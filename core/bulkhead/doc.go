// Package bulkhead keeps one dependency from using up everything its caller
// has.
//
// A slow dependency holds whatever waits for it: threads, connections, memory.
// Timeouts and breakers act after they have seen failures; until then the slow
// calls pile up and take the place of calls to healthy dependencies. A
// bulkhead works from the first second, because it counts calls, not failures:
// no more than Limit of them are in flight, the others are refused at once or
// wait a bounded time in a bounded queue.
//
// # Algorithm
//
// There are Limit slots. TryAcquire takes one if one is free. Otherwise Enqueue
// puts the call in a queue of at most Queue waiters, or refuses it. Release
// gives the slot to the next waiter whose time is not up yet. While anybody
// waits who could have it no slot is free, so a newcomer can never overtake.
//
// Who is next, and who has to go when the queue is full, is package queue's: by
// class of importance, then by turns among flows, then in the Line's order. A
// flow, such as a tenant, may have a bound on its slots, and on its places in
// the queue: at the first its calls wait although slots are free, and others
// pass them; at the second they are refused with TenantLimit. Flow 0 stands for
// calls without a tenant and has neither.
//
// A waiter ends in exactly one of four ways: it is granted a slot, its time
// runs out, it leaves, or the queue drops it. An expired waiter is never
// granted. A grant belongs to the queue until Poll has told the waiter of it;
// if the waiter leaves before that, the slot goes to the next in line. From
// that Poll on the slot is the waiter's, and only Release gives it back. This
// is what keeps the count exact when grant, expiry and cancellation meet at the
// same instant.
//
// The limit may be found by something that watches latency: SetLimit changes
// it while calls are in flight. Growing grants at once; shrinking takes nothing
// away, and slots above the limit are not handed on when they come back.
//
// Size a bulkhead by Little's law: calls per second times the normal p99
// latency, plus headroom. 333 calls a second with a p99 of 75 ms keep 25 slots
// busy; 50 to 70 leave room for spikes.
//
// # Locking
//
// One mutex around the machine; it is held for a few nanoseconds and never
// while foreign code runs. Waiters are woken after it is released. What is kept
// for flows is bounded by the slots and places that there are.
//
// # Source
//
// The pattern is from Michael Nygard, Release It!, and the separation of limit
// and queue follows what users of thread pool and semaphore bulkheads expect:
// both bounds act, and a queue of zero means refuse at once.
package bulkhead
