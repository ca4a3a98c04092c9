package config

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// section reads the mapping under key; a missing one reads as empty. An
// operation that writes a section replaces the dependency's whole.
func (o *object) section(key, want string) *object {
	f := o.find(key)
	if f == nil {
		return o.d.object(join(o.path, key), join(o.pattern, key), o.at)
	}
	s := objectOf(f, want)
	s.path, s.pattern = join(o.path, key), join(o.pattern, key)
	for _, sub := range s.fields {
		sub.inherited = f.inherited
	}
	return s
}

// short is section for a key that may also hold one bare value, which then
// stands for the section's key first.
func (o *object) short(key, first, want string) *object {
	f := o.find(key)
	if f == nil || f.node.Kind == yaml.MappingNode {
		return o.section(key, want)
	}
	s := o.d.object(join(o.path, key), join(o.pattern, key), f.node)
	s.fields[first] = f
	return s
}

// layer is section for a rung: beneath an operation's lies the dependency's,
// and what the operation does not write is taken from there.
func (o *object) layer(key, want string) *object {
	s := o.section(key, want)
	if o.base != nil && o.fields[key] != nil {
		if f := o.base.fields[key]; f != nil && f.node.Kind == yaml.MappingNode {
			s.base = quiet(f)
		}
	}
	return s
}

// rung is layer for a rung that may be off: left out, or the word none.
func (o *object) rung(key, example string) (s *object, on bool) {
	f := o.find(key)
	if f == nil || f.is(off) {
		o.note(key, f, "off")
		return nil, false
	}
	return o.layer(key, "a section such as "+example+", or "+off), true
}

// off is the word that switches off what the file, a dependency or a default
// would switch on.
const off = "none"

// close reports the keys nobody asked for.
func (o *object) close() {
	for _, key := range o.order {
		if slices.Contains(o.asked, key) {
			continue
		}
		fix := "known here: " + strings.Join(o.asked, ", ")
		if near := nearest(key, o.asked); near != "" {
			fix = fmt.Sprintf("did you mean %q?", near)
		}
		o.fields[key].failKey("unknown key", fix)
	}
}
