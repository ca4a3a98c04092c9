package config

import (
	"net/netip"
	"strings"
	"time"

	"github.com/seakeep/seakeep/core/hedge"
)

// Tied says whose requests may be tied to a copy of them at another door.
type Tied struct {
	Trust []netip.Prefix // clients that tie, and doors that call off and are told
}

// Trusts reports whether whoever sits at this address may tie requests, or call
// them off, or be told that one is served.
func (t *Tied) Trusts(addr netip.Addr) bool { return contains(t.Trust, addr) }

// contains reports whether an address is in one of the networks. A zone, which
// addresses of one link have, does not matter.
func contains(networks []netip.Prefix, addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	for _, p := range networks {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// serveTied reads whose requests may be tied.
func (o *object) serveTied(v *Serve) {
	s, on := o.rung("tied", "{trust: [10.0.0.0/8]}")
	if !on {
		return
	}
	defer s.close()
	v.Tied = &Tied{}
	f := s.require("trust", "whom to trust, such as [10.0.0.0/8]")
	if f == nil {
		return
	}
	v.Tied.Trust = f.networks()
	s.note("trust", f, showNetworks(v.Tied.Trust))
}

// networks reads a list of addresses and networks.
func (f *field) networks() (all []netip.Prefix) {
	for _, item := range f.items("addresses such as [127.0.0.1, 10.0.0.0/8]") {
		if p, ok := prefixOf(item); ok {
			all = append(all, p)
		}
	}
	return all
}

func showNetworks(all []netip.Prefix) string {
	words := make([]string, len(all))
	for i, p := range all {
		words[i] = p.String()
	}
	return strings.Join(words, ", ")
}

// tied reads whether copies are tied, and when one is sent then. It reports
// false if they are not.
func (o *object) tied(c *hedge.Config) bool {
	f := o.find("tied")
	if f == nil || f.is(off) {
		o.note("tied", f, "off")
		return false
	}
	c.After, c.Budget, c.Slow = time.Millisecond, 1, 1
	var s *object
	if f.is("true") {
		s = o.d.object(join(o.path, "tied"), join(o.pattern, "tied"), f.node)
	} else {
		s = o.section("tied", "true, or a section such as {delay: 1ms}, or "+off)
	}
	s.duration("delay", &c.After, within(100*time.Microsecond, time.Second, "1ms"))
	s.close()
	for _, key := range [...]string{"after", "copies", "slow", "same"} {
		if own := o.fields[key]; own != nil {
			own.failKey("means nothing when copies are tied", "remove it, or say tied: "+off)
		}
	}
	return true
}
