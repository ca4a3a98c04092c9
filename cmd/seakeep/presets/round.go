package presets

import (
	"strings"
	"time"
)

// nice are the tenths that people write times in.
var nice = []time.Duration{10, 15, 20, 25, 30, 40, 50, 60, 80, 100}

// roundUp gives a time that somebody might have written, no less than d.
func roundUp(d time.Duration) time.Duration {
	for unit := time.Microsecond; ; unit *= 10 {
		for _, tenths := range nice {
			if n := unit / 10 * tenths; n >= d {
				return n
			}
		}
	}
}

// roundDown gives such a time, no more than d but a microsecond at least.
func roundDown(d time.Duration) time.Duration {
	best := time.Microsecond
	for t := best; t <= d; t = roundUp(t + 1) {
		best = t
	}
	return best
}

// short writes a time as files have it: 1m and not 1m0s.
func short(d time.Duration) string {
	text := d.String()
	if s, ok := strings.CutSuffix(text, "m0s"); ok {
		text = s + "m"
	}
	if s, ok := strings.CutSuffix(text, "h0m"); ok {
		text = s + "h"
	}
	return strings.Replace(text, "µs", "us", 1)
}

// threeDigits rounds a time for people.
func threeDigits(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}
