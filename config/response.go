package config

import "time"

// Response limits what an answer's body may do to whoever reads it. The zero
// value limits nothing: no size and no pace is too much for every download and
// every stream.
type Response struct {
	Body  int64         // most bytes; 0: any number
	Idle  time.Duration // longest wait for the next byte; 0: any
	Rate  int64         // fewest bytes a second, after Grace; 0: any
	Grace time.Duration // what the wait for the body may take in all, besides what Rate allows
}

// Limits reports whether there is any limit.
func (r Response) Limits() bool { return r.Body > 0 || r.Idle > 0 || r.Rate > 0 }

const defaultGrace = 5 * time.Second

// response reads the limits of answers.
func (o *object) response(v *Response) {
	r, on := o.rung("response", "{body: 10MiB, idle: 30s}")
	if !on {
		return
	}
	defer r.close()
	v.Grace = defaultGrace
	size := within[int64](1, 1<<50, "10MiB")
	size.off = "off"
	if !r.switchedOff("body") {
		r.size("body", &v.Body, size)
	}
	idle := within(time.Millisecond, 24*time.Hour, "30s")
	idle.off = "off"
	if !r.switchedOff("idle") {
		r.duration("idle", &v.Idle, idle)
	}
	rate := within[int64](1, 1<<30, "1KiB")
	rate.off = "off"
	if !r.switchedOff("rate") {
		r.size("rate", &v.Rate, rate)
	}
	r.duration("grace", &v.Grace, within(100*time.Millisecond, time.Hour, "5s"))
}
