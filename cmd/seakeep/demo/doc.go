// Package demo lets one slow dependency take a service down, or be stopped
// from it, on real sockets and in one process.
//
// # What runs
//
//	users ──HTTP──> checkout: a pool of 200 workers ──HTTP──> pricing
//	                                                ──HTTP──> inventory
//	                                                ──HTTP──> recommendations
//
// Each dependency answers after a floor of 5 ms and an exponential time, 20 ms
// on average. A worker of checkout is held for a whole request: 2 ms of work
// of its own, and one call through the ladder of policy.yaml. The users are an
// open loop: they come when they come, however slow checkout is, and each
// gives up a second after it meant to come.
//
// # What is measured
//
// A request's time runs from its planned start. If the generator itself is
// late, the wait is in the measurement and not hidden by it (coordinated
// omission). What the report says of requests is about those planned to start
// while a dependency was slow.
//
// # What is taken away
//
// Without the timeout rung nothing tells checkout that a user has left: it
// goes on with the work, as most programs do. With it the user's deadline
// comes with the request and travels on with the call.
package demo
