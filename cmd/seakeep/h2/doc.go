// Package h2 is the proxy's own front for HTTP/2: a server whose handlers write
// their answers themselves.
//
// Frames and HPACK are those of golang.org/x/net/http2; what is here is the
// connection. net/http has a goroutine that owns each connection, to which
// everything else sends messages, each of which wakes somebody. Here one goroutine
// reads, handlers run on goroutines that are used again, and what is shared is
// behind one lock.
//
// # Writing
//
// Frames are appended to a buffer of the connection. Whoever ends an answer
// sends all that is there with one system call, for everybody; before that it
// lets others run, who may be about to end theirs. Nobody waits in a system call
// while his handler runs: what is sent in between is sent by a goroutine that is
// there as long as there is something. Handlers wait if much is unsent, or if the
// client has given no window, up to their deadline.
//
// # Deadlines
//
// A deadline is a moment in a field. Whoever has to wait looks at it, and sets a
// timer of his own; moving one costs nothing.
//
// # Bounds
//
// See the constants in bounds.go. A client that does what costs us more than it
// costs him, more often than what it asks for explains, loses the connection with
// ENHANCE_YOUR_CALM.
//
// # What handlers see
//
// What net/http's have, but for this: Expect is not hidden, and 100 Continue is
// sent when the body is first read; no type is guessed for an answer that has no
// Content-Type; a deadline does not end the stream, only what waits for it; an
// answer that is shorter than its Content-Length resets its stream.
package h2
