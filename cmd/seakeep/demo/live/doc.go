// Package live holds what the demos share: servers on the loopback interface,
// a clock that starts when all is ready, and users who come when they come.
//
// The demos run in real time and over real sockets, so that nobody has to take
// the word of a model for it.
package live
