package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// garbageRoom is how much garbage may pile up before it is collected, at
	// least. What a proxy holds is a few megabytes, and Go collects when as much
	// again has become garbage: dozens of times a second under load, each time
	// with a look at every goroutine's stack. Thirty-two megabytes take an eighth
	// off the processor time of a request.
	garbageRoom = 32 << 20
	// Go's own setting is the least: with more live than garbageRoom nothing
	// changes. The most keeps the first collections from being too far away.
	leastPercent, mostPercent = 100, 800
)

// makeRoom lets garbage pile up to garbageRoom between collections, or to as
// much as is live if that is more, unless GOGC says what to do.
func makeRoom() {
	if _, said := os.LookupEnv("GOGC"); !said {
		setPercent()
	}
}

// setPercent sets the collector by what is live, and again after the next collection.
func setPercent() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(percentFor(live[0].Value.Uint64()))
	runtime.AddCleanup(new(*int), func(struct{}) { setPercent() }, struct{}{})
}

// percentFor is the setting with which so much room is left above what is live.
func percentFor(live uint64) int {
	if live == 0 {
		return mostPercent
	}
	return int(min(max(garbageRoom*100/live, leastPercent), mostPercent))
}

// useProcessors sets how many processors the proxy works on at a time: n, or if
// that is zero what GOMAXPROCS says, or if that says nothing half of what there
// is, rounded up. A proxy stands beside a program that needs the others. And at
// a moderate load each further one costs: Go wakes it for a request that comes,
// only to find that the first has taken it. Two thousand requests a second on one
// of two processors take an eighth less of them than on both.
func useProcessors(n int) {
	if _, said := os.LookupEnv("GOMAXPROCS"); n == 0 && said {
		return
	}
	if n == 0 {
		n = (runtime.GOMAXPROCS(0) + 1) / 2
	}
	runtime.GOMAXPROCS(n)
}
