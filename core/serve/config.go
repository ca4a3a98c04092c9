package serve

import (
	"errors"
	"fmt"

	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/core/degrade"
	"github.com/seakeep/seakeep/core/limit"
	"github.com/seakeep/seakeep/core/quota"
	"github.com/seakeep/seakeep/core/shed"
)

// Rungs is a set of rungs of the door.
type Rungs uint8

const (
	// RungDeadline refuses requests whose time is up, or too short.
	RungDeadline Rungs = 1 << iota
	// RungShed refuses requests that are not important enough.
	RungShed
	// RungSlots is the limit on requests in service, and its queue.
	RungSlots
)

// Has reports whether the set holds the rung.
func (r Rungs) Has(rung Rungs) bool { return r&rung != 0 }

// Config is how a service protects itself. A nil rung is off; there is no
// hidden default that switches one on.
type Config struct {
	Name     string               // as it appears in events and answers: the service's
	Timeout  deadline.Config      // Total, which a caller's deadline only shortens, and Needs
	Slots    *Slots               // how many requests are served at once
	Tenants  *Tenants             // how much of that one tenant may have
	Shed     *shed.Config         // refuse the less important under pressure
	Recovery *shed.RecoveryConfig // find the way back from a metastable state
	Degrade  *degrade.Config      // features to drop under pressure
	Observe  Rungs                // rungs that decide and report but let the request pass
}

// Slots is how many requests are served at once, and how the others wait.
type Slots struct {
	// Limit finds the number.
	Limit limit.Config
	// Queue is the queue for a slot. Its Limit is not used: it is what Limit
	// says at each moment. Its bounds of one flow are those of Tenants. A
	// Target of zero is four times what serving takes, and at least 5 ms; an
	// Interval of zero beside it is twenty times that, and at least 100 ms.
	Queue bulkhead.Config
}

// Tenants bounds what one tenant may have of the slots and the queue.
type Tenants struct {
	// Slots is how many requests of one tenant may be served at once. It must
	// be given: it is what remains for the others that counts.
	Slots int
	// Places is how many requests of one tenant may wait. Zero is a quarter of
	// the queue, and at least one.
	Places int
	// Quota bounds how many tenants are told apart.
	Quota quota.Config
}

// Validate reports every setting that cannot work, one error a field, joined.
func (c Config) Validate() error {
	var errs []error
	add := func(rung string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", rung, err))
		}
	}
	add("deadline", c.Timeout.Validate())
	if c.Slots != nil {
		add("concurrency", c.Slots.Limit.Validate())
		add("queue", c.bulkhead(1, 0).Validate())
	}
	if t := c.Tenants; t != nil {
		add("tenants", t.validate(c.Slots != nil))
	}
	if c.Shed != nil {
		add("shed", c.Shed.Validate())
	}
	if c.Recovery != nil {
		add("recovery", c.Recovery.Validate())
	}
	if c.Degrade != nil {
		add("degrade", c.Degrade.Validate())
	}
	return errors.Join(errs...)
}

func (t *Tenants) validate(slots bool) error {
	switch {
	case !slots:
		return errors.New("Slots: there are none to share; add concurrency")
	case t.Slots < 1:
		return fmt.Errorf("Slots: is %d; give how many requests of one tenant may be served "+
			"at once, at least 1", t.Slots)
	case t.Places < 0:
		return fmt.Errorf("Places: is %d; give how many requests of one tenant may wait, "+
			"or 0 for a quarter of the queue", t.Places)
	}
	return t.Quota.Validate()
}
