package schema

import (
	"fmt"
	"strconv"
)

// What follows writes numbers for people, the same on every page and in a terminal.

// Percent writes a share, or "-" for none. It says 100 % only of all, and 0 % only
// of nothing.
func Percent(share any) string {
	var v float64
	switch s := share.(type) {
	case *float64:
		if s == nil {
			return "-"
		}
		v = *s
	case float64:
		v = s
	}
	switch {
	case v >= 0.9995 && v < 1:
		return "99.9 %"
	case v > 0 && v < 0.0005:
		return "0.1 %"
	}
	return strconv.FormatFloat(100*v, 'f', 1, 64) + " %"
}

// Number writes a rate or a ratio with three digits.
func Number(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// MS writes milliseconds.
func MS(ms float64) string {
	switch {
	case ms >= 10_000:
		return strconv.FormatFloat(ms/1000, 'f', 0, 64) + " s"
	case ms >= 1000:
		return strconv.FormatFloat(ms/1000, 'f', 1, 64) + " s"
	case ms >= 10:
		return strconv.FormatFloat(ms, 'f', 0, 64) + " ms"
	}
	return strconv.FormatFloat(ms, 'f', 1, 64) + " ms"
}

// BreakerWord says what a breaker is like, and who holds it.
func BreakerWord(b *Breaker) string {
	if b == nil {
		return "-"
	}
	word := b.State
	if b.Mode != "auto" {
		word += " (" + b.Mode + ")"
	}
	if n := b.Keys["open"]; n > 0 {
		word += fmt.Sprintf(", %d keys open", n)
	}
	return word
}

// SlotsWord says how many calls are under way of how many there may be.
func SlotsWord(inFlight int, s *Slots) string {
	if s == nil {
		return strconv.Itoa(inFlight)
	}
	word := fmt.Sprintf("%d / %d", s.InUse, s.Limit)
	if s.Queued > 0 {
		word += fmt.Sprintf(" + %d", s.Queued)
	}
	return word
}
