package config

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/seakeep/seakeep/core/balance"
)

// RecordType says which records of a name are its endpoints.
type RecordType uint8

const (
	// AnyAddress: its IPv4 and IPv6 addresses.
	AnyAddress RecordType = iota
	// RecordA: its IPv4 addresses.
	RecordA
	// RecordAAAA: its IPv6 addresses.
	RecordAAAA
	// RecordSRV: the hosts and ports that it names, with their weights; those
	// of the lowest priority.
	RecordSRV
)

// String returns the type as the file has it.
func (t RecordType) String() string {
	for _, o := range recordTypes {
		if o.value == t {
			return o.word
		}
	}
	return "invalid"
}

var recordTypes = []option[RecordType]{{"any", AnyAddress}, {"A", RecordA},
	{"AAAA", RecordAAAA}, {"SRV", RecordSRV}}

// Resolve says how the endpoints of a dependency are found by name.
type Resolve struct {
	Host    string
	Port    string // empty with RecordSRV
	Type    RecordType
	Scheme  string        // http or https
	Every   time.Duration // how often the name is asked for
	Timeout time.Duration // of one question
	Zone    string        // of all that is found
}

const (
	defaultEvery = 30 * time.Second
	defaultAsk   = 5 * time.Second
)

var (
	addressForm = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9.])?(:[0-9]{1,5})?$`)
	schemeNames = []option[string]{{"http", "http"}, {"https", "https"}}
)

// endpoints reads where the dependency is: a list, or a name to resolve.
func (o *object) endpoints(dep *Dependency) {
	const want = "a list of origins such as [http://127.0.0.1:9101]"
	f := o.find("endpoints")
	switch {
	case f == nil:
		if dep.Listen != "" {
			o.missing("endpoints", want+", because listen offers it")
		}
		o.note("endpoints", nil, "none")
	case f.node.Kind == yaml.MappingNode:
		dep.Resolve = o.resolve()
	default:
		o.listed(dep, f, want)
	}
}

// resolve reads a name whose addresses are the endpoints.
func (o *object) resolve() *Resolve {
	const example = "a name and a port, such as pricing.internal:8080"
	s := o.section("endpoints", "a section such as {dns: pricing.internal:8080}")
	defer s.close()
	r := &Resolve{Scheme: "http", Every: defaultEvery, Timeout: defaultAsk}
	choose(s, "type", &r.Type, recordTypes...)
	name := ""
	s.require("dns", example)
	f := s.text("dns", &name, addressForm, example)
	host, port, ported := strings.Cut(name, ":")
	r.Host, r.Port = host, port
	switch {
	case name == "":
	case r.Type == RecordSRV && ported:
		f.fail(quote(f.node)+" has a port", "leave it out: SRV records have ports of their own")
	case r.Type != RecordSRV && (!ported || !goodPort(port, 1)):
		f.fail(quote(f.node)+" has no usable port", "give "+example)
	case strings.Contains(host, "..") || r.Type != RecordSRV && !goodHost(host):
		f.fail(quote(f.node)+" is not a name", "give "+example)
	}
	s.note("dns", f, name)
	choose(s, "scheme", &r.Scheme, schemeNames...)
	s.duration("every", &r.Every, within(time.Second, 24*time.Hour, "30s"))
	s.duration("timeout", &r.Timeout, within(time.Millisecond, time.Minute, "5s"))
	s.zone(&r.Zone, "none")
	return r
}

// listed reads endpoints that stand in the file.
func (o *object) listed(dep *Dependency, f *field, want string) {
	items := f.items(want + ", or {dns: pricing.internal:8080}")
	if len(items) > maxEndpoints {
		f.fail("lists more than 64 endpoints", "put a load balancer in between")
		items = items[:maxEndpoints]
	}
	var shown []string
	seen := map[string]bool{}
	for _, item := range items {
		u, peer := item.endpoint()
		if u == nil {
			continue
		}
		if seen[canonical(u)] {
			item.fail(strconv.Quote(u.String())+" is in the list already", "remove it")
			continue
		}
		seen[canonical(u)] = true
		dep.Endpoints = append(dep.Endpoints, u)
		dep.Peers = append(dep.Peers, peer)
		shown = append(shown, u.String())
	}
	o.note("endpoints", f, strings.Join(shown, ", "))
}

// endpoint reads one of a list: an origin, or a section with one.
func (f *field) endpoint() (*url.URL, balance.Peer) {
	peer := balance.Peer{Weight: 1}
	if f.node.Kind != yaml.MappingNode {
		return f.origin(), peer
	}
	s := objectOf(f, "a section such as {url: http://127.0.0.1:9101, weight: 2}")
	defer s.close()
	var u *url.URL
	if at := s.require("url", "an origin such as http://127.0.0.1:9101"); at != nil {
		if u = at.origin(); u != nil {
			s.note("url", at, u.String())
		}
	}
	weight := 1
	s.integer("weight", &weight, within[int](1, 1000, "2"))
	peer.Weight = float64(weight)
	s.zone(&peer.Zone, "none")
	return u, peer
}

// origin reads a scheme, a host and a port, and nothing else: what belongs to
// a request is the caller's.
func (f *field) origin() *url.URL {
	const fix = "give an origin such as http://127.0.0.1:9101"
	text, ok := textOf(f, nil, "an origin such as http://127.0.0.1:9101")
	if !ok {
		return nil
	}
	u, err := url.Parse(text)
	problem := ""
	switch {
	case err != nil || u.Opaque != "" || u.Host == "" && u.Scheme != "http" && u.Scheme != "https":
		problem = "is not an origin"
	case u.Scheme != "http" && u.Scheme != "https":
		problem = "has a scheme other than http and https"
	case !goodHost(u.Hostname()) || strings.HasSuffix(u.Host, ":"),
		u.Port() != "" && !goodPort(u.Port(), 1):
		problem = "has no usable host and port"
	case u.User != nil:
		problem = "holds a user name, which does not belong in a policy"
	case u.Path != "" && u.Path != "/", strings.ContainsAny(text, "?#"):
		problem = "has more than an origin"
	}
	if problem != "" {
		f.fail(quote(f.node)+" "+problem, fix)
		return nil
	}
	u.Path, u.RawPath = "", ""
	return u
}

func canonical(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}
