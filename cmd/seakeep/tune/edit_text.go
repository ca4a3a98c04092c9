package tune

import (
	"errors"
	"strconv"
	"strings"
)

// quoted is how long the quoted text is that s begins with; 0: it does not end.
func quoted(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[0] == '"' && s[i] == '\\':
			i++
		case s[i] == s[0] && s[0] == '\'' && i+1 < len(s) && s[i+1] == '\'':
			i++
		case s[i] == s[0]:
			return i + 1
		}
	}
	return 0
}

// matching is where the bracket at from is closed.
func (p *page) matching(from int) (int, error) {
	depth := 0
	for i := from; i < len(p.text); i++ {
		switch c := p.text[i]; c {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i, nil
			}
		case '"', '\'':
			if before := p.text[i-1]; strings.IndexByte(" \t\n,[{:", before) >= 0 {
				i += max(quoted(p.text[i:]), 1) - 1
			}
		case '#':
			if before := p.text[i-1]; before == ' ' || before == '\t' || before == '\n' {
				if end := strings.IndexByte(p.text[i:], '\n'); end >= 0 {
					i += end
				}
			}
		}
	}
	return 0, errors.New("a bracket is not closed")
}

// plainKey writes a key.
func plainKey(key string) string {
	if strings.ContainsAny(key, ":#{}[],&*!|>'\"%@` ") || key == "" {
		return strconv.Quote(key)
	}
	return key
}
