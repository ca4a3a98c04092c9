package study

import (
	"math"
	"strconv"
	"strings"
)

// Unit says what a figure counts.
type Unit uint8

const (
	// Number is a plain number: workers, requests, attempts for a call.
	Number Unit = iota
	// Share is a part of a whole: 0.5 is half.
	Share
	// Seconds is a time.
	Seconds
	// PerSecond is a rate.
	PerSecond
)

// String returns the unit as files and reports have it.
func (u Unit) String() string {
	switch u {
	case Number:
		return "number"
	case Share:
		return "share"
	case Seconds:
		return "s"
	case PerSecond:
		return "/s"
	}
	return "invalid"
}

// scale says how people read a value of the unit that is about x: multiplied
// by what, and followed by what.
func (u Unit) scale(x float64) (by float64, suffix string) {
	x = math.Abs(x)
	switch {
	case u == Share:
		return 100, " %"
	case u == PerSecond:
		return 1, "/s"
	case u != Seconds || math.IsInf(x, 0):
		return 1, ""
	case x >= 1:
		return 1, " s"
	case x >= 1e-3 || x == 0:
		return 1e3, " ms"
	}
	return 1e6, " µs"
}

// Text writes a value that was given and not measured, such as a limit.
func (u Unit) Text(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	by, suffix := u.scale(x)
	return short(x*by) + suffix
}

// short writes a number with at most four digits that count.
func short(x float64) string {
	if math.IsInf(x, 0) {
		return "unbounded"
	}
	decimals := 3
	for size := math.Abs(x); size >= 10 && decimals > 0; size /= 10 {
		decimals--
	}
	return trim(strconv.FormatFloat(x, 'f', decimals, 64))
}

func trim(text string) string {
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		return "0"
	}
	return text
}

// Text writes the figure with its interval and unit: "57.2 % ±0.9".
func (f Figure) Text() string {
	value, suffix, half := f.parts()
	if half == "" {
		return value
	}
	return value + suffix + " " + half
}

// Bare is Text without the unit, where a heading has it.
func (f Figure) Bare() string {
	value, suffix, half := f.parts()
	if f.Unit == Seconds || f.Unit == Share {
		value += suffix
	}
	return strings.TrimSuffix(value+" "+half, " ")
}

// parts writes value and interval with as many digits as the interval is good
// for. A figure that no run has is a dash.
func (f Figure) parts() (value, suffix, half string) {
	if math.IsNaN(f.Mean) {
		return "-", "", ""
	}
	by, suffix := f.Unit.scale(f.Mean)
	x, h := f.Mean*by, f.Half*by
	const finest = 4 // decimals
	switch {
	case math.IsInf(h, 0) || math.IsNaN(h):
		return short(x), suffix, "±?"
	case h < 0.5e-4:
		return short(x), suffix, "±0"
	}
	decimals := 0
	for size := h; size < 2 && decimals < finest; size *= 10 {
		decimals++
	}
	return strconv.FormatFloat(x, 'f', decimals, 64), suffix,
		"±" + strconv.FormatFloat(h, 'f', decimals, 64)
}
