package foreign

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

var (
	errTooMany = errors.New("the input holds more than 131072 values, aliases written out; " +
		"import it in parts")
	errTooDeep = errors.New("the input nests deeper than 64 levels; is it what you mean?")
	errEmpty   = errors.New("the input is empty")
)

// grower builds a tree and keeps it within bounds.
type grower struct{ nodes int }

// grow counts one more node, at a depth.
func (g *grower) grow(depth int) error {
	if g.nodes++; g.nodes > maxNodes {
		return errTooMany
	}
	if depth > maxDepth {
		return errTooDeep
	}
	return nil
}

// readTree reads one document, of YAML or JSON.
func readTree(data []byte) (*node, error) {
	docs, err := readDocuments(data)
	switch {
	case err != nil:
		return nil, err
	case len(docs) > 1:
		return nil, fmt.Errorf("line %d: a second document starts here; import each by itself",
			docs[1].line)
	}
	return docs[0], nil
}

// readDocuments reads all documents of the input, at least one. JSON is read
// as JSON if it is, because YAML has other escapes in its strings.
func readDocuments(data []byte) ([]*node, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("the input is not UTF-8 text")
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	begin := bytes.TrimLeft(data, " \t\r\n")
	var failed error
	if len(begin) > 0 && (begin[0] == '{' || begin[0] == '[') {
		root, err := readJSON(data)
		if err == nil {
			return []*node{root}, nil
		}
		failed = err
	}
	docs, err := readYAML(data)
	if err != nil && failed != nil {
		return nil, failed // it looks like JSON, so tell what is wrong with that
	}
	return docs, err
}

func readYAML(data []byte) ([]*node, error) {
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("not YAML: %w", err)
	}
	g := &grower{}
	var docs []*node
	for {
		var doc yaml.Node
		err := loader.Load(&doc)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, yamlError(err)
		}
		if len(doc.Content) != 1 || doc.Content[0].ShortTag() == "!!null" {
			continue
		}
		root, err := g.yaml(doc.Content[0], 0)
		if err != nil {
			return nil, err
		}
		docs = append(docs, root)
	}
	if len(docs) == 0 {
		return nil, errEmpty
	}
	return docs, nil
}

func yamlError(err error) error {
	var load *yaml.LoadError
	if errors.As(err, &load) {
		return fmt.Errorf("line %d: not YAML: %s", max(load.Mark.Line, 1), load.Message)
	}
	return fmt.Errorf("not YAML: %w", err)
}

// yaml turns a node of the library into ours. An alias becomes a copy of what
// it stands for; one that contains itself ends at the bound of the depth.
func (g *grower) yaml(y *yaml.Node, depth int) (*node, error) {
	if y.Kind == yaml.AliasNode {
		return g.yaml(y.Alias, depth+1)
	}
	if err := g.grow(depth); err != nil {
		return nil, err
	}
	n := &node{line: y.Line, text: y.Value}
	switch y.Kind {
	case yaml.SequenceNode:
		n.kind = list
		for _, item := range y.Content {
			kid, err := g.yaml(item, depth+1)
			if err != nil {
				return nil, err
			}
			n.add(kid)
		}
	case yaml.MappingNode:
		n.kind = mapping
		if err := g.pairs(n, y, depth); err != nil {
			return nil, err
		}
	default:
		n.null = y.ShortTag() == "!!null"
	}
	return n, nil
}

// pairs adds the keys of a mapping, those written there before those that a
// merge key brings in.
func (g *grower) pairs(n *node, y *yaml.Node, depth int) error {
	var merged []*yaml.Node
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, value := y.Content[i], y.Content[i+1]
		if key.Tag == "!!merge" {
			merged = append(merged, value)
			continue
		}
		kid, err := g.yaml(value, depth+1)
		if err != nil {
			return err
		}
		if kid.key = keyText(key); key.Kind == yaml.ScalarNode {
			kid.line = key.Line
		}
		n.add(kid)
	}
	for _, m := range merged {
		if err := g.merge(n, m, depth); err != nil {
			return err
		}
	}
	return nil
}

// merge adds the keys of from that n does not have.
func (g *grower) merge(n *node, from *yaml.Node, depth int) error {
	if err := g.grow(depth); err != nil {
		return err
	}
	if from.Kind == yaml.AliasNode {
		from = from.Alias
	}
	switch from.Kind {
	case yaml.SequenceNode:
		for _, item := range from.Content {
			if err := g.merge(n, item, depth+1); err != nil {
				return err
			}
		}
	case yaml.MappingNode:
		under := &node{kind: mapping}
		if err := g.pairs(under, from, depth+1); err != nil {
			return err
		}
		have := map[string]bool{}
		for _, kid := range n.kids {
			have[kid.key] = true
		}
		for _, kid := range under.kids {
			if !have[kid.key] {
				n.add(kid)
			}
		}
	}
	return nil
}

// keyText is a key as text. One that is no scalar has no name to ask for.
func keyText(key *yaml.Node) string {
	if key.Kind == yaml.ScalarNode {
		return key.Value
	}
	return "key on line " + strconv.Itoa(key.Line)
}
