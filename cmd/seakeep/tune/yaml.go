package tune

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

func isMerge(key *yaml.Node) bool {
	return key != nil && key.Value == "<<" && key.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0
}

// ownValue is what a mapping itself gives a key; nil: nothing.
func ownValue(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key && !isMerge(n.Content[i]) {
			return n.Content[i+1]
		}
	}
	return nil
}

// anyValue is ownValue, or what is merged in.
func anyValue(n *yaml.Node, key string) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if v := ownValue(n, key); v != nil {
		return v
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if !isMerge(n.Content[i]) {
			continue
		}
		from := []*yaml.Node{n.Content[i+1]}
		if from[0].Kind == yaml.SequenceNode {
			from = from[0].Content
		}
		for _, f := range from {
			if v := anyValue(f, key); v != nil {
				return v
			}
		}
	}
	return nil
}

// nested writes a value below keys, with what else old has there.
func nested(old *yaml.Node, keys []string, value string) string {
	if len(keys) == 0 {
		return value
	}
	if old != nil && old.Kind == yaml.AliasNode {
		old = old.Alias
	}
	var parts []string
	if old != nil && old.Kind == yaml.MappingNode {
		for _, e := range entries(old) {
			if e.key != keys[0] {
				parts = append(parts, plainKey(e.key)+": "+flow(e.value))
			}
		}
		old = anyValue(old, keys[0])
	} else {
		old = nil
	}
	parts = append(parts, plainKey(keys[0])+": "+nested(old, keys[1:], value))
	return "{" + strings.Join(parts, ", ") + "}"
}

type entry struct {
	key   string
	value *yaml.Node
}

// entries are those of a mapping, its own before those merged in.
func entries(n *yaml.Node) (all []entry) {
	seen := map[string]bool{}
	var visit func(*yaml.Node)
	visit = func(n *yaml.Node) {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if k := n.Content[i]; !isMerge(k) && !seen[k.Value] {
				seen[k.Value] = true
				all = append(all, entry{k.Value, n.Content[i+1]})
			}
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !isMerge(n.Content[i]) {
				continue
			}
			if v := n.Content[i+1]; v.Kind == yaml.SequenceNode {
				for _, f := range v.Content {
					visit(f)
				}
			} else {
				visit(v)
			}
		}
	}
	visit(n)
	return all
}

// flow writes a value on one line, without anchors and aliases.
func flow(n *yaml.Node) string {
	switch n.Kind {
	case yaml.AliasNode:
		return flow(n.Alias)
	case yaml.MappingNode:
		var parts []string
		for _, e := range entries(n) {
			parts = append(parts, plainKey(e.key)+": "+flow(e.value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case yaml.SequenceNode:
		var parts []string
		for _, c := range n.Content {
			parts = append(parts, flow(c))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 ||
		strings.ContainsAny(n.Value, "{}[],#") || strings.Contains(n.Value, ": ") {
		return strconv.Quote(n.Value)
	}
	return fmt.Sprint(n.Value)
}
