//go:build !unix

package main

import "time"

var epoch = time.Now()

// cpuTime stands in elapsed time for processor time, where there is no simple
// way to read it.
func cpuTime() time.Duration { return time.Since(epoch) }
