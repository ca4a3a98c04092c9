package foreign

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// r4j is the translation of Resilience4j's properties.
type r4j struct {
	*translation
	modules map[string]*module // by folded name
	docs    []*node
	props   []*property // all of them, as written
	app     *node       // the name of the application
}

// module is one part of Resilience4j, such as its circuit breaker.
type module struct {
	instances, configs map[string]*group
	own                map[string]*property // settings of the module itself
	names              []string             // of its instances, in order
}

// group is an instance or a shared configuration.
type group struct {
	name  string
	props map[string]*property // by folded key
	first *node
}

// property is one setting, wherever it is nested.
type property struct {
	n     *node
	parts []string // its key, taken apart
}

// Resilience4j translates properties of Resilience4j for Spring Boot, in YAML
// or as a properties file. Each instance becomes a dependency. Service is the
// name of the service that calls it; if it is empty, spring.application.name
// is taken.
func Resilience4j(data []byte, service string) (*Translation, error) {
	t, err := begin("Resilience4j", service, data, readSpring)
	if err != nil {
		return nil, err
	}
	t.why = r4jReasons
	r := &r4j{translation: t, modules: map[string]*module{}}
	r.collect()
	t.service(service, r.app)
	for _, name := range r.instances() {
		if r.failed == nil {
			r.instance(name)
		}
	}
	r.leftovers()
	return t.finish()
}

// readSpring reads YAML or a properties file, whichever it is. Of YAML with
// several documents it makes a list.
func readSpring(data []byte) (*node, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("the input is not UTF-8 text")
	}
	if looksLikeProperties(string(data)) {
		return readProperties(data)
	}
	root, err := readFragments(data)
	if err == nil && root.kind == scalar {
		return readProperties(data)
	}
	return root, err
}

// looksLikeProperties reports whether the first line that holds anything has an
// equals sign before any colon.
func looksLikeProperties(data string) bool {
	for first := range logicalLines(data) {
		end := strings.IndexAny(first.text, "=:")
		return end >= 0 && first.text[end] == '='
	}
	return false
}

// collect sorts the properties of all documents into their modules.
func (r *r4j) collect() {
	r.docs = []*node{r.root}
	if r.root.kind == list {
		r.docs = r.root.kids
	}
	for _, doc := range r.docs {
		props := flatten(doc)
		if profile := profileOf(props); profile != "" {
			doc.drop("only for the profile " + clean(profile, 60) +
				"; import this document by itself")
			continue
		}
		r.props = append(r.props, props...)
		for _, p := range props {
			r.sort(p)
		}
	}
}

// flatten lists the properties of a document. A list of single values is one.
func flatten(doc *node) (props []*property) {
	var walk func(n *node, parts []string)
	walk = func(n *node, parts []string) {
		if n.up != nil && n.key != "" {
			parts = append(parts[:len(parts):len(parts)], splitKey(n.key)...)
		}
		if n.kind == mapping && len(n.kids) > 0 {
			for _, kid := range n.kids {
				walk(kid, parts)
			}
			return
		}
		if len(parts) > 0 {
			props = append(props, &property{n, parts})
		}
	}
	walk(doc, nil)
	return props
}

// splitKey takes a key apart at its dots. Brackets keep what they hold whole,
// and an index of a list is left out.
func splitKey(key string) (parts []string) {
	for key != "" {
		end := strings.IndexAny(key, ".[")
		switch {
		case end < 0:
			return append(parts, key)
		case key[end] == '.':
			if end > 0 {
				parts = append(parts, key[:end])
			}
			key = key[end+1:]
		default:
			if end > 0 {
				parts = append(parts, key[:end])
			}
			inside, rest, closed := strings.Cut(key[end+1:], "]")
			if !closed {
				return append(parts, key[end:])
			}
			if _, err := strconv.Atoi(inside); err != nil {
				parts = append(parts, strings.Trim(inside, `"'`))
			}
			key = strings.TrimPrefix(rest, ".")
		}
	}
	return parts
}

// profileOf returns the profile that a document is for, or "".
func profileOf(props []*property) string {
	for _, p := range props {
		switch strings.Join(p.folded(), ".") {
		case "spring.profiles", "spring.config.activate.onprofile":
			if p.n.kind == scalar {
				return p.n.text
			}
			return "in its list"
		}
	}
	return ""
}

func (p *property) folded() []string {
	all := make([]string, len(p.parts))
	for i, part := range p.parts {
		all[i] = fold(part)
	}
	return all
}

// sort puts a property where it belongs.
func (r *r4j) sort(p *property) {
	key := p.folded()
	if strings.Join(key, ".") == "spring.application.name" && p.n.kind == scalar && !p.n.null {
		r.app = p.n
		return
	}
	if len(key) < 3 || key[0] != spring || p.n.null && len(key) != 4 {
		return
	}
	m := r.modules[key[1]]
	if m == nil {
		m = &module{instances: map[string]*group{}, configs: map[string]*group{},
			own: map[string]*property{}}
		r.modules[key[1]] = m
	}
	switch {
	case len(key) == 3:
		put(m.own, key[2], p)
	case key[2] == "instances", key[2] == "backends", key[2] == "limiters":
		if m.instances[p.parts[3]] == nil {
			m.names = append(m.names, p.parts[3])
		}
		m.group(m.instances, p, key)
	case key[2] == "configs":
		m.group(m.configs, p, key)
	}
}

// group puts a property into the instance or configuration it belongs to. One
// without a setting only says that the instance is there.
func (m *module) group(all map[string]*group, p *property, key []string) {
	name := p.parts[3]
	g := all[name]
	if g == nil {
		g = &group{name: name, props: map[string]*property{}, first: p.n}
		all[name] = g
	}
	switch {
	case len(key) == 5:
		put(g.props, key[4], p)
	case len(key) > 5: // left over
	case p.n.kind == scalar && p.n.text != "":
		p.n.drop("settings should stand below it")
	default:
		p.n.note(Mapped, target{}, "none of its settings is given, so all are defaults")
	}
}

// put stores a property. The last one of a key counts, unless both are
// elements of one list.
func put(props map[string]*property, key string, p *property) {
	if before := props[key]; before != nil && !before.element() {
		before.n.drop("written again on line " + strconv.Itoa(p.n.line) + ", which counts")
	}
	props[key] = p
}

// element reports whether p is an element of a list, written key[0].
func (p *property) element() bool { return strings.HasSuffix(p.n.key, "]") }

// spring is what all of the properties begin with.
const spring = "resilience4j"

// mapped are the modules that have a place in the policy file.
var mapped = []string{"circuitbreaker", "retry", "bulkhead", "timelimiter"}

// instances returns the names of all instances. If there are none, but a
// shared configuration called default, that stands for whoever uses it.
func (r *r4j) instances() (names []string) {
	seen := map[string]bool{}
	for _, key := range mapped {
		m := r.modules[key]
		if m == nil {
			continue
		}
		for _, name := range m.names {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	if len(names) > 0 {
		return names
	}
	for _, key := range mapped {
		if m := r.modules[key]; m != nil && m.configs[fallbackConfig] != nil {
			return []string{fallbackConfig}
		}
	}
	return nil
}

// fallbackConfig is the shared configuration of instances that name none.
const fallbackConfig = "default"
