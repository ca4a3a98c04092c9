// Package config reads the policy file and the scenario file: YAML in, checked
// settings out. It alone knows YAML; the policies and the simulator know plain
// Go literals.
//
// # Why it is strict
//
// A policy file is read in a hurry, often during an incident, and a key that is
// silently ignored protects nothing. So every key must be known, every time
// needs a unit, a share is a percentage or a fraction below 1, and 0 never
// means "no limit". All mistakes of a file are reported at once, each with its
// line and column, the path of the key, what is wrong and how to mend it.
//
// # Algorithm
//
// The YAML library turns the text into a tree of nodes. One walk over the tree
// finds what no file may hold: keys written twice, aliases that contain
// themselves or blow up, unknown tags. Then small typed readers take the tree
// apart, section by section. A reader asks for a key by name, records an error
// with its position or the value in effect, and the keys of a section that
// nobody asked for are the unknown ones. Last come the checks that look at two
// settings together.
//
// An operation of a dependency is decoded like the dependency itself, with the
// dependency's sections lying beneath its own: a key the operation does not
// write is taken from below.
//
// A scenario file is read in the same way. Its services are read before what
// refers to them, and the policy files that it names are each read once.
//
// # Files
//
// Schema and ScenarioSchema return the grammars as JSON Schemas for editors.
// Tests hold together the readers, the schemas, docs/policy-file.md and
// docs/scenario-file.md.
package config
