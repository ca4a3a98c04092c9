// Package serve is the door: the server's half of the ladder, which decides
// about each request that comes in before the application sees it.
//
// A service that takes on more than it can do does less than it could: work
// waits until nobody wants it, and is then done all the same. The door lets in
// as many requests as can be served, the most important first, makes a few of
// the others wait for a moment and refuses the rest at once, while refusing is
// still cheap. It tells what it sees of itself to whoever lets in less: the
// limit, the shedder, the list of features to drop, the way back.
//
// # Algorithm
//
// A Visit is one request from its arrival to its end. Begin walks the rungs in
// one fixed order:
//
//	deadline left
//	  → tenant          which share of slots and places is this request's
//	    → shed          is it important enough under this pressure
//	      → slot        or a place in the queue, by importance
//	        → application
//
// A request without a slot may wait: the driver calls Join with a waker and
// steps the visit when it is woken, when Action.WakeAt has come, or when the
// caller has left. A waiting request whose deadline passes is never served.
// End closes the accounts of a request that was served: it gives the slot back,
// tells the limit how long the service took, and counts whether anybody still
// wanted the answer.
//
// A deadline is the smaller of the caller's and our own, as far as there are
// any. The driver hands it to the application in its context.
//
// # Locking
//
// A Visit belongs to one goroutine at a time and has no lock. A Door is shared:
// each policy in it locks inside itself, the door's own counters are atomic and
// its meter of pressure has a small mutex. The observer runs outside all locks.
//
// # Source
//
// The order follows Google's Site Reliability Engineering, chapters 21 and 22,
// and the overload control of WeChat (DAGOR, SoCC 2018).
package serve
