// Package dashboard shows what a running proxy or program does: a JSON API, one
// stream of events, a plain page, and levers for operators.
//
// # Why
//
// In an incident people look rather than read. What they look at must not be
// averaged away, must still be there when they come, and must not be able to
// hurt what it shows.
//
// # How
//
// Counters come from telemetry, states from the set of policies, and latencies
// from histograms of its own, which hear of every call as an observer. Once a
// second Run takes what was added since the last time: a frame. Frames are kept
// for a quarter of an hour, and, ten of them added up, for a day; with a file
// those survive the process. Nothing is ever averaged: quantiles of a longer time
// are from histograms that were added up.
//
// Events that change a state, and of those about single calls a few of each kind
// a second, are kept in two rings and told to whoever listens. The types are in
// package schema.
//
// # Bounds
//
// Dependencies come from the policy file. Words from traffic are cut at
// schema.MaxText. The rings have a fixed length, frames a bound in bytes beyond
// which the oldest go first, subscribers a number and a buffer: one who reads too
// slowly is told how much was left out, and nobody waits for it. Until a handler
// was made the observer does nothing.
//
// # Levers
//
// Without a token nothing can be changed here. With one an order needs it as a
// bearer, comes from this page or from no page, says why, and counts once. Each
// attempt is written down, whether it was carried out or not.
package dashboard
