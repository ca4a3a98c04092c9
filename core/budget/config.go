package budget

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Kind says what a budget counts.
type Kind uint8

const (
	// Ratio allows a share of the calls of the last Window, plus a floor.
	Ratio Kind = iota
	// Tokens allows retries while recent attempts mostly succeed.
	Tokens
	// Concurrent allows a share of the calls under way, or a floor.
	Concurrent
)

// String returns the kind's name in lower case.
func (k Kind) String() string {
	switch k {
	case Ratio:
		return "ratio"
	case Tokens:
		return "tokens"
	case Concurrent:
		return "concurrent"
	}
	return "invalid"
}

// Config holds a budget's numbers. Ratio, Floor and MaxTokens are kept in
// thousandths; finer digits are rounded.
type Config struct {
	// Kind is what the budget counts. Zero is the kind Ratio.
	Kind Kind

	// Ratio is the share of a retry that one call earns (kinds Ratio and
	// Concurrent, up to 1), or that one success earns back (kind Tokens, up
	// to 1000). 0 earns nothing, which only the first two kinds allow, and
	// only beside a Floor.
	Ratio float64

	// Floor is what a client may always do: retries per second (kind Ratio),
	// retries at once (kind Concurrent, a whole number). 0: no floor. Tokens
	// has none.
	Floor float64

	// Window is how long the kind Ratio remembers calls and retries, in
	// tenths. 0 is 10s: long enough that a client with a call a second earns
	// something, short enough that a good hour does not pay for a bad minute.
	Window time.Duration

	// MaxTokens is the most that the kind Tokens holds, over 0 and up to
	// 1000, gRPC's own limit.
	MaxTokens float64
}

// Default is the budget to use when nobody asked for another: the kind Ratio
// with 10 % of first attempts and 3 retries a second over 10 s. 10 % is what
// "Site Reliability Engineering" allows a client, and keeps the load on a dead
// dependency at 1.1 times normal. The floor is low enough that a thousand idle
// clients do not make a storm, and high enough that one idle client can retry.
func Default() Config {
	return Config{Kind: Ratio, Ratio: 0.1, Floor: 3}
}

const (
	defaultWindow = 10 * time.Second
	minWindow     = 10 * time.Millisecond // ten slices of 1 ms
	maxWindow     = time.Hour
	maxFloor      = 1e6
	mostTokens    = 1000
)

// Validate reports every field that cannot be used, one error a field, joined.
func (c Config) Validate() error {
	if c.Kind > Concurrent {
		return bad("Kind", "is %d; give Ratio, Tokens or Concurrent", c.Kind)
	}
	return errors.Join(c.checkRatio(), c.checkFloor(), c.checkWindow(), c.checkMaxTokens())
}

func (c Config) checkRatio() error {
	most := 1.0
	if c.Kind == Tokens {
		most = mostTokens
	}
	switch {
	case !(c.Ratio >= 0 && c.Ratio <= most):
		return bad("Ratio", "is %v; give a share such as 10%%, at most %v", c.Ratio, most)
	case c.Ratio > 0 && milli(c.Ratio) == 0:
		return bad("Ratio", "is %v; give at least 0.1%%, less is not counted", c.Ratio)
	case c.Ratio == 0 && c.Kind == Tokens:
		return bad("Ratio", "is 0, so spent tokens never come back; give a share such as 10%%")
	}
	return nil
}

func (c Config) checkFloor() error {
	switch {
	case !(c.Floor >= 0 && c.Floor <= maxFloor):
		return bad("Floor", "is %v; give a number such as 3, at most %v", c.Floor, maxFloor)
	case c.Kind == Tokens && c.Floor != 0:
		return bad("Floor", "the kind tokens has none; leave it out")
	case c.Kind == Concurrent && c.Floor != math.Trunc(c.Floor):
		return bad("Floor", "is %v; give a whole number of retries at once", c.Floor)
	case c.Kind != Tokens && c.Ratio == 0 && c.floorMilli() < 1000:
		return bad("Floor", "is %v, too low for one retry without a Ratio; give 3, or a Ratio",
			c.Floor)
	}
	return nil
}

func (c Config) checkWindow() error {
	switch {
	case c.Kind != Ratio && c.Window != 0:
		return bad("Window", "the kind %v has none; leave it out", c.Kind)
	case c.Window != 0 && (c.Window < minWindow || c.Window > maxWindow):
		return bad("Window", "is %v; give a time such as 10s, from %v to %v",
			c.Window, minWindow, maxWindow)
	}
	return nil
}

func (c Config) checkMaxTokens() error {
	switch {
	case c.Kind != Tokens && c.MaxTokens != 0:
		return bad("MaxTokens", "the kind %v has none; leave it out", c.Kind)
	case c.Kind == Tokens && !(milli(c.MaxTokens) > 0 && c.MaxTokens <= mostTokens):
		return bad("MaxTokens", "is %v; give a number such as 100, over 0 and at most %d",
			c.MaxTokens, mostTokens)
	}
	return nil
}

// Scaled returns a valid c that allows this share, over 0 and up to 1, of what c
// does, and at least one retry where c allows any.
func (c Config) Scaled(share float64) Config {
	out := c
	out.Ratio, out.Floor, out.MaxTokens = c.Ratio*share, c.Floor*share, c.MaxTokens*share
	if c.Kind == Concurrent {
		out.Floor = math.Floor(out.Floor)
	}
	if milli(out.Ratio) == 0 && c.Ratio > 0 {
		out.Ratio = 0.001
	}
	if milli(out.MaxTokens) == 0 && c.MaxTokens > 0 {
		out.MaxTokens = 1
	}
	if out.Ratio == 0 && out.floorMilli() < 1000 { // of nothing but a floor one is left
		out.Floor = 1
		if c.Kind == Ratio {
			out.Floor = 1 / c.window().Seconds()
		}
	}
	return out
}

func (c Config) window() time.Duration {
	if c.Window == 0 {
		return defaultWindow
	}
	return c.Window
}

// floorMilli is the floor's allowance in thousandths of a retry: for one
// window (Ratio) or at once (Concurrent).
func (c Config) floorMilli() int64 {
	if c.Kind == Ratio {
		return milli(c.Floor * c.window().Seconds())
	}
	return milli(c.Floor)
}

func milli(x float64) int64 { return int64(math.Round(x * 1000)) }

// bad is the problem of one field, which the text begins with.
func bad(field, format string, args ...any) error {
	return fmt.Errorf(field+": "+format, args...)
}
