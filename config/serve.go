package config

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/serve"
)

// Serve is how the service protects itself from its callers.
type Serve struct {
	Listen      string      // where the proxy takes requests in; empty: nowhere
	ListenTLS   *ListenTLS  // nil: there is no TLS
	Upstream    *url.URL    // the program behind the proxy; nil: none
	Protocol    Protocol    // that is spoken with it
	Connections Connections // to it
	UpstreamTLS *TLS        // how it is known; nil: by the system's authorities
	Response    Response    // limits on its answers
	Health      []string    // paths that are never refused
	Criticality Criticality
	User        string   // the header that names the user; empty: none
	Tenant      string   // the header that names the tenant; empty: none
	Measured    Measured // of what the service itself takes to answer
	Door        serve.Config
	Idempotency *Idempotency // nil: off
	Tied        *Tied        // nil: no request is tied to another
	Faults      *Faults      // nil: what is behind the door may not be hurt
}

// Criticality says how the importance of a request is found out.
type Criticality struct {
	Header  string
	Default core.Criticality // of a request that names none; more only for the trusted
	Trust   []netip.Prefix   // whose word is taken
}

// Trusts reports whether whoever sits at this address may say that its
// requests are more important than usual. A zone, which addresses of one link
// have, does not matter.
func (c *Criticality) Trusts(addr netip.Addr) bool { return contains(c.Trust, addr) }

// healthPaths are where orchestrators and load balancers look.
var healthPaths = []string{"/healthz", "/livez", "/readyz", "/startupz",
	"/grpc.health.v1.Health/Check", "/grpc.health.v1.Health/Watch"}

// CriticalityHeader carries the importance of a request from service to
// service.
const CriticalityHeader = "X-Seakeep-Criticality"

// serve reads how the service protects itself.
func (o *object) serve(f *File) {
	at := o.find("serve")
	if at == nil {
		return
	}
	s := objectOf(at, "a section such as {listen: 127.0.0.1:8080, upstream: http://127.0.0.1:9000}")
	defer s.close()
	v := &Serve{}
	f.Serve = v
	v.Door.Name = f.Service
	s.listen(&v.Listen, "serve")
	v.ListenTLS = s.listenTLS(v.Listen)
	s.upstream(v)
	s.protocol(&v.Protocol, v.schemes())
	s.behind(v)
	s.healthPaths(&v.Health)
	s.measured(&v.Measured)
	s.serveDeadline(&v.Door)
	s.criticality(&v.Criticality)
	s.headerName("user", &v.User, "X-User")
	s.concurrency(&v.Door)
	s.serveQueue(&v.Door)
	s.tenants(v)
	s.shed(&v.Door)
	s.degrade(&v.Door)
	s.recovery(&v.Door)
	s.idempotency(v)
	s.serveTied(v)
	v.Faults = s.faults(among{owner: f.Service})
	s.warnWaitsBehind(v)
}

func (o *object) upstream(v *Serve) {
	f := o.find("upstream")
	if f == nil {
		if v.Listen != "" {
			o.missing("upstream", "the program behind the proxy, such as http://127.0.0.1:9000, "+
				"because listen offers it")
		}
		o.note("upstream", nil, "none")
		return
	}
	if v.Upstream = f.origin(); v.Upstream == nil {
		return
	}
	o.note("upstream", f, v.Upstream.String())
	if meets(v.Listen, v.Upstream) {
		f.fail(quote(f.node)+" leads back to listen", "give the address of the program behind it")
	}
}

// schemes reports whether the program behind the proxy is of a scheme.
func (v *Serve) schemes() func(scheme string) bool {
	return func(scheme string) bool {
		return v.Upstream != nil && strings.EqualFold(v.Upstream.Scheme, scheme)
	}
}

// behind reads what there is to say of the program behind the proxy beside where
// it is.
func (o *object) behind(v *Serve) {
	before := o.d.failures
	o.connections(&v.Connections, 0)
	v.UpstreamTLS = o.tls("upstream-tls")
	o.response(&v.Response)
	sound := o.d.failures == before
	for _, key := range []string{"connections", "upstream-tls", "response"} {
		if f := o.find(key); sound && f != nil && !f.is(off) && o.find("upstream") == nil {
			f.failKey("there is no program behind", "add upstream, such as http://127.0.0.1:9000")
		}
	}
	if v.UpstreamTLS != nil && v.Upstream != nil && !v.schemes()("https") {
		o.find("upstream-tls").failKey("upstream is not of https",
			"give an upstream of https, or remove upstream-tls")
	}
	o.warnInsecure("upstream-tls", v.UpstreamTLS)
}

// meets reports whether an origin surely is where a listener listens.
func meets(listen string, to *url.URL) bool {
	host, port, err := net.SplitHostPort(listen)
	if err != nil || port == "0" || port != to.Port() {
		return false
	}
	there := to.Hostname()
	return host == there || loopback(there) && (loopback(host) || anyHost(host))
}

func (o *object) healthPaths(out *[]string) {
	*out = healthPaths
	f := o.find("health")
	if f != nil && f.is(off) {
		*out = nil
	} else if f != nil {
		*out = nil
		for _, item := range f.items("paths such as [/healthz]") {
			path, ok := textOf(item, pathForm, "a path such as /healthz")
			if ok && slices.Contains(*out, path) {
				item.fail(quote(item.node)+" is in the list already", "remove it")
			} else if ok {
				*out = append(*out, path)
			}
		}
	}
	o.note("health", f, shown(strings.Join(*out, ", ")))
}

func (o *object) serveDeadline(c *serve.Config) {
	s := o.section("deadline", "a section such as {default: 1s}")
	defer s.close()
	s.duration("default", &c.Timeout.Total, positive("1s"))
	s.duration("needs", &c.Timeout.Needs, natural("20ms"))
	s.serveMode(c, serve.RungDeadline)
	if n, d := c.Timeout.Needs, c.Timeout.Total; d > 0 && n > d {
		s.refuse("needs", showDuration(n)+" never fits in default, "+showDuration(d)+
			", so that every request would be refused", "give less, or raise default")
	}
}

// serveMode reads whether a rung of the door acts or only watches.
func (o *object) serveMode(c *serve.Config, rung serve.Rungs) {
	if o.observes() {
		c.Observe |= rung
	}
}

func classOptions() (all []option[core.Criticality]) {
	for i := range core.Criticalities {
		c := core.CriticalityAt(i)
		all = append(all, option[core.Criticality]{c.String(), c})
	}
	return all
}

func (o *object) criticality(c *Criticality) {
	s := o.section("criticality", "a section such as {trust: [10.0.0.0/8]}")
	defer s.close()
	c.Header = CriticalityHeader
	s.headerName("header", &c.Header, CriticalityHeader)
	choose(s, "default", &c.Default, classOptions()...)
	f := s.find("trust")
	if f == nil {
		s.note("trust", nil, "nobody")
		return
	}
	c.Trust = f.networks()
	s.note("trust", f, showNetworks(c.Trust))
}

// prefixOf reads an address, or all that begin alike.
func prefixOf(f *field) (netip.Prefix, bool) {
	const want = "an address such as 127.0.0.1, or a network such as 10.0.0.0/8"
	text, ok := textOf(f, nil, want)
	if !ok {
		return netip.Prefix{}, false
	}
	if a, err := netip.ParseAddr(text); err == nil && a.Zone() == "" {
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), true
	}
	p, err := netip.ParsePrefix(text)
	if err == nil && p.Addr().Is4In6() && p.Bits() >= 96 { // as the clients' addresses are looked at
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	if err != nil || p != p.Masked() {
		f.fail(quote(f.node)+" is not an address or a network", "give "+want)
		return netip.Prefix{}, false
	}
	return p, true
}

// headerName reads the name of a header; empty: none.
func (o *object) headerName(key string, out *string, like string) {
	f := o.text(key, out, tokenForm, "the name of a header, such as "+like)
	o.note(key, f, shown(*out))
}
