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
// puts the call at the end of a first-in-first-out queue of at most Queue
// waiters, or refuses it. Release gives the slot to the first waiter whose time
// is not up yet. While anybody waits no slot is free, so a newcomer can never
// overtake.
//
// A waiter ends in exactly one of three ways: it is granted a slot, its time
// runs out, or it leaves. An expired waiter is never granted. A grant belongs
// to the queue until Poll has told the waiter of it; if the waiter leaves
// before that, the slot goes to the next in line. From that Poll on the slot is
// the waiter's, and only Release gives it back. This is what keeps the count
// exact when grant, expiry and cancellation meet at the same instant.
//
// Size a bulkhead by Little's law: calls per second times the normal p99
// latency, plus headroom. 333 calls a second with a p99 of 75 ms keep 25 slots
// busy; 50 to 70 leave room for spikes.
//
// # Locking
//
// One mutex around the machine; it is held for a few nanoseconds and never
// while foreign code runs. Waiters are woken after it is released.
//
// # Source
//
// The pattern is from Michael Nygard, Release It!, and the separation of limit
// and queue follows what users of thread pool and semaphore bulkheads expect:
// both bounds act, and a queue of zero means refuse at once.
package bulkhead
