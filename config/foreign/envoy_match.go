package foreign

import (
	"net"
	"regexp"
	"strings"
)

// The forms of what an operation may match.
var (
	methodForm = regexp.MustCompile(`^[A-Z][A-Z_-]*$`)
	pathForm   = regexp.MustCompile(`^/[^\x00-\x20*?#\x7f-\x{10ffff}]*$`)
	hostForm   = regexp.MustCompile(`^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`)
	headerForm = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
	valueForm  = regexp.MustCompile(`^[!-~]([ -~]*[!-~])?$`)
)

// match is which requests a route takes, as far as an operation can say it.
type match struct {
	fits    []condition
	blocked []*node // conditions that an operation cannot have
	any     []*node // conditions that every request meets
}

// condition is one key of an operation's match.
type condition struct {
	key, name, value string // name is the header's
	from             origin
}

// everything reports whether every request matches.
func (m match) everything() bool { return len(m.fits) == 0 && len(m.blocked) == 0 }

// matchOf reads the match of a route.
func matchOf(n *node) (m match) {
	for _, n := range n.section("match").each() {
		switch key := fold(n.key); {
		case n.kind == scalar && (key == "prefix" || key == "path" || key == "pathseparatedprefix"):
			m.path(key, n)
		case key == "headers" && n.kind == list:
			for _, h := range n.kids {
				m.header(h)
			}
		case key == "casesensitive":
			m.cases(n)
		default:
			m.blocked = append(m.blocked, n)
		}
	}
	return m
}

func (m *match) path(key string, n *node) {
	switch {
	case key != "path" && (n.text == "/" || n.text == "" && key == "prefix"):
		m.any = append(m.any, n)
	case !pathForm.MatchString(n.text):
		m.blocked = append(m.blocked, n)
	case key == "path":
		m.fits = append(m.fits, condition{key: "path", value: n.text, from: origin{n: n}})
	case key == "prefix":
		m.fits = append(m.fits, condition{key: "path", value: n.text + "*", from: origin{n: n}})
	default:
		from := origin{n: n}.differing("also matches paths that only begin like it, such as " +
			clean(n.text, 60) + "s")
		m.fits = append(m.fits, condition{key: "path", value: n.text + "*", from: from})
	}
}

func (m *match) cases(n *node) {
	if n.text == "true" {
		m.any = append(m.any, n)
		return
	}
	n.drop("paths are compared letter by letter")
}

// header reads one header matcher.
func (m *match) header(n *node) {
	name, exact := n.scalar("name"), exactValue(n)
	if name == nil || exact == nil {
		m.blocked = append(m.blocked, n)
		return
	}
	c := condition{from: origin{n: exact, also: []*node{name}}, value: exact.text}
	switch {
	case name.text == ":method" && methodForm.MatchString(exact.text):
		c.key = "method"
	case name.text == ":authority" && hostForm.MatchString(exact.text):
		c.key = "host"
	case headerForm.MatchString(name.text) && valueForm.MatchString(exact.text):
		c.key, c.name = "header", name.text
	default:
		m.blocked = append(m.blocked, n)
		return
	}
	if m.has(c) {
		m.blocked = append(m.blocked, n)
		return
	}
	m.fits = append(m.fits, c)
}

// exactValue returns the value that a header must have exactly, or nil if the
// matcher asks for anything else.
func exactValue(n *node) *node {
	var value *node
	for _, kid := range n.kids {
		switch key := fold(kid.key); {
		case key == "name", kid.null:
		case key == "exactmatch" && kid.kind == scalar && value == nil:
			value = kid
		case key == "stringmatch" && len(kid.kids) == 1 && kid.scalar("exact") != nil &&
			value == nil:
			value = kid.scalar("exact")
		default:
			return nil
		}
	}
	return value
}

// has reports whether m has a condition on the same thing.
func (m *match) has(c condition) bool {
	for _, before := range m.fits {
		if before.key == c.key && strings.EqualFold(before.name, c.name) {
			return true
		}
	}
	return false
}

// at adds the host of a virtual host.
func (m match) at(host *node) match {
	if host == nil {
		return m
	}
	c := condition{key: "host", value: host.text, from: origin{n: host}}
	if m.has(c) {
		host.note(Mapped, target{}, "the route asks for a host itself")
		return m
	}
	m.fits = append(m.fits[:len(m.fits):len(m.fits)], c)
	return m
}

// name makes an operation's name from the path.
func (m match) name() string {
	for _, c := range m.fits {
		if c.key == "path" {
			name, _ := cleanName(strings.Trim(c.value, "/*"))
			return name
		}
	}
	for _, c := range m.fits {
		name, _ := cleanName(c.value)
		return name
	}
	if len(m.blocked) > 0 {
		return "by-name"
	}
	return "all"
}

const byName = "an operation cannot match on this, so it has no match and must be chosen by name"

// write writes the match of an operation. With a condition that it cannot have
// it gets no match at all, for a wider one would take the requests of others.
func (m match) write(op *block) {
	m.mark()
	if len(m.blocked) > 0 {
		for _, n := range m.blocked {
			n.note(Approximated, target{op, "match"}, byName)
		}
		for _, c := range m.fits {
			c.from.differing("left out, because another condition cannot be matched on").
				marks(target{op, "match"})
		}
		return
	}
	b := op.sub("match")
	for _, key := range []string{"method", "path", "host", "header"} {
		for _, c := range m.fits {
			switch {
			case c.key != key:
			case key == "header":
				b.sub("header").put(quoted(c.name), quoted(c.value), c.from)
			default:
				b.put(key, quoted(c.value), c.from)
			}
		}
	}
	if len(m.fits) == 0 {
		b.fill("path", "'/*'", "whatever no other operation takes")
	}
}

// mark settles the conditions that every request meets.
func (m match) mark() {
	for _, n := range m.any {
		n.note(Mapped, target{}, "every request meets it")
	}
}

// virtualHost is one of Envoy's.
type virtualHost struct {
	n     *node
	rank  int // how early Envoy asks it
	hosts []*node
	known bool // hosts is filled in
}

// newVirtualHost ranks a virtual host: Envoy asks those with exact names first,
// then those with a wildcard, then the one for all.
func newVirtualHost(n *node) *virtualHost {
	vh := &virtualHost{n: n, rank: 2}
	for _, d := range n.items("domains") {
		switch {
		case d.text == "*":
			vh.rank = 2
			return vh
		case strings.Contains(d.text, "*"):
			vh.rank = min(vh.rank, 1)
		default:
			vh.rank = 0
		}
	}
	return vh
}

// match returns the domains of a virtual host that an operation can match. One
// nil stands for a match without a host.
func (vh *virtualHost) match() []*node {
	if vh == nil {
		return []*node{nil}
	}
	if !vh.known {
		vh.hosts, vh.known = hostsOf(vh.n.items("domains")), true
	}
	return vh.hosts
}

func hostsOf(domains []*node) (hosts []*node) {
	names := map[string]bool{}
	for _, d := range domains {
		names[strings.ToLower(d.text)] = true
	}
	wide := false
	for _, d := range domains {
		bare, _, err := net.SplitHostPort(d.text)
		switch {
		case d.text == "*":
			d.note(Mapped, target{}, "every host meets it")
			wide = true
		case d.kind == scalar && strings.Contains(d.text, "*"):
			d.note(Approximated, target{}, "an operation cannot match a part of a host, "+
				"so it matches every host")
			wide = true
		case d.kind != scalar || !hostForm.MatchString(d.text):
			d.drop("not a host that an operation can match")
		case err == nil && names[strings.ToLower(bare)]:
			d.note(Mapped, target{}, "a host without a port is matched on every port")
		default:
			hosts = append(hosts, d)
		}
	}
	if wide || len(hosts) == 0 {
		for _, d := range hosts {
			d.note(Mapped, target{}, "every host meets it")
		}
		return []*node{nil}
	}
	return hosts
}

// anyHost settles the domains of a virtual host that need not be matched.
func (vh *virtualHost) anyHost() {
	if vh == nil {
		return
	}
	for _, d := range vh.n.items("domains") {
		d.note(Mapped, target{},
			"no other virtual host leads to the dependency, so the host need not match")
	}
}
