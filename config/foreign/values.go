package foreign

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The limits of the policy file's values.
const (
	longest      = 365 * 24 * time.Hour
	longWindow   = 24 * time.Hour
	mostAttempts = 8
	mostCalls    = 1_000_000
	mostWindow   = 100_000
	mostTrials   = 1000
)

// showTime writes d as the policy file has it.
func showTime(d time.Duration) string {
	s := strings.Replace(d.String(), "µs", "us", 1)
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func showNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// showPercent writes a share given in percent.
func showPercent(v float64) string { return showNumber(v) + "%" }

// bounded is a value within limits, and how well it stands for what was asked.
type bounded[T cmp.Ordered] struct {
	value T
	fate  Fate
	note  string
}

// bound brings v within limits.
func bound[T cmp.Ordered](v, lowest, highest T, show func(T) string) bounded[T] {
	switch {
	case v < lowest:
		return bounded[T]{lowest, Approximated, "the least that can be given is " + show(lowest)}
	case v > highest:
		return bounded[T]{highest, Approximated, "the most that can be given is " + show(highest)}
	}
	return bounded[T]{v, Mapped, ""}
}

func boundTime(d, lowest, highest time.Duration) bounded[time.Duration] {
	return bound(d, lowest, highest, showTime)
}

func boundCount(n, lowest, highest int64) bounded[int64] {
	return bound(n, lowest, highest, func(n int64) string { return strconv.FormatInt(n, 10) })
}

func boundPercent(v, lowest, highest float64) bounded[float64] {
	return bound(v, lowest, highest, showPercent)
}

// origin says where the bounded value comes from, with one more note.
func (b bounded[T]) origin(n *node, notes ...string) origin {
	o := origin{n: n, fate: b.fate, note: b.note}
	for _, note := range notes {
		o = o.differing(note)
	}
	return o
}

// differing is o with a difference told.
func (o origin) differing(note string) origin {
	if note == "" {
		return o
	}
	o.fate = max(o.fate, Approximated)
	if o.note != "" {
		note = o.note + "; " + note
	}
	o.note = note
	return o
}

var protoTime = regexp.MustCompile(`^([0-9]{1,12})(\.[0-9]{1,9})?s$`)

// parseProtoTime reads a protobuf Duration in its JSON form, such as 0.25s.
// What is longer than a year comes out as somewhat more than a year.
func parseProtoTime(text string) (time.Duration, bool) {
	m := protoTime.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	seconds, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		return 0, false
	}
	if seconds > int64(longest/time.Second) {
		return longest + time.Second, true
	}
	d := time.Duration(seconds) * time.Second
	if m[2] != "" {
		nanos, err := strconv.Atoi((m[2][1:] + "00000000")[:9])
		if err != nil {
			return 0, false
		}
		d += time.Duration(nanos)
	}
	return d, true
}

var wholeForm = regexp.MustCompile(`^[0-9]{1,15}(\.0{1,9})?$`)

// parseCount reads a whole number that is not negative. JSON writers may have
// made 3 into 3.0.
func parseCount(text string) (int64, bool) {
	if !wholeForm.MatchString(text) {
		return 0, false
	}
	whole, _, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	return n, err == nil
}

var numberForm = regexp.MustCompile(`^[0-9]{1,15}(\.[0-9]{1,15})?([eE][+-]?[0-9]{1,2})?$`)

// parseNumber reads a number that is not negative.
func parseNumber(text string) (float64, bool) {
	if !numberForm.MatchString(text) {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

// truth reads true or false. An unreadable text is known to be neither.
func truth(text string) (v, known bool) {
	switch strings.ToLower(text) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}
