package golden

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// line is a line of a script, in its parts.
type line struct {
	written string // all of it, with the line's end
	do      string // before the arrow
	want    string // behind it
	head    string // as do, with the space that lines up the arrows
	comment string // from the # on
	column  int    // where that stands
}

func parse(written string) line {
	l := line{written: written}
	body := strings.TrimSuffix(written, "\n")
	if at := commentAt(body); at >= 0 {
		body, l.comment = body[:at], body[at:]
		l.column = utf8.RuneCountInString(body)
	}
	// With the space an arrow that nothing follows is an arrow too.
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

// isComment reports whether there is nothing to do.
func (l line) isComment() bool { return l.do == "" && l.want == "" }

// answered returns the line with got for its answer: as it was if that is what
// it wants, else with its comment in the same column if there is room.
func (l line) answered(got string) string {
	if got == l.want {
		return l.written
	}
	body := l.head + " -> " + got
	if got == "" {
		body = strings.TrimRight(l.head, " \t")
	}
	if l.comment != "" {
		body = fmt.Sprintf("%-*s %s", l.column-1, body, l.comment)
	}
	if strings.HasSuffix(l.written, "\n") {
		body += "\n"
	}
	return body
}
