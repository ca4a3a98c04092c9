package proxy

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What differs from run to run and says nothing.
var (
	dateField = regexp.MustCompile(`Date: [^\r]*GMT`)
	viaMark   = regexp.MustCompile(`seakeep \([^)]*\)`)
	ports     = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	leftTime  = regexp.MustCompile(`(X-Seakeep-Deadline|Retry-After): \d+`)
)

func masked(text string) string {
	text = dateField.ReplaceAllStringFunc(text, func(field string) string {
		if strings.Contains(field, " 1970 ") { // it is the dependency's
			return field
		}
		return "Date: now"
	})
	text = viaMark.ReplaceAllString(text, "seakeep (mark)")
	text = leftTime.ReplaceAllString(text, "$1: N")
	return ports.ReplaceAllString(text, "127.0.0.1:port")
}

// Words of a sentence that the proxy only passes on: the transport's.
var (
	detailWords = regexp.MustCompile(`(; details="[^\r]*")|("detail":"(?:\\.|[^"\\])*")`)
	problemSize = regexp.MustCompile(`Content-Length: \d+(\r\n(?:[^\r]+\r\n)*?` +
		`Content-Type: application/problem\+json\r\n)`)
)

// unworded is text without them, and without what they take up.
func unworded(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\\\n", "\n"), "\n", "\r\n")
	text = strings.ReplaceAll(text, `\\`, `\`)
	text = detailWords.ReplaceAllString(text, "")
	return problemSize.ReplaceAllString(text, "Content-Length: N$1")
}

// ordered rewrites messages one behind the other: the fields of each head in
// the order of their names, and the pieces of a body in chunks as one. The order
// of fields of different names means nothing (RFC 9110, section 5.3), and where
// chunks end neither. methods are those of the requests that are answered; nil
// if the messages are requests themselves.
//
// Behind each message it puts a mark, for escape.
func ordered(text string, methods []string) string {
	var b strings.Builder
	for text != "" {
		head, rest, ok := strings.Cut(text, "\r\n\r\n")
		if !ok || !strings.Contains(head, " ") {
			break
		}
		first, fields, _ := strings.Cut(head, "\r\n")
		lines := strings.Split(fields, "\r\n")
		slices.SortStableFunc(lines, func(a, b string) int {
			na, _, _ := strings.Cut(a, ":")
			nb, _, _ := strings.Cut(b, ":")
			return strings.Compare(na, nb)
		})
		b.WriteString(first + "\r\n")
		if fields != "" {
			b.WriteString(strings.Join(lines, "\r\n") + "\r\n")
		}
		b.WriteString("\r\n")
		body := sizeOfBody(first, lines, &methods)
		switch {
		case body == inChunks:
			text = joinChunks(&b, rest)
			b.WriteString(mark)
		case body < 0 || body > len(rest):
			b.WriteString(rest)
			return b.String()
		default:
			b.WriteString(rest[:body] + mark)
			text = rest[body:]
		}
	}
	return b.String() + text
}

// mark is what no message here has in it.
const mark = "\x00\x00mark\x00"

const (
	untilEnd = -1
	inChunks = -2
)

func sizeOfBody(first string, lines []string, methods *[]string) int {
	size := untilEnd
	if !strings.HasPrefix(first, "HTTP/") {
		size = 0
	} else if status := first[len("HTTP/1.1 "):]; status[0] == '1' || strings.HasPrefix(status, "204") ||
		strings.HasPrefix(status, "304") {
		if status[0] != '1' && len(*methods) > 0 {
			*methods = (*methods)[1:]
		}
		return 0
	} else if len(*methods) > 0 {
		head := (*methods)[0] == "HEAD"
		if *methods = (*methods)[1:]; head {
			return 0
		}
	}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Transfer-Encoding" {
			return inChunks
		}
		if n, err := strconv.Atoi(value); err == nil && name == "Content-Length" {
			size = n
		}
	}
	return size
}

// joinChunks writes the chunks as one, as far as they go, and returns what
// follows.
func joinChunks(b *strings.Builder, text string) (rest string) {
	data := ""
	put := func() {
		if data != "" {
			b.WriteString(strconv.FormatInt(int64(len(data)), 16) + "\r\n" + data + "\r\n")
		}
	}
	for {
		line, after, ok := strings.Cut(text, "\r\n")
		n, err := strconv.ParseUint(line, 16, 31)
		if !ok || err != nil || n > 0 && len(after) < int(n)+2 {
			put()
			return text
		}
		if n > 0 {
			data, text = data+after[:n], after[n+2:]
			continue
		}
		put()
		trailer, rest, ok := strings.Cut("\r\n"+after, "\r\n\r\n")
		if !ok {
			return text
		}
		fields := strings.Split(strings.TrimPrefix(trailer, "\r\n"), "\r\n")
		slices.Sort(fields)
		if trailer = strings.Join(fields, "\r\n"); trailer != "" {
			trailer += "\r\n"
		}
		b.WriteString("0\r\n" + trailer + "\r\n")
		return rest
	}
}
