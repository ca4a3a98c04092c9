package limit

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Algorithm says how a limit follows what it sees. The zero value is Knee, the
// one to use without a reason for another.
type Algorithm uint8

const (
	// Knee looks for the point where more concurrency stops to bring more
	// throughput, by small trials.
	Knee Algorithm = iota
	// Fixed never moves.
	Fixed
	// AIMD adds one while nothing is dropped and cuts by a tenth when
	// something is.
	AIMD
	// Vegas estimates the queue from the smallest latency seen.
	Vegas
	// Gradient2 compares the latency with its own long average.
	Gradient2
	// Envoy compares the median with one that it measures at a low limit from
	// time to time.
	Envoy
)

var algorithmNames = [...]string{"knee", "fixed", "aimd", "vegas", "gradient2", "envoy-gradient"}

// String returns the algorithm's name as policy files have it.
func (a Algorithm) String() string {
	if int(a) < len(algorithmNames) {
		return algorithmNames[a]
	}
	return "invalid"
}

// ParseAlgorithm reads an algorithm by its name. It reports false for anything
// else.
func ParseAlgorithm(name string) (Algorithm, bool) {
	for i, known := range algorithmNames {
		if name == known {
			return Algorithm(i), true
		}
	}
	return Knee, false
}

// Config sets a limit. All of it may be zero but for Fixed, which needs to be
// told its number in Initial.
type Config struct {
	// Algorithm says how the limit moves.
	Algorithm Algorithm
	// Min is the smallest limit: what the server can surely take, so that a
	// latency at Min is never held against it. The default is 4 for Knee. A few
	// requests at hand keep even one worker busy whose times vary, and a trial
	// below the number of workers costs what it takes to notice. The others keep
	// what they were published with: 20 for AIMD and Gradient2, 3 for Envoy, 1
	// for Vegas.
	Min int
	// Max is the largest limit. The default is 1,000, and 200 for AIMD and
	// Gradient2 as published. Set it to what the process can hold in memory:
	// it is the last defence when the algorithm is wrong.
	Max int
	// Initial is the first limit. The default is 20, within Min and Max: enough
	// for most, and for the rest a wrong start is mended within seconds.
	Initial int
	// Window is how long samples are collected before the limit may move. The
	// default is 500ms for Knee, which goes on for longer where times are noisy
	// or requests long; 1s for the others and 100ms for Envoy, as published.
	Window time.Duration
	// Samples is how many samples a window needs to be judged. The default of
	// 10 keeps a few health checks from setting the limit. A window with fewer
	// goes on, for ten times its length (Knee: sixty), and is then thrown away.
	Samples int
	// Tolerance is how many times its no-load value the latency may be before
	// the limit is too high. The default is 1.5, and 1.25 for Envoy as
	// published. Fixed, AIMD and Vegas do not use it.
	Tolerance float64
	// Slow is the mean latency that is too much whatever was seen before: a
	// guard against a baseline that has learned from bad times. Zero means
	// none, but 5s for AIMD, which has no other measure of latency.
	Slow time.Duration
}

// largest bounds limits, so that arithmetic on them is exact everywhere.
const largest = 1 << 24

// presets are the numbers that an algorithm was published with, or for Knee
// the ones that served best in the simulations of docs/policies/limit.md.
var presets = [...]Config{
	Knee:      {Min: 4, Max: 1000, Window: 500 * time.Millisecond, Tolerance: 1.5},
	Fixed:     {Min: 1, Max: largest, Window: time.Second, Tolerance: 1.5},
	AIMD:      {Min: 20, Max: 200, Window: time.Second, Tolerance: 1.5, Slow: 5 * time.Second},
	Vegas:     {Min: 1, Max: 1000, Window: time.Second, Tolerance: 1.5},
	Gradient2: {Min: 20, Max: 200, Window: time.Second, Tolerance: 1.5},
	Envoy:     {Min: 3, Max: 1000, Window: 100 * time.Millisecond, Tolerance: 1.25},
}

// filled returns c with the algorithm's numbers where c says nothing. A Min
// above the usual Max, or a Max below the usual Min, moves the other with it.
func (c Config) filled() Config {
	if int(c.Algorithm) >= len(presets) {
		return c // Validate refuses it
	}
	p := presets[c.Algorithm]
	switch {
	case c.Min == 0 && c.Max == 0:
		c.Min, c.Max = p.Min, p.Max
	case c.Min == 0:
		c.Min = min(p.Min, c.Max)
	case c.Max == 0:
		c.Max = max(p.Max, c.Min)
	}
	if c.Initial == 0 && c.Algorithm != Fixed {
		c.Initial = min(max(20, c.Min), c.Max)
	}
	if c.Window == 0 {
		c.Window = p.Window
	}
	if c.Samples == 0 {
		c.Samples = 10
	}
	if c.Tolerance == 0 {
		c.Tolerance = p.Tolerance
	}
	if c.Slow == 0 {
		c.Slow = p.Slow
	}
	return c
}

// Validate returns nil, or one error for each field at fault, joined. Each
// names the field first and says how to mend it.
func (c Config) Validate() error {
	var errs []error
	add := func(wrong bool, field, format string, args ...any) {
		if wrong {
			errs = append(errs, errors.New(field+": "+fmt.Sprintf(format, args...)))
		}
	}
	f := c.filled()
	add(int(c.Algorithm) >= len(presets), "Algorithm", "is %d; use one of %s", c.Algorithm,
		strings.Join(algorithmNames[:], ", "))
	add(c.Min < 0 || c.Min > largest, "Min", "is %d; give the smallest limit, 1 to %d",
		c.Min, largest)
	add(c.Max < 0 || c.Max > largest, "Max", "is %d; give the largest limit, 1 to %d",
		c.Max, largest)
	add(c.Min > 0 && c.Max > 0 && c.Min > c.Max, "Min", "is %d, above Max, which is %d; "+
		"lower one or raise the other", c.Min, c.Max)
	add(c.Algorithm == Fixed && c.Initial == 0, "Initial", "is 0; give the fixed limit, at least 1")
	add(c.Initial != 0 && (c.Initial < f.Min || c.Initial > f.Max), "Initial",
		"is %d; give a limit within Min and Max, here %d to %d", c.Initial, f.Min, f.Max)
	add(c.Window < 0, "Window", "is %v; give a time such as 1s", c.Window)
	add(c.Samples < 0, "Samples", "is %d; give how many a window needs, such as 10", c.Samples)
	add(c.Tolerance != 0 && !(c.Tolerance > 1 && c.Tolerance <= 100), "Tolerance",
		"is %v; give how many times the no-load latency is still good, above 1, such as 1.5",
		c.Tolerance)
	add(c.Slow < 0, "Slow", "is %v; give a latency that is always too much, such as 1s", c.Slow)
	return errors.Join(errs...)
}
