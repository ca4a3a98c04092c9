package config

import (
	"strconv"

	"go.yaml.in/yaml/v4"
)

// Places tells where the keys of a policy file stand.
type Places struct{ root *yaml.Node }

// Places returns where the keys of the file stand.
func (f *File) Places() *Places {
	d := newDecoder(f.name, policyFile)
	root := d.parseYAML(f.text)
	if root == nil || !d.checkGraph(root) {
		return &Places{}
	}
	return &Places{resolve(root)}
}

// Of returns where a key stands, by the paths of Set. Of a key that holds one
// value it is the value, of a section its key; of what an alias or a merge key
// brings, the alias, because that is written here. A key that is not written is
// where the section is that it would be in; written tells the two apart.
func (p *Places) Of(path string) (line, column int, written bool) {
	keys, err := splitPath(path)
	if err != nil || p.root == nil {
		return 1, 1, false
	}
	w := walk{node: p.root, at: p.root}
	for i, key := range keys {
		if i > 0 && w.short(keys[i-1], key) {
			continue
		}
		if !w.step(key) {
			return w.at.Line, w.at.Column, false
		}
	}
	return w.at.Line, w.at.Column, true
}

// walk is a way down a tree, and what to point at.
type walk struct {
	node, at *yaml.Node
	brought  bool // by an alias or a merge: what lies below is written elsewhere
}

// short reports whether the value at hand is the bare form of a section with
// this key.
func (w *walk) short(section, key string) bool {
	return w.node.Kind != yaml.MappingNode && shortForms[section] == key
}

func (w *walk) step(key string) bool {
	switch w.node.Kind {
	case yaml.MappingNode:
		return w.into(key)
	case yaml.SequenceNode:
		for i, item := range w.node.Content {
			name := lookUp(resolve(item), "name")
			if strconv.Itoa(i) == key || name != nil && name.Value == key {
				w.enter(item, item)
				return true
			}
		}
	}
	return false
}

// into goes to the value of a key that a mapping has itself, or merges in.
func (w *walk) into(key string) bool {
	n := w.node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key && !isMerge(n.Content[i]) {
			w.enter(n.Content[i], n.Content[i+1])
			return true
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !isMerge(n.Content[i]) {
			continue
		}
		for _, m := range merged(n) {
			below := walk{node: resolve(m), at: n.Content[i], brought: true}
			if w.brought {
				below.at = w.at
			}
			if below.into(key) {
				*w = below
				return true
			}
		}
	}
	return false
}

// enter goes to a value under its key; in a list both are the value.
func (w *walk) enter(key, value *yaml.Node) {
	w.node = resolve(value)
	if w.brought {
		return
	}
	w.at = key
	if value.Kind == yaml.ScalarNode || value.Kind == yaml.AliasNode {
		w.at = value
	}
	w.brought = value.Kind == yaml.AliasNode
}
