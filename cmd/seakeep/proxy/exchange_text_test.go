package proxy

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// wireCase is one exchange of bytes, as testdata/wire/README.md describes it.
type wireCase struct {
	name     string
	notes    []string // lines of their own, as they are in the file
	ladder   []string
	options  map[string]string
	differs  bool // a note says why net/http may give another result
	sections map[string]string
}

// The sections of a case, in their order in the file.
const (
	clientSends  = "client sends"
	depAnswers   = "dependency answers"
	depGets      = "dependency gets"
	clientGets   = "client gets"
	otherDepGets = "with net/http the dependency gets"
	otherGets    = "with net/http the client gets"
)

var sectionOrder = []string{clientSends, depAnswers, depGets, clientGets, otherDepGets, otherGets}

// parseWire reads a file of cases.
func parseWire(t *testing.T, text string) (head string, cases []*wireCase) {
	t.Helper()
	parts := strings.Split("\n"+strings.TrimSuffix(text, "\n")+"\n", "\n=== ")
	for _, part := range parts[1:] {
		name, rest, _ := strings.Cut(part, "\n")
		c := &wireCase{name: name, options: map[string]string{}, sections: map[string]string{}}
		pieces := strings.Split("\n"+rest, "\n--- ")
		for _, line := range strings.Split(strings.Trim(pieces[0], "\n"), "\n") {
			if line == "" {
				continue
			}
			c.notes = append(c.notes, line)
			key, value, ok := strings.Cut(line, ": ")
			switch {
			case !ok || key == "why":
			case key == "ladder":
				c.ladder = append(c.ladder, value)
			case key == "differs":
				c.differs = true
			default:
				c.options[key] = value
			}
		}
		for i, piece := range pieces[1:] {
			title, body, _ := strings.Cut(piece, "\n")
			if i == len(pieces)-2 { // the line between cases
				body = strings.TrimSuffix(body, "\n")
			}
			c.sections[title] = body
		}
		cases = append(cases, c)
	}
	return strings.TrimPrefix(parts[0], "\n"), cases
}

// String is the case as it is in its file.
func (c *wireCase) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "=== %s\n", c.name)
	for _, line := range c.notes {
		fmt.Fprintln(&b, line)
	}
	for _, title := range sectionOrder {
		if body, ok := c.sections[title]; ok {
			fmt.Fprintf(&b, "--- %s\n%s\n", title, body)
		}
	}
	return b.String()
}

// step is bytes to send, or something to do.
type step struct{ do, bytes string }

var (
	repeated = regexp.MustCompile(`(?s)\{(\d+)\*(.+?)\}`)
	escapes  = regexp.MustCompile(`\\(x[0-9a-f]{2}|r|n|t|\\)`)
)

// steps reads what one side does: lines of bytes, which end in CR LF unless
// they end in a backslash, and lines that begin with @.
func steps(body string) (all []step) {
	for _, line := range strings.Split(body, "\n") {
		if do, ok := strings.CutPrefix(line, "@"); ok {
			all = append(all, step{do: do})
			continue
		}
		if n := len(all); n == 0 || all[n-1].do != "" {
			all = append(all, step{})
		}
		all[len(all)-1].bytes += unescape(line)
	}
	return all
}

func unescape(line string) string {
	end := "\r\n"
	if rest, ok := strings.CutSuffix(line, `\`); ok && !strings.HasSuffix(rest, `\`) {
		line, end = rest, ""
	}
	line = escapes.ReplaceAllStringFunc(line, func(e string) string {
		switch e[1] {
		case 'r':
			return "\r"
		case 'n':
			return "\n"
		case 't':
			return "\t"
		case '\\':
			return `\`
		}
		n, _ := strconv.ParseUint(e[2:], 16, 8)
		return string([]byte{byte(n)})
	})
	for range 2 { // repetitions of repetitions
		line = repeated.ReplaceAllStringFunc(line, func(e string) string {
			m := repeated.FindStringSubmatch(e)
			n, _ := strconv.Atoi(m[1])
			return strings.Repeat(m[2], n)
		})
	}
	return line + end
}

// escape writes bytes in the way that unescape reads. Messages, between which
// ordered has put marks, begin on lines of their own.
func escape(text string) string {
	var b strings.Builder
	last, same := "", 1
	again := func() {
		if same > 1 {
			fmt.Fprintf(&b, "@%d times\n", same)
		}
		same = 1
	}
	for message := range strings.SplitSeq(text, mark) {
		if message == last && message != "" {
			same++
			continue
		}
		again()
		last = message
		escapeTo(&b, message)
	}
	again()
	return b.String()
}

func escapeTo(b *strings.Builder, text string) {
	for text != "" {
		line, rest, ended := strings.Cut(text, "\r\n")
		if ended || line != "" {
			b.WriteString(escapeLine(line))
			if !ended {
				b.WriteByte('\\')
			}
			b.WriteByte('\n')
		}
		text = rest
	}
}

func escapeLine(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); {
		n := 1
		for i+n < len(line) && line[i+n] == line[i] {
			n++
		}
		one := strconv.Quote(line[i : i+1])
		if one = one[1 : len(one)-1]; one == `\"` {
			one = `"`
		}
		if n >= 40 {
			fmt.Fprintf(&b, "{%d*%s}", n, one)
		} else {
			n = 1
			b.WriteString(one)
		}
		i += n
	}
	return b.String()
}
