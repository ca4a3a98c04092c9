package upstream

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// Settings bound the connections to each server. The zero value of each field
// is its default.
type Settings struct {
	// MaxConns is the most connections to one server, idle ones and those being
	// opened among them. Zero sets no limit: how many requests there are at once
	// is the business of whoever sends them, such as a bulkhead.
	MaxConns int
	// Acquire is how long a request waits for a connection once MaxConns is
	// reached; connpool.WithAcquire sets another time for one request. Zero
	// leaves that to the request's context.
	Acquire time.Duration
	// MaxIdle is the most idle connections to one server; one more is closed.
	// The default is 128.
	MaxIdle int
	// Warm is how many connections to one server are kept, and opened ahead of
	// their requests, from the first request on.
	Warm int
	// IdleTime is how long a connection may be idle. The default is 90s, which
	// is net/http's and less than most load balancers'.
	IdleTime time.Duration
	// Lifetime is how long a connection is used at most. Zero sets no limit.
	Lifetime time.Duration
	// Jitter is the share of Lifetime that is taken off at random, from 0 to 1,
	// so that connections opened together do not end together.
	Jitter float64
	// MaxHead is the most bytes of an answer's first line and fields. The
	// default is 64 KiB.
	MaxHead int
}

const (
	defaultMaxIdle  = 128
	defaultIdleTime = 90 * time.Second
	defaultMaxHead  = 64 << 10
)

// Validate reports every setting that cannot be.
func (s *Settings) Validate() error {
	var all []error
	for _, n := range []struct {
		name  string
		value int64
	}{{"MaxConns", int64(s.MaxConns)}, {"Acquire", int64(s.Acquire)}, {"MaxIdle", int64(s.MaxIdle)},
		{"Warm", int64(s.Warm)}, {"IdleTime", int64(s.IdleTime)}, {"Lifetime", int64(s.Lifetime)},
		{"MaxHead", int64(s.MaxHead)}} {
		if n.value < 0 {
			all = append(all, fmt.Errorf("upstream: %s is below zero", n.name))
		}
	}
	if !(s.Jitter >= 0 && s.Jitter <= 1) {
		all = append(all, errors.New("upstream: Jitter is not from 0 to 1"))
	}
	if s.MaxConns > 0 && s.Warm > s.MaxConns {
		all = append(all, fmt.Errorf("upstream: Warm is %d and MaxConns only %d", s.Warm, s.MaxConns))
	}
	return errors.Join(all...)
}

// complete puts the defaults in.
func (s Settings) complete() *Settings {
	s.MaxIdle = max(cmp.Or(s.MaxIdle, defaultMaxIdle), s.Warm)
	s.IdleTime = cmp.Or(s.IdleTime, defaultIdleTime)
	s.MaxHead = cmp.Or(s.MaxHead, defaultMaxHead)
	return &s
}
