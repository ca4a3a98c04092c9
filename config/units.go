package config

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// longest is the longest time a file may give. It is a year, so that sums and
// products of a few times cannot leave the range of a time.Duration.
const longest = 365 * 24 * time.Hour

// The forms of numbers with a unit. The schema has the same patterns.
var (
	durationForm = regexp.MustCompile(`^([0-9]+(\.[0-9]+)?(ns|us|µs|μs|ms|s|m|h))+$`)
	percentForm  = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?%$`)
	fractionForm = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)
	rateForm     = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)/(s|m|h)$`)
	sizeForm     = regexp.MustCompile(`^([0-9]+)(B|kB|KB|KiB|MB|MiB|GB|GiB)$`)
	integerForm  = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)
	bareNumber   = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?$`)
)

// parseDuration reads a time such as 250ms or 1m30s. The problem is "" when
// all is well.
func parseDuration(text string) (d time.Duration, problem string) {
	switch {
	case bareNumber.MatchString(text):
		return 0, "has no unit"
	case strings.HasPrefix(text, "-") && durationForm.MatchString(text[1:]):
		return 0, "is negative"
	case !durationForm.MatchString(text):
		return 0, "is not a time"
	}
	d, err := time.ParseDuration(text)
	if err != nil || d > longest {
		return 0, "is longer than a year (" + showDuration(longest) + ")"
	}
	return d, ""
}

// parseShare reads a share: 10% or 0.1. A bare 1 is refused, because half of
// its readers take it for 1% and half for all.
func parseShare(text string) (share float64, problem string) {
	switch {
	case percentForm.MatchString(text):
		// In one step, so that 99.9% is the number nearest to 0.999.
		v, err := strconv.ParseFloat(strings.TrimSuffix(text, "%")+"e-2", 64)
		if err != nil || v > 1 {
			return 0, "is above 100%"
		}
		return v, ""
	case fractionForm.MatchString(text):
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || v > 1 {
			return 0, "is above 1 and has no % sign"
		}
		if v == 1 {
			return 0, "may mean 1% or 100%"
		}
		return v, ""
	case strings.HasPrefix(text, "-"):
		return 0, "is negative or not a number"
	}
	return 0, "is not a share"
}

// fastest is the highest rate a file may give, a thousand million per second.
const fastest = 1e9

// parseRate reads a rate such as 333/s or 10/m and returns it per second.
func parseRate(text string) (perSecond float64, problem string) {
	m := rateForm.FindStringSubmatch(text)
	if m == nil {
		if bareNumber.MatchString(text) {
			return 0, "does not say per what"
		}
		return 0, "is not a rate"
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if v /= map[string]float64{"s": 1, "m": 60, "h": 3600}[m[2]]; err != nil || v > fastest {
		return 0, "is above 1000000000/s"
	}
	return v, ""
}

// sizeUnits has the largest first, so that showSize picks the shortest form.
var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"GiB", 1 << 30}, {"GB", 1e9}, {"MiB", 1 << 20}, {"MB", 1e6},
	{"KiB", 1 << 10}, {"kB", 1e3}, {"KB", 1e3}, {"B", 1},
}

// parseSize reads a size such as 64KiB and returns it in bytes.
func parseSize(text string) (bytes int64, problem string) {
	m := sizeForm.FindStringSubmatch(text)
	if m == nil {
		if bareNumber.MatchString(text) {
			return 0, "has no unit"
		}
		return 0, "is not a size"
	}
	for _, u := range sizeUnits {
		if u.name != m[2] {
			continue
		}
		n, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil || n > math.MaxInt64/u.bytes {
			return 0, "is too large"
		}
		return n * u.bytes, ""
	}
	return 0, "is not a size"
}

// showDuration writes d as a person would: 5m rather than 5m0s.
func showDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func showShare(share float64) string {
	return strconv.FormatFloat(share*100, 'g', 10, 64) + "%"
}

func showRate(perSecond float64) string {
	return strconv.FormatFloat(perSecond, 'g', 10, 64) + "/s"
}

// ShowSize writes a number of bytes as the file has it, such as 10MiB.
func ShowSize(bytes int64) string { return showSize(bytes) }

func showSize(bytes int64) string {
	for _, u := range sizeUnits {
		if bytes != 0 && bytes%u.bytes == 0 {
			return fmt.Sprintf("%d%s", bytes/u.bytes, u.name)
		}
	}
	return "0B"
}

// ParseRate reads a rate as a policy file has it, such as 333/s or 10/m, and
// returns it per second.
func ParseRate(text string) (perSecond float64, err error) {
	v, problem := parseRate(text)
	if problem != "" || v == 0 {
		return 0, fmt.Errorf("%q %s; give a rate such as 333/s", text, cmp.Or(problem, "is nothing"))
	}
	return v, nil
}
