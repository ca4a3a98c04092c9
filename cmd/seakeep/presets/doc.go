// Package presets writes a first policy file, for one of the shapes that a
// dependency commonly has: a cache, a rate limiter, a payment provider.
//
// # Why
//
// An empty file is where most policies stay. A preset is a whole file that
// passes "seakeep validate" and "seakeep check", says beside each number why it
// is that number, and is meant to be changed.
//
// # How
//
// A preset is a template, under files, and an example of what such a dependency
// does: rate and latency. Whoever knows better gives Figures, and the numbers
// that follow from them do: the timeout is the p99.9 and half of it again if that
// is more than the preset allows, slots are twice what rate x p99 needs, and the
// breaker's window is long enough for the calls that it needs to decide. A
// figure that nobody gave is not made up: measured then lacks it.
package presets
