package quota

import (
	"errors"
	"fmt"
)

// Config bounds a table of tenants.
type Config struct {
	// Keys is how many tenants are told apart at once. 0 is 10000, about a
	// megabyte and more tenants than most services have at work in the same
	// minute; at most a million. A tenant without requests here is forgotten
	// when a new one comes. When all have requests here, newcomers share
	// Overflow.
	Keys int
}

const (
	defaultKeys = 10_000
	mostKeys    = 1_000_000
	longestKey  = 256 // bytes; identifiers in use are far shorter
)

// Validate returns nil, or an error that names the field first and says how to
// mend it.
func (c Config) Validate() error {
	if c.Keys < 0 || c.Keys > mostKeys {
		return errors.New("Keys: " + fmt.Sprintf("is %d; give how many tenants to tell apart, "+
			"from 1 to %d, or 0 for %d", c.Keys, mostKeys, defaultKeys))
	}
	return nil
}

func (c Config) defaults() Config {
	if c.Keys == 0 {
		c.Keys = defaultKeys
	}
	return c
}
