// Package throttle lets a client hold back what would be refused anyway.
//
// A backend that refuses for overload still pays for every refusal: it has to
// receive a request to say no to it. When most of what a client sends comes
// back refused, the refusals themselves can become the load. A throttle counts
// how many of the recent requests the backend accepted and refuses a share of
// the new ones on the spot, where a refusal costs nothing and the network is
// not asked.
//
// # Algorithm
//
// Over a sliding window, and for each criticality by itself, a request is
// refused with probability
//
//	min(Cap, max(0, (requests - K*accepts) / (requests + 1)))
//
// so nothing is refused while at least one in K is accepted, and a backend that
// can take C a second is asked for K*C at most, however much there is to ask.
// The share beyond C is what finds out that the backend can take more again.
//
// A request counts once its fate is known: one that is refused here at once,
// one that is sent when its answer, or the lack of one, is there. So requests
// under way are not held against a backend that has had no time to answer, and
// one that ends without a word about the backend, because its caller left or
// made a mistake, never counts. Requests refused here count as requests: if
// they did not, the share would be that of the refusals among what got through,
// and the load would never come down to K*C.
//
// Accepted says what an acceptance is.
//
// Below Minimum requests in the window nothing is refused, because one failure
// of three says nothing; and whatever the numbers say, a share of 1 - Cap gets
// through, because a client that sends nothing learns nothing. Without a cap
// the way back from a long outage takes several windows; see the gallery.
//
// # Locking
//
// One mutex around the machine. The section it guards is a few additions and a
// division.
//
// # Source
//
// "Site Reliability Engineering", chapter 21, Client-Side Throttling. The
// minimum and the cap are ours, after what others ran into without them.
package throttle
