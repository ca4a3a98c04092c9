package live

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

// Judged makes a Hold of all that speaks against a promise.
func Judged(promise string, against []string) Hold {
	return Hold{promise, len(against) == 0, strings.Join(against, "; ")}
}

// AllHeld reports whether every promise held.
func AllHeld(all []Hold) bool {
	for _, h := range all {
		if !h.Held {
			return false
		}
	}
	return true
}

// Verdicts writes promises for people.
func Verdicts(all []Hold) string {
	var b strings.Builder
	for _, h := range all {
		mark := "holds"
		if !h.Held {
			mark = "FAILS"
		}
		fmt.Fprintf(&b, "  %s  %s\n", mark, h.Promise)
		if h.Why != "" {
			b.WriteString(Wrapped(h.Why, "         ", 80))
		}
	}
	return b.String()
}
