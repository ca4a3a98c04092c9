// Package idempotency lets a write be repeated without being done twice.
//
// A client that got no answer cannot know whether its write was done. It sends
// the write again under the same key, and whoever holds the keys runs it once:
// later requests get the answer of the first.
//
// # Algorithm
//
// A key is Fresh until a request claims it. The claim is Running, and ends as
// Done with the answer, as NotStored when the answer could not be kept, or as
// Unknown when nobody knows how the write ended. It becomes Fresh again if
// surely nothing was done. A store keeps the claim before the write runs, so
// that a crash leaves a trace:
//
//	         Admit                  Report
//	Fresh ----------> Running ----------------> Done, NotStored, Unknown, Fresh
//	                     | Longest passed, or the owner died
//	                     '--------------------> Unknown
//
// Done, NotStored and Unknown become Fresh when their time is over: TTL after
// they ended, or RunAgainAfter for Unknown if that is set. So no key is blocked
// for ever. At exactly the end of its time a key is Fresh.
//
// What a request gets is a function of the key's state and of whether it is the
// same request as the one that claimed the key, which its fingerprint tells:
//
//	             same request                  another request
//	Fresh        runs                          runs
//	Running      key-busy                      key-reused
//	Done         key-replayed, with the answer key-reused
//	NotStored    key-not-stored                key-reused
//	Unknown      key-unknown                   key-reused
//
// # Stores
//
// Record holds these rules and is pure. A Store calls it where nobody can come
// between its look at a record and its change. Memory is the Store of a single
// process; its keys end with it. Stores are bounded, and a full one refuses new
// keys: it neither forgets an answer that it has promised nor lets a keyed
// write run without a claim.
//
// # Locking
//
// One mutex around Memory's machine, held for a look-up and a step in a heap.
// Answers are handed in and out as they are: nobody may change one afterwards.
//
// # Source
//
// The states, the key's scope and the answers 400, 409 and 422 follow the
// Idempotency-Key draft of the IETF's HTTP API working group. Unknown is ours:
// the draft says nothing of a server that dies.
package idempotency
