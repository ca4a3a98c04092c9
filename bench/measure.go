package main

import (
	"runtime"
	"sync"
	"time"
)

// options is how long and how often to measure.
type options struct {
	rounds int
	time   time.Duration // of one variant in one round
	procs  []int
}

// sample is what one call cost in one round.
type sample struct {
	wall, cpu     float64 // nanoseconds
	bytes, allocs float64
}

// least is the shortest run that says how long a call takes.
const least = 10 * time.Millisecond

// measure runs the variants of a row in turns, a short round each, so that
// whatever else the machine does falls on all of them alike. Each round begins
// with another variant: nobody always comes after the same neighbour. lent is
// how many processors the machine lent at the start of each round, if more than
// one was asked for.
func measure(r row, procs int, o options) (samples [][]sample, lent []float64) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
	loops, calls := make([]loop, len(r.variants)), make([]int, len(r.variants))
	for i, v := range r.variants {
		loops[i] = v.make()
		calls[i] = calibrate(loops[i], procs, o.time)
	}
	samples = make([][]sample, len(r.variants))
	for round := range o.rounds {
		if procs > 1 {
			lent = append(lent, await(procs, o.time))
		}
		for turn := range r.variants {
			i := (turn + round) % len(r.variants)
			samples[i] = append(samples[i], batch(loops[i], procs, calls[i]))
		}
	}
	return samples, lent
}

// await waits for a moment in which the machine lends all the processors, but
// not for long, and returns how many it lent. Goroutines that do not run at the
// same time do not get in each other's way, which is what is measured with more
// than one. A test as long as a variant's round is needed: for a short one a
// busy machine makes way.
func await(procs int, long time.Duration) (lent float64) {
	n := calibrate(count, procs, long)
	for range 4 {
		cpu, began := cpuTime(), time.Now()
		spread(count, procs, n)
		lent = float64(cpuTime()-cpu) / float64(time.Since(began))
		if lent > 0.9*float64(procs) {
			break
		}
	}
	return lent
}

// count shares nothing with anybody.
func count(n int) {
	sum := 0
	for i := range n {
		sum ^= i
	}
	runtime.KeepAlive(sum)
}

// calibrate finds how many calls take about as long as wanted, in processor
// time: a run that has to wait for the processor is as long as another.
func calibrate(run loop, procs int, want time.Duration) int {
	want *= time.Duration(procs)
	for n := procs; ; n *= 2 {
		began := cpuTime()
		spread(run, procs, n)
		if took := cpuTime() - began; took >= min(least, want) {
			return max(procs, int(float64(n)*float64(want)/float64(took)))
		}
	}
}

// batch makes n calls and returns what one cost.
func batch(run loop, procs, n int) sample {
	runtime.GC() // what others left behind is not this variant's
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, began := cpuTime(), time.Now()
	spread(run, procs, n)
	wall := time.Since(began)
	cpu = cpuTime() - cpu
	runtime.ReadMemStats(&after)
	each := 1 / float64(n)
	return sample{
		wall:   float64(wall) * each,
		cpu:    float64(cpu) * each,
		bytes:  float64(after.TotalAlloc-before.TotalAlloc) * each,
		allocs: float64(after.Mallocs-before.Mallocs) * each,
	}
}

// spread shares n calls out to one goroutine a processor, all on the one
// object that the loop holds.
func spread(run loop, procs, n int) {
	if procs == 1 {
		run(n)
		return
	}
	var wg sync.WaitGroup
	for i := range procs {
		wg.Go(func() { run((n + i) / procs) })
	}
	wg.Wait()
}
