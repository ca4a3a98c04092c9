// Package stale keeps the last good answers of a dependency, so that there is
// something to say when it fails.
//
// An answer that is a few minutes old is often far better than an error. The
// cache holds the answers of successful calls for a stated time and within
// stated bounds, tells how old each is, and lets one caller at a time renew an
// answer while the others go on with the old one.
//
// # Algorithm
//
// An answer is Fresh for the first Fresh of its life: it may be given without
// calling. From then until Stale it may be given when the call fails, or while
// somebody else renews it. After that it is gone. Both ages count from when the
// answer was stored, both ends are exclusive: at exactly Stale it is a Miss.
//
// Only successes are stored. A failure replaces nothing, so the old answer
// keeps its age.
//
// When an entry is no longer fresh the first caller to ask for its lease gets
// it and makes the call; the others see that the lease is out and give the old
// answer. Without that, all callers would turn to the dependency in the same
// instant. A lease that is never given back ends by itself.
//
// Entries and bytes are both bounded. What was not looked up or stored for the
// longest time goes first (least recently used). An answer larger than the
// whole bound is not stored.
//
// # Locking
//
// One mutex around the machine. Values are handed in and out as they are and
// never looked into: a caller must not change a value that it has stored or
// found.
//
// # Source
//
// The two ages follow stale-while-revalidate and stale-if-error of RFC 5861.
package stale
