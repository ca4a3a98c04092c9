package tune

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// splice replaces a piece of a text.
type splice struct {
	from, to int // bytes
	text     string
}

// page is a text of YAML with its tree.
type page struct {
	text  string
	lines []int // where each begins
	root  *yaml.Node
	edits []splice
}

func newPage(text []byte) (*page, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("the file is no mapping")
	}
	p := &page{text: string(text), root: doc.Content[0], lines: []int{0}}
	for i := range p.text {
		if p.text[i] == '\n' {
			p.lines = append(p.lines, i+1)
		}
	}
	return p, nil
}

// setText changes one key of a file in its text, and leaves everything else as
// it is: comments, order, anchors. Who shares the value by an anchor keeps what
// it has: it gets the old value as its own. What cannot be done in the text
// without that is an error.
func setText(text []byte, keys []string, value string) ([]byte, error) {
	p, err := newPage(text)
	if err != nil {
		return nil, err
	}
	if err := p.set(keys, value); err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(keys, "."), err)
	}
	return p.done()
}

// done carries the edits out, from the last to the first.
func (p *page) done() ([]byte, error) {
	slices.SortStableFunc(p.edits, func(a, b splice) int { return b.from - a.from })
	out := p.text
	before := len(out) + 1
	for _, e := range p.edits {
		if e.to > before || e.from < 0 || e.to < e.from {
			return nil, errors.New("two changes meet at one place")
		}
		out = out[:e.from] + e.text + out[e.to:]
		before = e.from
	}
	return []byte(out), nil
}

// step is a mapping on the way to a key.
type step struct {
	node *yaml.Node
	rest []string // keys from here
}

func (p *page) set(keys []string, value string) error {
	node := p.root
	var way []step
	for i, key := range keys {
		way = append(way, step{node, keys[i:]})
		last := i == len(keys)-1
		child := ownValue(node, key)
		switch {
		case child == nil:
			if err := p.keepOthers(way); err != nil {
				return err
			}
			return p.insert(node, key, nested(anyValue(node, key), keys[i+1:], value))
		case last:
			if child.Anchor != "" {
				return errors.New("the value has an anchor of its own")
			}
			if err := p.keepOthers(way); err != nil {
				return err
			}
			return p.replace(child, value)
		case child.Kind == yaml.AliasNode:
			if err := p.keepOthers(way); err != nil {
				return err
			}
			rest := nested(anyValue(child.Alias, keys[i+1]), keys[i+2:], value)
			return p.replace(child, fmt.Sprintf("{<<: *%s, %s: %s}", child.Value, plainKey(keys[i+1]), rest))
		case child.Kind != yaml.MappingNode:
			return errors.New("is one value and no section")
		}
		node = child
	}
	return errors.New("names no key")
}

// keepOthers gives those who share a mapping on the way, by its anchor, the old
// value of the key as their own.
func (p *page) keepOthers(way []step) error {
	for _, s := range way {
		if s.node.Anchor == "" {
			continue
		}
		old := anyValue(s.node, s.rest[0])
		for _, u := range p.usesOf(s.node) {
			switch {
			case u.parent.Kind != yaml.MappingNode:
				return errors.New("a list shares it")
			case isMerge(u.key) && ownValue(u.parent, s.rest[0]) != nil:
				continue // has its own
			case old == nil:
				return fmt.Errorf("others share *%s, and would get the key as well", s.node.Anchor)
			case isMerge(u.key):
				if err := p.insert(u.parent, s.rest[0], flow(old)); err != nil {
					return err
				}
			default:
				text := fmt.Sprintf("{<<: *%s, %s: %s}", s.node.Anchor, plainKey(s.rest[0]), flow(old))
				if err := p.replace(u.alias, text); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// use is an alias and where it stands.
type use struct{ parent, key, alias *yaml.Node }

func (p *page) usesOf(node *yaml.Node) (all []use) {
	var visit func(parent *yaml.Node)
	visit = func(parent *yaml.Node) {
		for i, c := range parent.Content {
			if c.Kind == yaml.AliasNode {
				if c.Alias == node {
					u := use{parent: parent, alias: c}
					if parent.Kind == yaml.MappingNode && i > 0 {
						u.key = parent.Content[i-1]
					}
					all = append(all, u)
				}
				continue
			}
			visit(c)
		}
	}
	visit(p.root)
	return all
}

// replace puts another text in the place of a value.
func (p *page) replace(n *yaml.Node, text string) error {
	from := p.offset(n.Line, n.Column)
	to, err := p.end(n, from)
	if err != nil {
		return err
	}
	p.edits = append(p.edits, splice{from, to, text})
	return nil
}

// insert adds a key to a mapping.
func (p *page) insert(n *yaml.Node, key, value string) error {
	entry := plainKey(key) + ": " + value
	from := p.offset(n.Line, n.Column)
	if n.Style&yaml.FlowStyle != 0 {
		open := from + strings.IndexByte(p.text[from:], '{')
		shut, err := p.matching(open)
		if err != nil {
			return err
		}
		inner := p.text[open+1 : shut]
		switch {
		case strings.TrimSpace(inner) == "":
			p.edits = append(p.edits, splice{open + 1, shut, entry})
		case strings.Contains(inner, "\n"): // there may be comments at its end
			p.edits = append(p.edits, splice{open + 1, open + 1, entry + ", "})
		default:
			last := open + 1 + len(strings.TrimRight(inner, " \t,"))
			p.edits = append(p.edits, splice{last, last, ", " + entry})
		}
		return nil
	}
	if len(n.Content) == 0 {
		return errors.New("the section is empty")
	}
	// After the last key whose value ends on its line: what follows may be
	// comments of the next.
	first := n.Content[0]
	line := first.Line - 1
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		start := p.offset(v.Line, v.Column)
		if end, err := p.end(v, start); err == nil && !strings.Contains(p.text[start:end], "\n") {
			line = max(line, k.Line)
		}
	}
	ending := "\n"
	if strings.Contains(p.text, "\r\n") {
		ending = "\r\n"
	}
	indent := p.text[p.lines[first.Line-1]:p.offset(first.Line, first.Column)]
	if strings.Trim(indent, " ") != "" { // the first key follows a hyphen
		indent = strings.Repeat(" ", utf8.RuneCountInString(indent))
	}
	if line >= len(p.lines) { // the text has no line break at its end
		p.edits = append(p.edits, splice{len(p.text), len(p.text), ending + indent + entry})
		return nil
	}
	at := p.lines[line]
	p.edits = append(p.edits, splice{at, at, indent + entry + ending})
	return nil
}

// offset is where a line and column, counted from 1, are. Columns are letters.
func (p *page) offset(line, column int) int {
	at := p.lines[min(max(line, 1), len(p.lines))-1]
	for range column - 1 {
		_, size := utf8.DecodeRuneInString(p.text[at:])
		at += size
	}
	return at
}

// end is where a value ends that begins at from.
func (p *page) end(n *yaml.Node, from int) (int, error) {
	rest := p.text[from:]
	switch {
	case n.Anchor != "" || n.Kind == 0:
		return 0, errors.New("the value has an anchor of its own")
	case n.Kind == yaml.AliasNode:
		if name := "*" + n.Value; strings.HasPrefix(rest, name) {
			return from + len(name), nil
		}
	case n.Kind == yaml.ScalarNode && n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		if size := quoted(rest); size > 0 {
			return from + size, nil
		}
	case n.Kind == yaml.ScalarNode && n.Value != "" && strings.HasPrefix(rest, n.Value):
		return from + len(n.Value), nil
	case n.Style&yaml.FlowStyle != 0 && rest != "" && (rest[0] == '{' || rest[0] == '['):
		shut, err := p.matching(from)
		return shut + 1, err
	}
	return 0, errors.New("the value is written in a form that is not changed in place")
}
