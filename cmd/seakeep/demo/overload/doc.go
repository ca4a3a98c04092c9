// Package overload gives a program more than it can do, on real sockets and in
// one process: once bare, and once behind the serve section of a policy file.
//
// # What runs
//
//	users ──HTTP──> guard: none, or seakeep proxy ──HTTP──> program: some workers
//
// The program has one queue without a bound and goes on with the work for users
// who have left, as most programs do. Users are an open loop: they come when
// they come, and leave a second after the moment for which they were planned.
//
// Sweep offers half the capacity, then more and more; Tenants floods the
// program in the name of one tenant of ten; Metastable lets a spike pass over
// clients that ask again, and looks whether what it did goes away with it.
//
// # What is measured
//
// A request belongs to the moment for which it was planned, and its time runs
// from there: if the generator itself is late, the wait is in the measurement
// and not hidden by it (coordinated omission). Each run has a program and a
// guard of its own; what one leaves in a queue does not reach the next. The two
// sides that are compared get the very same requests.
//
// # What is promised
//
// A report says of each promise whether it held, and if not, why. The same
// promises are tested in virtual time, with the same door and no sockets.
package overload
