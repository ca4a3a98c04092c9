// Package shed refuses the least important requests first when more come than
// can be served, and leads a service out of an overload that keeps itself up.
//
// A server that takes everything serves nothing: all of it waits, and what is
// answered is answered too late. Something has to be refused. Refused at
// random, a task of several calls hardly ever gets all of them; refused by
// importance and by user, the same share of all the work comes through whole.
//
// # Algorithm
//
// A request's Level is its class and, within that, its user's cohort. The
// Shedder counts what comes by level, refused requests included, in a window of
// 250 ms and with half the weight in each one before. It is overloaded if
// requests waited longer than Target on average before they left our queue, or
// if more than 5 % of them were dropped there. Queueing time is the signal
// because it rises only when there is too much work, whereas response time also
// rises when a dependency is slow and the processor's use is high when all is
// well.
//
// While overloaded, the cut is drawn where what is above it is a little less
// than what was served: all of the higher levels, a part of the level at the
// cut, nothing below. DAGOR, from which this comes, moves the cut by 5 % at a
// time; to aim at what was served gets there in two or three windows. When the
// overload is over, more is let in by what the slots have left, at most twice
// as much a window; after a silence, everything.
//
// Three things keep it from refusing more than it must. While nobody waits,
// what is left over goes to the class that the cut goes through, and to those
// below it once nobody has waited for a window. Nothing is shed while almost
// all that comes is served: the queue behind it serves by class and drops the
// lowest itself. And a window in which hardly anybody was served is given more
// time.
//
// Reduce is a lever beside that: it lets in a share of the demand, whatever the
// queue says, and lets go over a ramp. Recovery pulls it: when useful work has
// collapsed although demand is what it always was, and retries and work for
// nobody have taken its place, less than is stable must be let in, until what
// is let in is answered in time again; then more and more. See RecoveryConfig.
//
// # Locking
//
// One mutex around each machine. Admit adds to a few counters; once a window
// it goes through the 512 levels, which takes about a microsecond. Memory does
// not grow with users or requests.
//
// # Source
//
// Zhou and others, "Overload Control for Scaling WeChat Microservices"
// (DAGOR), SoCC 2018, for levels, cohorts and the signal. The classes are those
// of "Site Reliability Engineering", chapter 21. Bronson and others,
// "Metastable Failures in Distributed Systems", HotOS 2021, for the collapse
// and the way out of it.
package shed
