package check

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"

	"github.com/seakeep/seakeep/config"
)

var connectionRules = []*Rule{
	{ID: "tls-unverified", Severity: Error, Title: "whoever is in between reads and changes everything",
		Why: "Without verification anybody may answer in the server's place: the encryption keeps out " +
			"nobody who is on the way.",
		Number:     "endpoints that are not verified, beside none",
		Fix:        "tls.ca, the file of the authority that signs their certificates",
		Bites:      "somebody gets between the two",
		dependency: tlsUnverified},
	{ID: "connections-unjittered", Severity: Warning, Title: "all connections end in the same instant",
		Why: "Connections that were opened together, as after a start, are closed and opened again " +
			"together, for ever.",
		Number:     "connections opened in the same second, beside those that jitter of 10% leaves",
		Fix:        "connections.jitter of 10%",
		Bites:      "a release opens all connections together",
		dependency: connectionsUnjittered},
	{ID: "connections-under-slots", Severity: Warning, Title: "calls that have a slot wait for a connection",
		Why: "With HTTP/1 a call has a connection to itself. A pool that is smaller than the bulkhead " +
			"makes calls wait in a second line, which no rung of the ladder sees.",
		Number:     "connections to all endpoints, beside slots",
		Fix:        "connections.max so that all slots can have one, or left out",
		Bites:      "the dependency gets slow",
		dependency: connectionsUnder},
	{ID: "response-unbounded", Severity: Info, Title: "a stranger's answer may go on for ever",
		Why: "timeout.request ends when an answer begins. A site outside that sends a byte now and then, " +
			"or without end, keeps its slot and its connection for as long as it likes.",
		Number:     "limits on the body, beside one",
		Fix:        "response: {body, idle}",
		Bites:      "a server outside is slow on purpose, or broken",
		dependency: responseUnbounded},
}

func tlsUnverified(s *subject) {
	if s.dep.TLS == nil || !s.dep.TLS.Insecure {
		return
	}
	n := float64(max(1, len(s.dep.Endpoints)))
	s.report(found{keys: []string{"tls.insecure-skip-verify"},
		why:     fmt.Sprintf("no certificate of %s is verified", s.name()),
		number:  Number{"endpoints that are not verified", n, 0, "endpoints"},
		fix:     "remove tls.insecure-skip-verify, and give tls.ca if the authority is your own",
		changes: []Change{{s.path("tls.insecure-skip-verify"), ""}}})
}

func connectionsUnjittered(s *subject) {
	c := s.dep.Connections
	if c.Lifetime == 0 || c.Jitter > 0 {
		return
	}
	spread := max(1, c.Lifetime.Seconds()/10)
	s.report(found{keys: []string{"connections.jitter", "connections"},
		why: fmt.Sprintf("connections to %s that were opened together are opened again together, every %s",
			s.name(), span(c.Lifetime)),
		number:  Number{"of 100 connections, opened in the same second", 100, 100 / spread, "connections"},
		fix:     "set connections.jitter to 10%",
		changes: []Change{s.set("connections.jitter", "10%%")}})
}

func connectionsUnder(s *subject) {
	b, c, n := s.slots(), s.dep.Connections, len(s.dep.Endpoints)
	if b == nil || c.Max == 0 || n == 0 || c.Max*n >= b.Limit || !s.alone() {
		return
	}
	good := (b.Limit + n - 1) / n
	s.report(found{keys: []string{"connections.max"},
		why: fmt.Sprintf("%d calls to %s may be under way on %d connections", b.Limit, s.name(),
			c.Max*n),
		number:  Number{"connections", float64(c.Max * n), float64(b.Limit), "connections"},
		fix:     fmt.Sprintf("set connections.max to %d, or leave it out", good),
		changes: []Change{s.set("connections.max", "%d", good)}})
}

// alone reports whether each call surely has a connection to itself.
func (s *subject) alone() bool {
	if s.dep.Protocol == config.HTTP1 {
		return true
	}
	return s.dep.Protocol == config.AnyProtocol && !slices.ContainsFunc(s.dep.Endpoints,
		func(u *url.URL) bool { return u.Scheme != "http" })
}

// ourOwn are the names of hosts that nobody outside can have.
var ourOwn = regexp.MustCompile(`(^[^.]*|\.(internal|local|localhost|svc|cluster|lan|home|corp|test|intern))\.?$`)

func responseUnbounded(s *subject) {
	if s.settings.Response != (config.Response{}) || !slices.ContainsFunc(s.dep.Endpoints, outside) {
		return
	}
	s.report(found{keys: []string{"response", ""},
		why:     fmt.Sprintf("%s is outside, and nothing bounds how long its answers go on", s.name()),
		number:  Number{"limits on the body", 0, 1, "limits"},
		fix:     "set response to {body: 10MiB, idle: 10s}",
		changes: []Change{s.set("response", "{body: 10MiB, idle: 10s}")}})
}

// outside reports whether an origin is not ours, as far as its name tells.
func outside(u *url.URL) bool {
	_, err := netip.ParseAddr(u.Hostname())
	return err != nil && !ourOwn.MatchString(u.Hostname())
}
