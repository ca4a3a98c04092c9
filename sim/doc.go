// Package sim runs the policies of production in virtual time, against models
// of servers, pools, queues, networks and users. Nothing in it re-implements a
// policy: a simulated service makes its calls through the same call.Plan that
// the library and the proxy use, driven by an event queue instead of
// goroutines.
//
// The same scenario and seed give the same result, to the byte, on every
// machine: time is whole nanoseconds, simultaneous events have an order, random
// numbers belong to requests and not to the order of events, and one goroutine
// runs it all. Independent runs may go side by side.
//
// # Model
//
// Clients call services; services have instances, instances have workers and a
// queue, and a worker that serves a request does its own work and then makes
// the route's calls, through the policy of that instance. What decides a
// result is a setting and visible: the rule of the queue, whether a worker is
// held while a retry waits, whether abandoned work runs on, whether what is
// above a capacity hangs or is refused.
//
// # Trust
//
// Every run checks itself: what arrived has been served, refused, failed,
// given up or is still there, for each service and each client; and the time
// integral of the number in a service is the sum of the times spent in it
// (Little's law, exactly). A violation panics.
package sim
