package live

import (
	"encoding/json"
	"io"
	"math"
	"strings"
	"time"
)

// Round rounds to so many digits after the point.
func Round(x float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(x*scale) / scale
}

// Short writes a duration without parts that are zero: 1m and not 1m0s.
func Short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Percent returns a share as a whole percentage. It says 100 only of all and 0
// only of none.
func Percent(some, all uint64) int {
	switch {
	case all == 0 || some == 0:
		return 0
	case some == all:
		return 100
	}
	return min(max(int(float64(some)/float64(all)*100+0.5), 1), 99)
}

// Wrapped breaks a text into lines of a width, behind a margin.
func Wrapped(text, margin string, width int) string {
	var b strings.Builder
	line := margin
	for word := range strings.FieldsSeq(text) {
		if len(line) > len(margin) && len(line)+1+len(word) > width {
			b.WriteString(line + "\n")
			line = margin
		}
		if len(line) > len(margin) {
			line += " "
		}
		line += word
	}
	return b.String() + line + "\n"
}

// WriteJSON writes a report as one object for people to read too.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
