package tune

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// up rounds a time up to so many digits.
func up(seconds float64, digits int) time.Duration {
	if seconds <= 0 {
		return time.Microsecond
	}
	scale := math.Pow(10, float64(digits-1)-math.Floor(math.Log10(seconds)))
	v := math.Ceil(seconds*scale-1e-9) / scale
	return max(time.Duration(math.Round(v*1e9)), time.Microsecond)
}

// down rounds a time down to two digits.
func down(seconds float64) time.Duration {
	scale := math.Pow(10, 1-math.Floor(math.Log10(seconds)))
	return max(time.Duration(math.Round(math.Floor(seconds*scale+1e-9)/scale*1e9)), time.Microsecond)
}

// slots rounds a number of things up: to tens above a hundred, and so on.
func slots(v float64) int {
	n := int(math.Ceil(v - 1e-9))
	for _, step := range []int{10, 100, 1000} {
		if n > 10*step {
			n = (n + step - 1) / step * step
		}
	}
	return min(max(n, 1), 1_000_000)
}

// span writes a time as files have it.
func span(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if s, ok := strings.CutSuffix(text, zero); ok {
			text = s + zero[:1]
		}
	}
	return strings.Replace(text, "µs", "us", 1)
}

// shown writes seconds for people, in three digits.
func shown(seconds float64) string {
	switch {
	case math.IsInf(seconds, 1):
		return "unknown"
	case seconds <= 0:
		return "0"
	}
	return span(up(seconds, 3))
}

// percent writes a share.
func percent(share float64) string {
	if share > 0 && share < 1e-9 {
		return "almost none"
	}
	return strconv.FormatFloat(100*share, 'g', 3, 64) + "%"
}

// inFile writes a share as files have it.
func inFile(share float64) string {
	return strconv.FormatFloat(math.Round(share*1e5)/1e3, 'f', -1, 64) + "%"
}

// perSecond writes a rate as files have it.
func perSecond(rate float64) string {
	scale := math.Pow(10, 2-math.Floor(math.Log10(rate)))
	if rate >= 100 {
		scale = 1
	}
	return strconv.FormatFloat(max(math.Round(rate*scale)/scale, 0.0001), 'f', -1, 64) + "/s"
}

// thousands writes a count.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// quantileName is what people call a quantile: p99.9.
func quantileName(q float64) string {
	return "p" + strconv.FormatFloat(math.Round(q*1e6)/1e4, 'f', -1, 64)
}
