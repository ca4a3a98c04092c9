// Package queue says in which order those who wait are served, and who goes
// when not all of them can be.
//
// A queue turns a short burst into a short wait. Under an overload that lasts
// it does harm: everybody waits for its whole length, callers give up, and the
// server works on answers that nobody wants any more. What helps is to serve
// some in time and to tell the others soon; which ones is decided here.
//
// # Algorithm
//
// There are four classes of importance. Pop serves the most important one that
// waits. A class with a floor earns its share of every entry that is given out
// while it waits, and is served out of its turn whenever it has a whole entry
// to its credit. Inside a class the flows that wait are served one entry each
// in turn, so that one flow's flood costs another one a turn and no more.
// Inside a flow it goes by the Order.
//
// FIFO and LIFO need no explanation. CoDel looks at how long the entry at the
// head has waited. Once that was above Target for all of an Interval it drops
// one, the next after Interval/√1, then Interval/√2, and so on, until waits are
// below Target; it begins again near the rate at which it stopped, if that was
// less than 16 intervals ago. The last entry is never dropped. CoDelLIFO lets
// an entry wait for Interval, and for Target only once its class has been
// waiting without a gap for Interval; in that state the newest is served first.
// Both keep their state for each class, so that a class which is starved on
// purpose does not make the others drop.
//
// An entry whose time is up is never given out and never fills the queue. Its
// end is in a heap, so that looking for it costs nothing while there is none.
// When the queue is full the rule Full says who goes; the rules that evict find
// the largest flow of the lowest class in another heap.
//
// Every entry leaves in one of three ways: Pop gives it out, Remove takes it
// out because nobody wants it any more, or the queue gives it up, and then Gone
// hands it over with the reason: QueueTimeout, QueueDelay or Evicted.
//
// # Locking
//
// None. A Line belongs to whoever keeps it under a lock: the bulkhead's machine
// and the library's Queue do. The cost of an operation grows with the logarithm
// of what waits, and nothing but a new flow's record is allocated.
//
// # Source
//
// Controlled Delay: RFC 8289 (Nichols, Jacobson, McGregor, Iyengar, 2018).
// CoDelLIFO: "Fail at Scale" (Maurer, ACM Queue 13(8), 2015), applied to each
// class. Turns among flows are those of fair queueing (Nagle, RFC 970).
package queue
