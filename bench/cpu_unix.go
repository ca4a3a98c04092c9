//go:build unix

package main

import (
	"syscall"
	"time"
)

// cpuTime is the processor time that this process has used, on all threads. It
// does not run while another process has the processor.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
