package foreign

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// kind is the shape of a node.
type kind uint8

const (
	scalar kind = iota
	list
	mapping
)

const (
	maxNodes = 1 << 17 // a megabyte of ordinary settings has far fewer
	maxDepth = 64
)

// node is one value of the input.
type node struct {
	kind kind
	key  string // as written; empty in a list
	line int
	text string // of a scalar
	null bool   // a scalar that holds no value
	pos  int    // place in its list
	kids []*node
	up   *node
	mark *mark
}

// mark is what a translator decided about a node: about all below it that have
// no mark of their own.
type mark struct {
	fate  Fate
	to    []target
	notes []string
}

// target is a key of the policy. Its path is asked for only when the policy is
// complete, because a block may still move.
type target struct {
	b   *block
	key string
}

// fold makes the spellings of one key equal: connect_timeout, connectTimeout,
// connect-timeout.
func fold(key string) string { return strings.ToLower(joiners.Replace(key)) }

var joiners = strings.NewReplacer("-", "", "_", "")

// get returns the value of a key, however it is spelled, or nil if it is not
// there or holds nothing. If it is written twice the last one counts, as in
// the readers of JSON.
func (n *node) get(key string) *node {
	if n == nil || n.kind != mapping {
		return nil
	}
	want := fold(key)
	var found *node
	for _, kid := range n.kids {
		if kid.null || !sameKey(kid.key, want) {
			continue
		}
		if found != nil && found.mark == nil {
			found.drop("written again on line " + strconv.Itoa(kid.line) + ", which counts")
		}
		found = kid
	}
	return found
}

// each returns the values of n that get would find, in one pass.
func (n *node) each() (found []*node) {
	if n == nil || n.kind != mapping {
		return nil
	}
	last := map[string]*node{}
	for _, kid := range n.kids {
		if !kid.null {
			last[fold(kid.key)] = kid
		}
	}
	for _, kid := range n.kids {
		switch final := last[fold(kid.key)]; {
		case kid.null:
		case final == kid:
			found = append(found, kid)
		default:
			kid.drop("written again on line " + strconv.Itoa(final.line) + ", which counts")
		}
	}
	return found
}

// sameKey is fold(key) == want, cheap for the many keys that are not.
func sameKey(key, want string) bool { return len(key) >= len(want) && fold(key) == want }

// section is get for a key that must hold a mapping, and items for a list.
func (n *node) section(key string) *node {
	if s := n.get(key); s != nil && s.kind == mapping {
		return s
	}
	return nil
}

func (n *node) items(key string) []*node {
	if l := n.get(key); l != nil && l.kind == list {
		return l.kids
	}
	return nil
}

// scalar is get for a key that must hold one value.
func (n *node) scalar(key string) *node {
	if s := n.get(key); s != nil && s.kind == scalar {
		return s
	}
	return nil
}

// says returns the text of a scalar, or "".
func (n *node) says() string {
	if n == nil {
		return ""
	}
	return n.text
}

// note records what became of n. A setting that is used twice, by two routes
// for example, is one setting with two targets; if it fared differently there,
// it is approximated.
func (n *node) note(fate Fate, to target, text string) {
	if n == nil {
		return
	}
	if n.mark == nil {
		n.mark = &mark{fate: fate}
	}
	m := n.mark
	if m.fate != fate {
		m.fate = Approximated
	}
	if to.b != nil {
		m.addTarget(to)
	}
	if text == "" {
		return
	}
	for _, before := range m.notes {
		if before == text {
			return
		}
	}
	m.notes = append(m.notes, text)
}

func (m *mark) addTarget(to target) {
	for _, before := range m.to {
		if before == to {
			return
		}
	}
	m.to = append(m.to, to)
}

// drop records that nothing in the policy stands for n, and why.
func (n *node) drop(why string) { n.note(Dropped, target{}, why) }

// path names n from the top of the input.
func (n *node) path() string {
	var parts []string
	for at := n; at.up != nil; at = at.up {
		switch {
		case at.up.kind == list:
			parts = append(parts, "["+strconv.Itoa(at.pos)+"]")
		default:
			parts = append(parts, clean(at.key, 200))
		}
	}
	var b strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		if b.Len() > 0 && !strings.HasPrefix(parts[i], "[") {
			b.WriteByte('.')
		}
		b.WriteString(parts[i])
	}
	if b.Len() == 0 {
		return "(all of it)"
	}
	if path := b.String(); len(path) > 400 {
		return path[:200] + "..." + path[len(path)-197:]
	}
	return b.String()
}

// short names n by its last two keys, for a comment.
func (n *node) short() string {
	var keys []string
	for at := n; at != nil && len(keys) < 2; at = at.up {
		if at.key != "" {
			parts := splitKey(at.key)
			for i := len(parts) - 1; i >= 0 && len(keys) < 2; i-- {
				keys = append(keys, parts[i])
			}
		}
	}
	slices.Reverse(keys)
	return clean(strings.Join(keys, "."), 80)
}

// add puts a kid below n.
func (n *node) add(kid *node) {
	kid.up, kid.pos = n, len(n.kids)
	n.kids = append(n.kids, kid)
}

// clean makes text of the input fit for a comment or a terminal: printable
// ASCII and no longer than limit.
func clean(text string, limit int) string {
	var b strings.Builder
	for _, r := range text {
		if b.Len() >= limit {
			b.WriteString("...")
			break
		}
		switch {
		case r >= ' ' && r < 0x7f:
			b.WriteRune(r)
		default:
			b.WriteByte('?')
		}
	}
	return b.String()
}

// shorten is clean for a value.
func shorten(text string) string {
	if !utf8.ValidString(text) {
		return "?"
	}
	return clean(text, 60)
}
