package config

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"

	"go.yaml.in/yaml/v4"
)

// Load reads the policy file at path. A file with mistakes gives an Errors
// with all of them.
func Load(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("policy file: %w", err)
	}
	defer f.Close()
	data, err := ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("policy file: %w", err)
	}
	return Parse(path, data)
}

// ReadAll reads a policy file from r, and not much more than a policy file may
// hold: Parse refuses the excess.
func ReadAll(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, maxFile+1)) }

// Parse reads a policy file from memory. Name stands for it in messages. A
// file with mistakes gives an Errors with all of them, in the order of the
// text; a syntax error hides what follows it.
func Parse(name string, data []byte) (*File, error) {
	f, d := parse(name, data, false)
	if len(d.errs) > 0 {
		d.errs.sort()
		return nil, d.errs
	}
	return f, nil
}

// parse reads a file. With record it keeps the values in effect too.
func parse(name string, data []byte, record bool) (*File, *decoder) {
	d := newDecoder(name, policyFile)
	d.record = record
	f := &File{name: name, text: bytes.Clone(data)}
	top := d.root(data)
	if top == nil {
		return f, d
	}
	objectOf(top, "keys such as version: 1, service: and dependencies:").top(f)
	d.cross()
	d.sortWarnings()
	f.warnings = d.warnings
	return f, d
}

// root turns the text into a tree that is safe to walk, or records why not and
// returns nil.
func (d *decoder) root(data []byte) *field {
	d.measure(data)
	root := d.parseYAML(data)
	if root == nil || !d.checkGraph(root) {
		return nil
	}
	top := &field{d: d, node: resolve(root)}
	if top.node.Kind == yaml.ScalarNode && top.node.ShortTag() == "!!null" {
		top.fail("the file is empty", d.genre.begin)
		return nil
	}
	if d.genre.mistaken(top.node) {
		// One mistake, and not one for each key that the other kind has.
		top.fail(d.genre.swap[0], d.genre.swap[1])
		return nil
	}
	return top
}

// mistaken reports whether a file is of the other kind.
func (g genre) mistaken(top *yaml.Node) bool {
	if top.Kind != yaml.MappingNode {
		return false
	}
	has := func(key string) bool {
		for i := 0; i+1 < len(top.Content); i += 2 {
			if top.Content[i].Value == key {
				return true
			}
		}
		return false
	}
	for _, key := range g.other {
		if !has(key) {
			return false
		}
	}
	return !slices.ContainsFunc(g.own, has)
}

func (d *decoder) sortWarnings() {
	slices.SortStableFunc(d.warnings, func(a, b Warning) int {
		return byPlace((*Error)(&a), (*Error)(&b))
	})
}
