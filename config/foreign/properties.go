package foreign

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// readProperties reads a Java properties file into a mapping whose keys are
// the whole keys of the file.
func readProperties(data []byte) (*node, error) {
	root := &node{kind: mapping, line: 1}
	g := &grower{}
	for text := range logicalLines(string(data)) {
		if err := g.grow(0); err != nil {
			return nil, err
		}
		key, value := cutProperty(text.text)
		root.add(&node{key: unescape(key), line: text.line, text: unescape(value)})
	}
	if len(root.kids) == 0 {
		return nil, errEmpty
	}
	return root, nil
}

// logical is a line of a properties file with those that continue it.
type logical struct {
	text string
	line int
}

// logicalLines yields the lines that hold a property.
func logicalLines(data string) func(yield func(logical) bool) {
	data = strings.ReplaceAll(strings.TrimPrefix(data, "\ufeff"), "\r\n", "\n")
	data = strings.ReplaceAll(data, "\r", "\n")
	return func(yield func(logical) bool) {
		var open strings.Builder
		number, begin := 0, 0
		for text := range strings.Lines(data) {
			number++
			text = strings.TrimLeft(strings.TrimSuffix(text, "\n"), " \t\f")
			if open.Len() == 0 {
				if text == "" || text[0] == '#' || text[0] == '!' {
					continue
				}
				begin = number
			}
			if goesOn(text) {
				open.WriteString(text[:len(text)-1])
				continue
			}
			open.WriteString(text)
			if !yield(logical{open.String(), begin}) {
				return
			}
			open.Reset()
		}
		if open.Len() > 0 {
			yield(logical{open.String(), begin})
		}
	}
}

// goesOn reports whether a line ends in an odd number of backslashes.
func goesOn(text string) bool {
	return (len(text)-len(strings.TrimRight(text, `\`)))%2 == 1
}

// cutProperty splits a line at the first =, : or blank that is not escaped.
func cutProperty(text string) (key, value string) {
	end := len(text)
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			i++
			continue
		}
		if strings.IndexByte("=: \t\f", text[i]) >= 0 {
			end = i
			break
		}
	}
	key, value = text[:end], strings.TrimLeft(text[end:], " \t\f")
	if value != "" && (value[0] == '=' || value[0] == ':') {
		value = strings.TrimLeft(value[1:], " \t\f")
	}
	return key, strings.TrimRight(value, " \t\f")
}

// unescape resolves backslashes.
func unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch c := text[i]; c {
		case 't':
			b.WriteByte('\t')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 'f':
			b.WriteByte('\f')
		case 'u':
			if v, err := strconv.ParseUint(text[i+1:min(i+5, len(text))], 16, 16); err == nil &&
				i+5 <= len(text) {
				b.WriteRune(rune(v))
				i += 4
				continue
			}
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
