package foreign

import (
	"strconv"
	"strings"
)

const maxName = 63

// cleanName turns text into a name that the policy file accepts, and reports
// whether it is the same still. Of a text that is too long it keeps the end,
// which tells long names apart more often than their beginning.
func cleanName(text string) (name string, same bool) {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9',
			r == '.', r == '_', r == '-':
			b.WriteRune(r)
		default:
			b.WriteByte('-')
		}
	}
	name = b.String()
	if len(name) > maxName {
		name = name[len(name)-maxName:]
	}
	name = strings.Trim(name, "-._")
	if name == "" {
		name = "unnamed"
	}
	return name, name == text
}

func sameName(same bool) (Fate, string) {
	if same {
		return Mapped, ""
	}
	return Approximated, "changed to letters, digits, dots, hyphens and underscores"
}

// showName writes a name such that YAML takes it for text.
func showName(name string) string {
	switch strings.ToLower(name) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		return quoted(name)
	}
	if c := name[0]; c >= '0' && c <= '9' {
		return quoted(name)
	}
	return name
}

// namer gives out names once each.
type namer struct {
	taken map[string]bool
	next  map[string]int // the number to try next, so that many alike stay cheap
}

func newNamer() *namer { return &namer{taken: map[string]bool{}, next: map[string]int{}} }

// unique returns name, or name with a number if it is taken.
func (u *namer) unique(name string) string {
	if !u.taken[name] {
		u.taken[name] = true
		return name
	}
	for n := max(u.next[name], 2); ; n++ {
		tail := "-" + strconv.Itoa(n)
		numbered := name[:min(len(name), maxName-len(tail))] + tail
		if !u.taken[numbered] {
			u.taken[numbered] = true
			u.next[name] = n + 1
			return numbered
		}
	}
}
