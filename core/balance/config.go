package balance

import (
	"errors"
	"fmt"
	"time"
)

// Policy is how the endpoint is chosen among those that may be.
type Policy uint8

const (
	// TwoChoices draws two endpoints and takes the one that costs less.
	TwoChoices Policy = iota
	// RoundRobin lets endpoints take turns.
	RoundRobin
)

// String returns "two-choices" or "round-robin".
func (p Policy) String() string {
	switch p {
	case TwoChoices:
		return "two-choices"
	case RoundRobin:
		return "round-robin"
	}
	return "invalid"
}

// Off turns a part of a Config off that is on by default.
const Off = -1

// Config says how endpoints are chosen. The zero Config is one to use.
type Config struct {
	// Policy is TwoChoices by default: it leaves a slow endpoint alone without
	// being told, keeps queues short with hardly more knowledge than chance
	// has, and never sends everybody to the same place, as choosing the best
	// of all would.
	Policy Policy

	// Decay is how long a latency is remembered: after it, a single answer
	// weighs more than everything before. 0 is 10s, as long as its source
	// has: shorter forgets a slow endpoint between two of its stalls, longer
	// keeps from an endpoint what it has mended.
	Decay time.Duration

	// SlowStart is how long an endpoint that is new, or back, needs to get its
	// full share. 0 is 30s: a process that has just started has cold caches and
	// no connections. Off gives it all at once.
	SlowStart time.Duration

	// Panic is the share of endpoints that must be up for the others to be left
	// out, over 0 and at most 1. With fewer all are used: that half of a
	// service is ill is more often an error of whoever says so than a fact,
	// and the healthy half could not carry it all. 0 is 0.5; Off leaves out
	// whatever is marked, down to the last.
	Panic float64

	// Zone is where this process runs. Endpoints of the same zone are preferred
	// while enough of them are up. Empty: no zone is preferred.
	Zone string
}

// Peer is what an endpoint is from the start.
type Peer struct {
	// Weight is its share relative to the others', up to 100000. 0 is 1.
	Weight float64
	Zone   string // where it runs
}

const (
	defaultDecay     = 10 * time.Second
	defaultSlowStart = 30 * time.Second
	defaultPanic     = 0.5

	minTime   = time.Millisecond
	maxTime   = time.Hour
	maxWeight = 100_000 // more than the 65,535 of DNS
)

// Validate reports every field that cannot be used, one error a field, joined.
func (c Config) Validate() error {
	var errs []error
	if c.Policy > RoundRobin {
		errs = append(errs, bad("Policy", "is %d; give TwoChoices or RoundRobin", c.Policy))
	}
	if c.Decay != 0 && (c.Decay < minTime || c.Decay > maxTime) {
		errs = append(errs, bad("Decay", "is %v; give a time such as 10s, from %v to %v",
			c.Decay, minTime, maxTime))
	}
	if c.SlowStart != 0 && c.SlowStart != Off && (c.SlowStart < minTime || c.SlowStart > maxTime) {
		errs = append(errs, bad("SlowStart",
			"is %v; give a time such as 30s, from %v to %v, or Off", c.SlowStart, minTime, maxTime))
	}
	if c.Panic != Off && (!(c.Panic >= 0) || c.Panic > 1) {
		errs = append(errs, bad("Panic", "is %v; give a share such as 0.5, at most 1, or Off",
			c.Panic))
	}
	return errors.Join(errs...)
}

// Filled returns c with the defaults in place of its zeros.
func (c Config) Filled() Config {
	if c.Decay == 0 {
		c.Decay = defaultDecay
	}
	if c.SlowStart == 0 {
		c.SlowStart = defaultSlowStart
	}
	if c.Panic == 0 {
		c.Panic = defaultPanic
	}
	return c
}

// Validate reports what cannot be used of an endpoint.
func (p Peer) Validate() error {
	if p.Weight >= 0 && p.Weight <= maxWeight {
		return nil
	}
	return bad("Weight", "is %v; give a share relative to the others', such as 2, up to %d",
		p.Weight, maxWeight)
}

// bad is the problem of one field, which the text begins with.
func bad(field, format string, args ...any) error {
	return fmt.Errorf(field+": "+format, args...)
}
