package config

import (
	"fmt"

	"go.yaml.in/yaml/v4"
)

// maxNodes bounds what aliases may expand to. A file of the largest size that
// repeats nothing stays below it by far.
const maxNodes = 1 << 18

// graph checks the tree of nodes before anything is read from it: no key
// twice, no alias that contains itself, no expansion without bound, no tag of
// somebody else's language. Afterwards every walk over the tree ends soon.
type graph struct {
	d    *decoder
	size map[*yaml.Node]int // nodes below, aliases expanded; -1 while being counted
}

// checkGraph reports whether the tree is safe to walk.
func (d *decoder) checkGraph(root *yaml.Node) bool {
	g := &graph{d: d, size: map[*yaml.Node]int{}}
	before := len(d.errs)
	total := g.visit(root)
	if total > maxNodes && len(d.errs) == before {
		d.failAt(root.Line, root.Column, "",
			fmt.Sprintf("the aliases expand to more than %d values", maxNodes),
			"write less with aliases")
	}
	return total >= 0 && total <= maxNodes
}

// visit returns how many nodes n stands for, saturating above maxNodes, or -1
// if it contains itself.
func (g *graph) visit(n *yaml.Node) int {
	if size, seen := g.size[n]; seen {
		return size
	}
	if n.Kind == yaml.AliasNode {
		size := g.visit(n.Alias)
		if size < 0 {
			g.d.failAt(n.Line, n.Column, "", fmt.Sprintf("the alias *%s contains itself", n.Value),
				"write the value out")
		}
		return size
	}
	g.size[n] = -1
	total := 1
	if n.Kind == yaml.MappingNode {
		g.keys(n)
	}
	if custom(n) {
		g.d.failAt(n.Line, n.Column, "",
			fmt.Sprintf("the tag %q means nothing here", shorten(n.Tag)), "remove it")
	}
	looped := false
	for _, child := range n.Content {
		size := g.visit(child)
		looped = looped || size < 0
		total = min(total+max(size, 0), maxNodes+1)
	}
	if looped {
		total = -1
	}
	g.size[n] = total
	return total
}

// custom reports whether a tag asks for something other than the plain types.
func custom(n *yaml.Node) bool {
	switch n.ShortTag() {
	case "!!map", "!!seq", "!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp",
		"!!merge", "": // an alias has none
		return false
	}
	return true
}

// keys checks the keys of one mapping.
func (g *graph) keys(n *yaml.Node) {
	first := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], resolve(n.Content[i+1])
		if key.Kind != yaml.ScalarNode {
			g.d.failAt(key.Line, key.Column, "", "a key must be a plain word", "")
			continue
		}
		if isMerge(key) && !mergeable(value) {
			g.d.failAt(key.Line, key.Column, "", "<< needs a mapping to take keys from",
				"give an alias such as *name, or a list of aliases")
		}
		if before, twice := first[key.Value]; twice {
			g.d.failAt(key.Line, key.Column, "",
				fmt.Sprintf("the key %q is already on line %d", shorten(key.Value), before.Line),
				"remove one of them")
			continue
		}
		first[key.Value] = key
	}
}

func isMerge(key *yaml.Node) bool { return key.Tag == "!!merge" }

func mergeable(n *yaml.Node) bool {
	if n.Kind == yaml.MappingNode {
		return true
	}
	if n.Kind != yaml.SequenceNode {
		return false
	}
	for _, item := range n.Content {
		if resolve(item).Kind != yaml.MappingNode {
			return false
		}
	}
	return true
}

// resolve follows an alias to what it stands for.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}
