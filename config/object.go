package config

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// decoder collects what the readers find.
type decoder struct {
	file     string
	genre    genre
	errs     Errors
	warnings []Warning
	reported map[mistake]bool
	values   []Effective
	noted    map[string]bool // paths in values
	record   bool            // keep values
	known    map[string]bool // patterns of all keys that were asked for
	failures int             // mistakes met so far, those reported before included

	lastLine, lastColumn int // where the text ends

	crossings
}

// mistake identifies an error. The same text is often read twice, through an
// alias or by each operation that inherits it, but must be mended only once.
type mistake struct {
	line, column int
	key, problem string
}

func newDecoder(file string, g genre) *decoder {
	return &decoder{file: file, genre: g, reported: map[mistake]bool{}, noted: map[string]bool{},
		known: map[string]bool{}}
}

// measure finds the end of the text. YAML places what is missing at the end
// one line further, where nobody can look.
func (d *decoder) measure(data []byte) {
	for line := range lines(string(data)) {
		d.lastLine++
		d.lastColumn = utf8.RuneCountInString(line) + 1
	}
}

func (d *decoder) failAt(line, column int, path, problem, fix string) {
	d.failures++
	if line > d.lastLine && d.lastLine > 0 {
		line, column = d.lastLine, d.lastColumn
	}
	m := mistake{line, column, path[strings.LastIndexByte(path, '.')+1:], problem}
	if d.reported[m] {
		return
	}
	d.reported[m] = true
	d.errs = append(d.errs, &Error{File: d.file, Line: line, Column: column, Path: path,
		Problem: problem, Fix: fix})
}

// field is a value and where it stands: under a key, or in a list.
type field struct {
	d         *decoder
	key       *yaml.Node // nil in a list
	node      *yaml.Node // never an alias
	path      string     // where it is written
	pattern   string     // path with * for names and [] for indices
	inherited bool       // an operation's, taken from its dependency
}

// fail records a mistake in the value.
func (f *field) fail(problem, fix string) {
	f.d.failAt(f.node.Line, f.node.Column, f.path, problem, fix)
}

// failKey records a mistake in the key.
func (f *field) failKey(problem, fix string) {
	at := f.node
	if f.key != nil {
		at = f.key
	}
	f.d.failAt(at.Line, at.Column, f.path, problem, fix)
}

// object is a mapping while it is being read. A missing one reads like an
// empty one, so that defaults are found and shown in one place.
type object struct {
	d       *decoder
	path    string // where its values take effect
	pattern string
	at      *yaml.Node // what to point at when a key is missing
	fields  map[string]*field
	order   []string // keys as written
	asked   []string // keys that readers know
	base    *object  // what lies beneath: the dependency's, for an operation
	broken  bool     // it is no mapping, which is already reported
	clean   int      // decoder.failures when reading began
}

func (d *decoder) object(path, pattern string, at *yaml.Node) *object {
	return &object{d: d, path: path, pattern: pattern, at: at, fields: map[string]*field{},
		clean: d.failures}
}

// objectOf reads f as a mapping. want says what else could be written there.
func objectOf(f *field, want string) *object {
	o := f.d.object(f.path, f.pattern, f.node)
	if f.key != nil {
		o.at = f.key
	}
	if f.node.Kind != yaml.MappingNode {
		f.fail(describe(f.node)+" where a section should be", "give "+want)
		o.broken = true
		return o
	}
	o.add(f.node, f.path)
	return o
}

// add takes the keys of a mapping and then those it merges in; what is there
// already stays.
func (o *object) add(n *yaml.Node, path string) {
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], resolve(n.Content[i+1])
		if key.Kind != yaml.ScalarNode {
			continue
		}
		if isMerge(key) {
			merged = append(merged, value)
			continue
		}
		if _, there := o.fields[key.Value]; there {
			continue
		}
		o.fields[key.Value] = &field{d: o.d, key: key, node: value,
			path: join(path, key.Value), pattern: join(o.pattern, key.Value)}
		o.order = append(o.order, key.Value)
	}
	for _, m := range merged {
		switch m.Kind {
		case yaml.MappingNode:
			o.add(m, path)
		case yaml.SequenceNode:
			for _, item := range m.Content {
				if item = resolve(item); item.Kind == yaml.MappingNode {
					o.add(item, path)
				}
			}
		}
	}
}

// find returns the field of a key, or nil, and notes that the key is known.
func (o *object) find(key string) *field {
	if !slices.Contains(o.asked, key) {
		o.asked = append(o.asked, key)
		o.d.known[join(o.pattern, key)] = true
	}
	if f := o.fields[key]; f != nil || o.base == nil {
		return f
	}
	f := o.base.fields[key]
	if f == nil {
		return nil
	}
	under := *f
	under.inherited = true
	return &under
}

// each returns the fields of a section whose keys are free, as written.
func (o *object) each() []*field {
	pattern := join(o.pattern, "*")
	o.d.known[pattern] = true
	all := make([]*field, 0, len(o.order))
	for _, key := range o.order {
		f := o.fields[key]
		f.pattern = pattern
		all = append(all, f)
	}
	return all
}

// lookup returns the field at a path below o, or nil, and asks for nothing.
func (o *object) lookup(path string) *field {
	key, rest, deeper := strings.Cut(path, ".")
	for at := o; at != nil; at = at.base {
		f := at.fields[key]
		switch {
		case f == nil:
		case !deeper:
			return f
		case f.node.Kind == yaml.MappingNode:
			if found := quiet(f).lookup(rest); found != nil {
				return found
			}
		case rest != "":
			return f // written in a short form
		}
	}
	return nil
}

// quiet reads f as a mapping and says nothing if it is none.
func quiet(f *field) *object {
	o := f.d.object(f.path, f.pattern, f.node)
	if f.node.Kind == yaml.MappingNode {
		o.add(f.node, f.path)
	}
	return o
}

// require is find for a key that must be there.
func (o *object) require(key, example string) *field {
	f := o.find(key)
	if f == nil && !o.broken {
		o.missing(key, example)
	}
	return f
}

func (o *object) missing(key, example string) {
	fix := "give " + example
	o.d.failAt(o.at.Line, o.at.Column, join(o.path, key), "is missing", fix)
}

// items returns the elements of a list, or nil if f is none.
func (f *field) items(want string) []*field {
	if f.node.Kind != yaml.SequenceNode {
		f.fail(describe(f.node)+" where a list should be", "give "+want)
		return nil
	}
	if len(f.node.Content) == 0 {
		f.fail("is an empty list", "give "+want)
	}
	items := make([]*field, len(f.node.Content))
	for i, n := range f.node.Content {
		items[i] = &field{d: f.d, node: resolve(n), path: f.path + "[" + strconv.Itoa(i) + "]",
			pattern: f.pattern + "[]", inherited: f.inherited}
	}
	return items
}
