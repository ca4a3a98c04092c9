package shard

import (
	"errors"
	"fmt"
)

// MaxEndpoints is how many endpoints there may be: a bit each in a word.
const MaxEndpoints = 64

// Config holds the numbers of shards. Size has to be given.
type Config struct {
	// Size is how many endpoints serve one key, from 1 to 64. There is no
	// default: it depends on how many there are. Two is the least with which a
	// tenant can go on when another has taken one of its endpoints down. Each
	// more lets a tenant use more of the capacity, and a bad one do harm to
	// more of the others. As many as there are endpoints isolates nobody.
	Size int

	// Anonymous is what serves requests without a key.
	Anonymous Anonymous
}

// Anonymous says what serves requests without a key.
type Anonymous uint8

const (
	// OneShard serves all requests without a key by one shard, as if they were
	// of one tenant. It is the default: with all endpoints open to them, who
	// does harm would only have to leave the key out.
	OneShard Anonymous = iota
	// AllEndpoints lets requests without a key go everywhere, which suits those
	// that the service makes for itself.
	AllEndpoints
)

// Validate reports every field that cannot be used, one error a field, joined.
func (c Config) Validate() error {
	var errs []error
	if c.Size < 1 || c.Size > MaxEndpoints {
		errs = append(errs, fmt.Errorf("Size: is %d; give how many endpoints serve one key, "+
			"such as 2, from 1 to %d", c.Size, MaxEndpoints))
	}
	if c.Anonymous > AllEndpoints {
		errs = append(errs, errors.New("Anonymous: is unknown; give OneShard or AllEndpoints"))
	}
	return errors.Join(errs...)
}
