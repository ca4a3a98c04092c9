package config

import (
	"cmp"
	"net"
	"regexp"
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

// link is a fallback or a failover from one dependency to another; in a
// scenario, a call from one service to another, or one that either makes.
type link struct {
	from, to string
	at       *field
	fallback string // in a scenario: the dependency that stands in
	word     string // what leads there; empty: a fallback
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
	d.crossListeners()
	known, offered, reachable := setOf(d.names), setOf(d.offered), setOf(d.reachable)
	ring := d.rings()
	for _, l := range d.links {
		switch {
		case l.to == "": // refused already
		case !known[l.to]:
			fix := "add it, or give the name of another one"
			if near := nearest(l.to, d.names); near != "" {
				fix = "did you mean " + near + "?"
			}
			l.at.fail(quote(l.at.node)+" is no dependency of this file", fix)
		case offered[l.from] && !reachable[l.to]:
			l.at.fail(quote(l.at.node)+" has no endpoints that the proxy could ask",
				"give it endpoints")
		case l.from == l.to || ring[l.from] == ring[l.to]:
			l.at.fail("the "+cmp.Or(l.word, "fallback")+" leads back to "+l.from,
				"let the chain of fallbacks end")
		}
	}
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// rings numbers the dependencies such that two have the same number if the
// fallbacks of each lead to the other: the strongly connected components,
// found with Tarjan's algorithm in one walk.
func (d *decoder) rings() map[string]int {
	next := map[string][]string{}
	for _, l := range d.links {
		next[l.from] = append(next[l.from], l.to)
	}
	order, low, ring := map[string]int{}, map[string]int{}, map[string]int{}
	var stack []string
	var visit func(name string)
	visit = func(name string) {
		order[name] = len(order) + 1
		low[name] = order[name]
		stack = append(stack, name)
		for _, to := range next[name] {
			switch {
			case order[to] == 0:
				visit(to)
				low[name] = min(low[name], low[to])
			case ring[to] == 0: // still on the stack
				low[name] = min(low[name], order[to])
			}
		}
		for low[name] == order[name] && ring[name] == 0 {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			ring[top] = order[name]
		}
	}
	for _, name := range d.names {
		if order[name] == 0 {
			visit(name)
		}
	}
	return ring
}

// crossListeners finds listeners that cannot both be opened. Port 0 is a free
// port, another each time.
func (d *decoder) crossListeners() {
	owners := map[string]string{} // of a port on a host, on any host, and at all
	for _, l := range d.listeners {
		if l.port == "0" {
			continue
		}
		here, everywhere, somewhere := l.host+":"+l.port, "*:"+l.port, ":"+l.port
		if loopback(l.host) {
			here = "localhost:" + l.port
		}
		before := cmp.Or(owners[here], owners[everywhere])
		if anyHost(l.host) {
			here, before = everywhere, owners[somewhere]
		}
		if before != "" {
			l.at.fail(quote(l.at.node)+" is already the address of "+before,
				"give each its own port")
		}
		for _, key := range []string{here, somewhere} {
			owners[key] = cmp.Or(owners[key], l.owner)
		}
	}
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
