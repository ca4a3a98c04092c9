package config

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

func (o *object) operations(dep *Dependency) {
	f := o.find("operations")
	if f == nil {
		return
	}
	seen := map[string]bool{}
	for _, item := range f.items("a list such as [{name: search, match: {path: /search/*}}]") {
		op := Operation{}
		s := objectOf(item, "a section such as {name: search, match: {path: /search/*}}")
		s.base = o
		s.operation(&op, dep)
		s.close()
		if seen[op.Name] && op.Name != "" {
			f := s.find("name")
			f.fail(quote(f.node)+" is the name of an earlier operation", "give each its own name")
		}
		seen[op.Name] = true
		dep.Operations = append(dep.Operations, op)
	}
}

func (o *object) operation(op *Operation, dep *Dependency) {
	base := o.base
	o.base = nil // a name and a match are not inherited
	o.require("name", "a name such as search")
	f := o.text("name", &op.Name, nameForm, nameFix)
	o.note("name", f, op.Name)
	o.match(&op.Match)
	o.base = base
	op.Call.Name = dep.Name + "/" + op.Name
	per := o.settings(&op.Settings)
	o.keyed(dep, per)
	op.Own = o.own(&op.Settings, dep, per)
	o.warnings(&op.Settings, dep.Measured)
	o.warnHedge(&op.Settings, dep)
}

var (
	methodForm = regexp.MustCompile(`^[A-Z][A-Z_-]*$`)
	pathForm   = regexp.MustCompile(`^/[^\x00-\x20*?#\x7f]*\*?$`)
	grpcForm   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*/([A-Za-z_][A-Za-z0-9_]*|\*)$`)
	hostForm   = regexp.MustCompile(`^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`)
)

func (o *object) match(m *Match) {
	f := o.find("match")
	if f == nil {
		return
	}
	s := o.section("match", "a section such as {method: GET, path: /search/*}")
	defer s.close()
	s.methods(m)
	path := s.text("path", &m.Path, pathForm, "a path such as /search, or a prefix such as /api/*")
	s.note("path", path, orAny(m.Path))
	s.grpc(m, path)
	host := s.text("host", &m.Host, hostForm, "a host such as api.example, or api.example:8080")
	m.Host = strings.ToLower(m.Host)
	s.note("host", host, orAny(m.Host))
	if s.find("header") != nil {
		m.Headers = s.headers("header", "headers such as {X-Kind: slow}")
	}
	if !s.broken && len(s.fields) == 0 {
		f.fail("matches nothing", "give at least one of method, path, grpc, host and header")
	}
}

// grpc reads a method of gRPC, which over HTTP is the path of a POST.
func (o *object) grpc(m *Match, path *field) {
	var name string
	f := o.text("grpc", &name, grpcForm,
		"a service and a method such as shop.Pricing/Quote, or all of one such as shop.Pricing/*")
	o.note("grpc", f, orAny(name))
	if name == "" {
		return
	}
	if path != nil || o.find("method") != nil {
		f.failKey("a method of gRPC has its path and its HTTP method already",
			"remove path and method, or grpc")
		return
	}
	m.Path, m.Methods = "/"+name, []string{"POST"}
}

// orAny is how a part of a match that may be left out shows in Effective.
func orAny(s string) string {
	if s == "" {
		return "any"
	}
	return s
}

// methods reads one method or a list of them.
func (o *object) methods(m *Match) {
	f := o.find("method")
	if f == nil {
		o.note("method", nil, "any")
		return
	}
	const want = "a method in capitals such as GET, or a list such as [GET, HEAD]"
	items := []*field{f}
	if f.node.Kind == yaml.SequenceNode {
		items = f.items(want)
	}
	for _, item := range items {
		if method, ok := textOf(item, methodForm, want); ok {
			m.Methods = append(m.Methods, method)
		}
	}
	o.note("method", f, strings.Join(m.Methods, ", "))
}
