package overload

import (
	"fmt"
	"strings"
)

// Hold is a promise and whether it held in this run.
type Hold struct {
	Promise string `json:"promise"`
	Held    bool   `json:"held"`
	Why     string `json:"why,omitempty"` // not
}

// tooLate is how late the generator may be, in milliseconds, before a report
// has to say so. From there on the burst that follows shows in the figures.
const tooLate = 100

// busy says that a figure is from a machine that was too busy, if it was.
func busy(lateMS float64) string {
	if lateMS <= tooLate {
		return ""
	}
	return fmt.Sprintf(" (requests came up to %.0fms late)", lateMS)
}

// judged makes a Hold of all that speaks against a promise.
func judged(promise string, against []string) Hold {
	return Hold{promise, len(against) == 0, strings.Join(against, "; ")}
}

func allHeld(all []Hold) bool {
	for _, h := range all {
		if !h.Held {
			return false
		}
	}
	return true
}

// verdicts writes promises for people.
func verdicts(all []Hold) string {
	var b strings.Builder
	for _, h := range all {
		mark := "holds"
		if !h.Held {
			mark = "FAILS"
		}
		fmt.Fprintf(&b, "  %s  %s\n", mark, h.Promise)
		if h.Why != "" {
			b.WriteString(wrapped(h.Why, "         ", 80))
		}
	}
	return b.String()
}

// wrapped breaks a text into lines of a width, behind a margin.
func wrapped(text, margin string, width int) string {
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
