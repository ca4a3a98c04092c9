package config

import (
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// crossings is what the checks between dependencies need to know.
type crossings struct {
	current   string   // the dependency being read
	names     []string // of all dependencies
	reachable []string // those with endpoints
	offered   []string // those the proxy listens for
	links     []link
	listeners []listener
}

// link is a fallback from one dependency to another.
type link struct {
	from, to string
	at       *field
}

// listener is an address that the proxy opens.
type listener struct {
	host, port, owner string
	at                *field
}

// listen reads the address to listen at.
func (o *object) listen(out *string, owner string) {
	const want = "an address such as 127.0.0.1:8101"
	f := o.text("listen", out, nil, want)
	o.note("listen", f, shown(*out))
	if f == nil || *out == "" {
		if f.is("") && f.node.ShortTag() == "!!str" {
			f.fail(`"" is not an address`, "give "+want)
		}
		return
	}
	host, port, err := net.SplitHostPort(*out)
	if err != nil || host != "" && !goodHost(host) || !goodPort(port, 0) {
		f.fail(quote(f.node)+" is not an address to listen at", "give "+want)
		*out = ""
		return
	}
	o.d.listeners = append(o.d.listeners, listener{strings.ToLower(host), port, owner, f})
}

// cross makes the checks that need the whole file.
func (d *decoder) cross() {
	for i, l := range d.listeners {
		for _, before := range d.listeners[:i] {
			if l.clashes(before) {
				l.at.fail(quote(l.at.node)+" is already the address of "+before.owner,
					"give each its own port")
				break
			}
		}
	}
	for _, l := range d.links {
		switch {
		case l.to == "": // refused already
		case !slices.Contains(d.names, l.to):
			fix := "add it, or give the name of another one"
			if near := nearest(l.to, d.names); near != "" {
				fix = "did you mean " + near + "?"
			}
			l.at.fail(quote(l.at.node)+" is no dependency of this file", fix)
		case slices.Contains(d.offered, l.from) && !slices.Contains(d.reachable, l.to):
			l.at.fail(quote(l.at.node)+" has no endpoints that the proxy could ask",
				"give it endpoints")
		case d.reaches(l.to, l.from, map[string]bool{}):
			l.at.fail("the fallback leads back to "+l.from, "let the chain of fallbacks end")
		}
	}
}

// reaches reports whether the fallbacks of from lead to target.
func (d *decoder) reaches(from, target string, seen map[string]bool) bool {
	if from == target {
		return true
	}
	if seen[from] {
		return false
	}
	seen[from] = true
	for _, l := range d.links {
		if l.from == from && d.reaches(l.to, target, seen) {
			return true
		}
	}
	return false
}

// clashes reports whether two listeners cannot both be opened. Port 0 is a
// free port, another each time.
func (l listener) clashes(m listener) bool {
	if l.port != m.port || l.port == "0" {
		return false
	}
	return l.host == m.host || anyHost(l.host) || anyHost(m.host) ||
		loopback(l.host) && loopback(m.host)
}

func anyHost(host string) bool { return host == "" || host == "0.0.0.0" || host == "::" }

func loopback(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

var dnsForm = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

func goodHost(host string) bool {
	if net.ParseIP(host) != nil {
		return true
	}
	return dnsForm.MatchString(host) && len(host) <= 253
}

func goodPort(port string, lowest int) bool {
	n, err := strconv.Atoi(port)
	return err == nil && integerForm.MatchString(port) && n >= lowest && n <= 65535
}

// shown is how a text that may be left out shows in Effective.
func shown(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
