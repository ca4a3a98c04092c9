// Package upstream sends requests to plain HTTP/1.1 servers and keeps the
// connections to them.
//
// net/http's Transport has two goroutines for each connection, so every
// exchange is handed over twice and woken up for twice. Here a request is
// written and its answer read by whoever calls RoundTrip. That takes about half
// of the processor time, and most of what a proxy does is this.
//
// # What it leaves to others
//
// Upgrades, Expect: 100-continue, https, HTTP/2, requests through another proxy
// and whatever in a request is unusual go to the fallback, which is net/http's
// Transport. So there is little here, and what is here is strict.
//
// # Connections
//
// Each server has a pool: the connection that was idle for the shortest time is
// used first. Nobody watches those that are idle. Before one is used it is
// looked at without waiting: an idle connection on which there is something to
// read has been closed, or holds what nobody has asked for, and is dropped. If
// it dies at the very moment all the same, the request is sent again, once, on a
// new connection, if nothing of an answer was read and either nothing of the
// request was written or it may run twice.
//
// One timer for all closes what was idle for too long. A connection belongs to
// its exchange until the answer's body has been read to its end or closed.
//
// # Answers
//
// An answer that can be read in two ways is an error: two framings, lengths
// that differ, folded or malformed fields, line ends other than CR LF. Errors
// are of type *Error, whose Kind tells a connection that ended from an answer
// that is none.
//
// # Time
//
// An exchange ends with its context: the connection's deadline is then set to
// the past. Most exchanges are over before anybody could have called them off,
// and to listen to a context costs as much as to parse a head. So one clock for
// all, which runs while there are exchanges, finds those that have taken a whole
// tick of 10 ms, and only they are listened to. A deadline is exact: one that is
// near is listened to at once. A cancellation is noticed up to two ticks late.
//
// No exchange sets a timer. One that is earlier than all others would wake the
// thread that waits for the network, which at a moderate load costs more than
// all the rest.
//
// # Bodies
//
// A request's body that is in memory and small is sent with its head in one
// write. Any other is sent by a second goroutine, which lives as long as that
// takes: the answer may come before. An answer's body that came with its head is
// handed over with the buffer it is in, and the connection is free at once. One
// of known length is spliced from socket to socket by WriteTo where the writer
// can do that.
package upstream
