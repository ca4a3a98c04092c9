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
	d := newDecoder(name)
	d.record = record
	d.measure(data)
	f := &File{name: name, text: bytes.Clone(data)}
	root := d.parseYAML(data)
	if root == nil || !d.checkGraph(root) {
		return f, d
	}
	node := resolve(root)
	top := &field{d: d, node: node}
	if node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null" {
		top.fail("the file is empty", emptyFix)
		return f, d
	}
	objectOf(top, "keys such as version: 1, service: and dependencies:").top(f)
	d.cross()
	slices.SortStableFunc(d.warnings, func(a, b Warning) int {
		return byPlace((*Error)(&a), (*Error)(&b))
	})
	f.warnings = d.warnings
	return f, d
}
