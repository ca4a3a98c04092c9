package live

import (
	"fmt"
	"strings"
)

// TooLate is how late the generator may be, in milliseconds, before a report
// has to say so. From there on the burst that follows shows in the figures.
const TooLate = 100

// MaxOutstanding is how many requests a generator may have under way at once.
// With a patience of a second it is also the highest rate.
const MaxOutstanding = 5000

// Busy says that a figure is from a machine that was too busy, if it was.
func Busy(lateMS float64) string {
	if lateMS <= TooLate {
		return ""
	}
	return fmt.Sprintf(" (requests came up to %.0fms late)", lateMS)
}

// Excuse says if figures are not to be trusted: how late requests were at most,
// and how many were not made at all.
func Excuse(lateMS float64, skipped uint64) string {
	var b strings.Builder
	if lateMS > TooLate {
		fmt.Fprintf(&b, "\nSome requests were made %.0fms late, because this machine was too busy for\n"+
			"exact figures. The wait is part of them.\n", lateMS)
	}
	if skipped > 0 {
		fmt.Fprintf(&b, "\n%d requests were not made and count as lost: %d were under way.\n", skipped,
			MaxOutstanding)
	}
	return b.String()
}
