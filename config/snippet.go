package config

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// snippetWidth is how much of a long line a snippet shows: it fits a terminal
// of 80 columns together with the line number.
const snippetWidth = 70

// Snippet returns the given line of source and under it a caret at column, for
// a terminal. Characters that a terminal might obey are replaced. It returns
// "" when the source has no such line.
func Snippet(source []byte, line, column int) string {
	text, ok := nthLine(string(source), line)
	if !ok {
		return ""
	}
	runes := []rune(text)
	at := min(max(column-1, 0), len(runes))
	from := 0
	if at >= snippetWidth {
		from = at - snippetWidth/2
	}
	to := min(from+snippetWidth, len(runes))
	number := fmt.Sprintf("%5d | ", line)
	margin := strings.Repeat(" ", len(number)-2) + "| "
	return number + printable(runes[from:to]) + "\n" + margin + strings.Repeat(" ", at-from) + "^\n"
}

func printable(runes []rune) string {
	out := make([]rune, len(runes))
	for i, r := range runes {
		switch {
		case r == '\t':
			out[i] = ' '
		case unicode.IsPrint(r):
			out[i] = r
		default:
			out[i] = '·'
		}
	}
	return string(out)
}

func nthLine(text string, n int) (string, bool) {
	for line := range lines(text) {
		if n--; n == 0 {
			return line, true
		}
	}
	return "", false
}

// lines cuts a text as YAML does: besides the usual line ends, a lone carriage
// return and three Unicode characters end a line too.
func lines(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		text = strings.TrimPrefix(text, "\ufeff")
		for {
			end := strings.IndexAny(text, "\n\r\u0085\u2028\u2029")
			if end < 0 {
				yield(text)
				return
			}
			if !yield(text[:end]) {
				return
			}
			_, width := utf8.DecodeRuneInString(text[end:])
			if strings.HasPrefix(text[end:], "\r\n") {
				width = 2
			}
			text = text[end+width:]
		}
	}
}
