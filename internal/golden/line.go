package golden

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// line is a line of a script, in its parts.
type line struct {
	written string // all of it, with the line's end
	do      string // before the arrow; "" if it is only a comment
	want    string // behind it
	head    string // as do, with the space that lines the arrows up
	comment string // from the # on
}

func parse(written string) line {
	l := line{written: written}
	body := strings.TrimSuffix(written, "\n")
	if at := commentAt(body); at >= 0 {
		body, l.comment = body[:at], body[at:]
	}
	// The space lets an arrow without an answer be one too.
	head, want, asked := strings.Cut(strings.TrimRight(body, " \t")+" ", " -> ")
	if !asked {
		head = strings.TrimRight(head, " \t")
	}
	l.head, l.do, l.want = head, strings.TrimSpace(head), strings.TrimSpace(want)
	return l
}

// commentAt returns where the comment begins, or -1. A # within a word is none.
func commentAt(body string) int {
	for i := range len(body) {
		if body[i] == '#' && (i == 0 || body[i-1] == ' ' || body[i-1] == '\t') {
			return i
		}
	}
	return -1
}

// answered returns the line with got for its answer: as it was if that is what
// it wants, else with its comment in the same column where there is room.
func (l line) answered(got string) string {
	if got == l.want {
		return l.written
	}
	body := l.head + " -> " + got
	if got == "" {
		body = strings.TrimRight(l.head, " \t")
	}
	if l.comment != "" {
		before, _, _ := strings.Cut(l.written, l.comment)
		body = fmt.Sprintf("%-*s %s", utf8.RuneCountInString(before)-1, body, l.comment)
	}
	if strings.HasSuffix(l.written, "\n") {
		body += "\n"
	}
	return body
}
