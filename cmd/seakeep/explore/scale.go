package explore

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Scale turns values of a policy file, such as 250ms, 10%, 333/s, 20 calls or 60,
// into numbers and back.
type Scale struct {
	suffix string // "" for plain numbers and durations
	times  bool   // a duration
	Whole  bool   // only whole numbers make sense
}

// ParseScale reads the two ends of a range, which must be of one kind.
func ParseScale(from, to string) (s Scale, low, high float64, err error) {
	a, low, err := parseValue(from)
	if err != nil {
		return s, 0, 0, err
	}
	b, high, err := parseValue(to)
	if err != nil {
		return s, 0, 0, err
	}
	if a.times != b.times || a.suffix != b.suffix {
		return s, 0, 0, fmt.Errorf("%s and %s are of two kinds; %s", from, to,
			"give both as times, shares, rates, calls or numbers")
	}
	a.Whole = a.Whole && b.Whole
	if !(low < high) {
		return s, 0, 0, fmt.Errorf("%s is not below %s", from, to)
	}
	return a, low, high, nil
}

const calls = " calls"

func parseValue(text string) (s Scale, v float64, err error) {
	text = strings.TrimSpace(text)
	if number, ok := strings.CutSuffix(text, calls); ok {
		n, err := strconv.Atoi(number)
		if err != nil {
			return s, 0, fmt.Errorf("%q is no whole number of calls", text)
		}
		return Scale{suffix: calls, Whole: true}, float64(n), nil
	}
	for _, suffix := range []string{"%", "/s", "/m"} {
		if number, ok := strings.CutSuffix(text, suffix); ok {
			v, err = strconv.ParseFloat(number, 64)
			if err != nil {
				return s, 0, fmt.Errorf("%q is no number before %s", text, suffix)
			}
			return Scale{suffix: suffix}, v, nil
		}
	}
	if n, err := strconv.Atoi(text); err == nil {
		return Scale{Whole: true}, float64(n), nil
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return Scale{}, v, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return s, 0, fmt.Errorf("%q is no value; give one such as 250ms, 10%%, 333/s or 60", text)
	}
	return Scale{times: true}, float64(d), nil
}

// Value returns what a number reads as in YAML, as a policy or scenario file
// wants it.
func (s Scale) Value(x float64) string {
	switch {
	case s.times:
		return time.Duration(x).Round(time.Microsecond).String()
	case s.Whole:
		return strconv.Itoa(int(x)) + s.suffix
	}
	return strconv.FormatFloat(x, 'g', 6, 64) + s.suffix
}

// Read returns the number that a value of this kind stands for.
func (s Scale) Read(text string) (float64, bool) {
	got, v, err := parseValue(text)
	return v, err == nil && got.times == s.times && got.suffix == s.suffix
}
