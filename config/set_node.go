package config

import "go.yaml.in/yaml/v4"

// lookUp returns the value of a key, its own or one merged in; nil: there is
// none.
func lookUp(n *yaml.Node, key string) *yaml.Node {
	if v := direct(n, key); v != nil {
		return v
	}
	for _, m := range merged(n) {
		if v := lookUp(m, key); v != nil {
			return v
		}
	}
	return nil
}

// direct returns the value that a mapping itself gives a key.
func direct(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key && !isMerge(n.Content[i]) {
			return n.Content[i+1]
		}
	}
	return nil
}

// merged returns the mappings that << takes keys from; earlier ones win.
func merged(n *yaml.Node) (from []*yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		v := n.Content[i+1]
		switch {
		case !isMerge(n.Content[i]):
		case v.Kind == yaml.SequenceNode:
			from = append(from, v.Content...)
		default:
			from = append(from, v)
		}
	}
	return from
}

// own is lookUp, but what was merged in becomes the mapping's own first, so
// that it can be changed in part.
func own(n *yaml.Node, key string) *yaml.Node {
	if v := direct(n, key); v != nil {
		return v
	}
	v := lookUp(n, key)
	if v == nil {
		return nil
	}
	v = copyOf(v)
	add(n, key, v)
	return v
}

func add(n *yaml.Node, key string, value *yaml.Node) {
	n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value)
}

// remove takes a key out, wherever the mapping has it from, and reports whether
// it was there. Merged mappings are copies of this one place.
func remove(n *yaml.Node, key string) (found bool) {
	if n.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key && !isMerge(n.Content[i]) {
			n.Content = append(n.Content[:i], n.Content[i+2:]...)
			found = true
			break
		}
	}
	for _, m := range merged(n) {
		found = remove(m, key) || found
	}
	return found
}
