package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Set changes one key of a policy or scenario file and returns the new text.
// The path is written as in messages and in Effective: names joined by dots, in
// lists an index from 0 or the name of an entry, and names that hold a dot in
// quotes. What is not there yet is added; an empty value removes the key.
// Nothing else changes its meaning: aliases are written out first, so that a
// change stays where it was made. Whether the new text is a file without
// mistakes is for Parse and ParseScenario to say.
func Set(data []byte, path, value string) ([]byte, error) {
	root, err := treeOf(data)
	if err != nil {
		return nil, err
	}
	keys, err := splitPath(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	e := edit{keys: keys}
	if value = strings.TrimSpace(value); value != "" {
		if e.value, err = treeOf([]byte(value)); err != nil {
			return nil, fmt.Errorf("%s: %q is not a value of YAML", path, shorten(value))
		}
	}
	if err := e.change(root, 0); err != nil {
		return nil, err
	}
	return yaml.Dump(root)
}

// treeOf reads YAML into a tree without aliases.
func treeOf(data []byte) (*yaml.Node, error) {
	d := newDecoder("", scenarioFile)
	root := d.parseYAML(data)
	if root == nil || !d.checkGraph(root) || len(d.errs) > 0 {
		return nil, d.errs
	}
	return copyOf(root), nil
}

// copyOf copies a tree, and writes its aliases out.
func copyOf(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		c := copyOf(n.Alias)
		c.HeadComment, c.LineComment, c.FootComment = n.HeadComment, n.LineComment, n.FootComment
		return c
	}
	c := *n
	c.Anchor = ""
	c.Content = nil
	for _, child := range n.Content {
		c.Content = append(c.Content, copyOf(child))
	}
	return &c
}

// splitPath cuts a path at its dots, but not within quotes.
func splitPath(path string) (keys []string, err error) {
	for rest := path; ; {
		var key string
		if strings.HasPrefix(rest, `"`) {
			end := strings.Index(rest[1:], `"`) + 1
			if end == 0 {
				return nil, errors.New("a quote is not closed")
			}
			key, rest = rest[1:end], rest[end+1:]
			if rest != "" && rest[0] != '.' {
				return nil, errors.New("a dot should follow the quote")
			}
		} else {
			end := strings.IndexByte(rest+".", '.')
			key, rest = rest[:end], rest[end:]
		}
		if key == "" || !utf8.ValidString(key) {
			return nil, errors.New("is not a key; give one such as services.checkout.workers")
		}
		keys = append(keys, key)
		if rest == "" {
			return keys, nil
		}
		rest = rest[1:]
	}
}

// edit is a change of the value at keys. A nil value removes the key.
type edit struct {
	keys  []string
	value *yaml.Node
}

// path writes the first n keys as messages do.
func (e *edit) path(n int) (path string) {
	for _, key := range e.keys[:n] {
		path = join(path, key)
	}
	return path
}

// shortForms are the keys that may hold one bare value instead of a section,
// and which of the section's keys it stands for.
var shortForms = map[string]string{"open": "for", "trials": "calls", "queue": "rule",
	"fallback": "order", "back": "after", "consecutive": "errors", "success-rate": "sigma",
	"failures": "share", "latency": "factor", "work": "floor", "think": "floor", "delay": "floor",
	"slo": "objectives"}

// spellOut makes a section of a bare value that stands for one.
func (e *edit) spellOut(n *yaml.Node, depth int) {
	if depth == 0 || n.Kind == yaml.MappingNode || n.Value == off {
		return
	}
	if _, err := strconv.Atoi(e.keys[depth]); err == nil {
		return // an entry of a list
	}
	if first := shortForms[e.keys[depth-1]]; first != "" {
		bare := *n
		*n = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: yaml.FlowStyle}
		add(n, first, &bare)
	}
}

// change carries the edit out below n, which the first depth keys lead to.
func (e *edit) change(n *yaml.Node, depth int) error {
	e.spellOut(n, depth)
	switch n.Kind {
	case yaml.MappingNode:
		return e.inMapping(n, depth)
	case yaml.SequenceNode:
		return e.inList(n, depth)
	}
	at := e.path(depth)
	return fmt.Errorf("%s is %s, which is no section; give all of it, such as %s={%s: ...}",
		at, shown(n.Value), at, e.keys[depth])
}

func (e *edit) inMapping(n *yaml.Node, depth int) error {
	key := e.keys[depth]
	last := depth == len(e.keys)-1
	switch {
	case last && e.value == nil:
		if !remove(n, key) {
			return fmt.Errorf("%s is not there to be removed", e.path(depth+1))
		}
		return nil
	case depth == 1 && isNames(e.keys[0]) && lookUp(n, key) == nil:
		return e.noSuch(n, depth)
	}
	child := own(n, key)
	switch {
	case last && child == nil:
		add(n, key, e.value)
	case last:
		*child = *e.value
	case child == nil && e.value == nil:
		return fmt.Errorf("%s is not there to be removed", e.path(len(e.keys)))
	case child == nil:
		child = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		add(n, key, child)
		return e.change(child, depth+1)
	default:
		return e.change(child, depth+1)
	}
	return nil
}

// isNames reports whether a section is a list of names. A name that is not
// there is a slip: with it added, the change would do nothing.
func isNames(section string) bool {
	return section == "dependencies" || section == "services" || section == "clients"
}

func (e *edit) noSuch(n *yaml.Node, depth int) error {
	var names []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		names = append(names, n.Content[i].Value)
	}
	fix := "give one of " + strings.Join(names[:min(len(names), 10)], ", ")
	if near := nearest(e.keys[depth], names); near != "" {
		fix = "did you mean " + near + "?"
	}
	return fmt.Errorf("%s is not there; %s", e.path(depth+1), fix)
}

func (e *edit) inList(n *yaml.Node, depth int) error {
	key := e.keys[depth]
	at := -1
	if i, err := strconv.Atoi(key); err == nil {
		at = i
	}
	for i, item := range n.Content {
		name := lookUp(item, "name")
		if at < 0 && (name != nil && name.Value == key || item.Kind == yaml.ScalarNode && item.Value == key) {
			at = i
		}
	}
	if at < 0 || at >= len(n.Content) {
		return fmt.Errorf("%s has no entry %s; give one from 0 to %d", e.path(depth), key,
			len(n.Content)-1)
	}
	switch {
	case depth < len(e.keys)-1:
		return e.change(n.Content[at], depth+1)
	case e.value == nil:
		n.Content = append(n.Content[:at], n.Content[at+1:]...)
	default:
		n.Content[at] = e.value
	}
	return nil
}
