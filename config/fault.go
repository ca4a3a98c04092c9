package config

import (
	"net/netip"
	"time"

	"github.com/seakeep/seakeep/core/fault"
)

// Faults is what may be hurt on purpose, and by whose word.
type Faults struct {
	fault.Config
	Trust []netip.Prefix // who may mark requests, at the proxy's listeners
}

// FaultHeader marks a request for the rules that it names, with commas between.
const FaultHeader = "X-Seakeep-Fault"

// Trusts reports whether whoever sits at this address may mark requests.
func (c *Faults) Trusts(addr netip.Addr) bool { return contains(c.Trust, addr) }

// among is what a rule's scope may name.
type among struct {
	owner      string // the name that events have
	operations []Operation
	endpoints  []string
}

// faults reads what may be hurt, after the operations and endpoints that rules
// name.
func (o *object) faults(of among) *Faults {
	s, on := o.rung("faults", "{allow: true}")
	if !on {
		return nil
	}
	defer s.close()
	c := &Faults{Config: fault.Config{Name: of.owner}.Filled()}
	s.boolean("allow", &c.Allow)
	s.share("share", &c.Share, within(0.0001, 1, "20%"))
	s.integer("concurrent", &c.Concurrent, within(1, 1_000_000, "100"))
	s.faultTrust(c)
	s.abort(&c.Abort)
	if f := s.find("rules"); f != nil {
		const want = "a list such as [{name: slow, kind: latency, delay: 100ms, share: 10%}]"
		for _, item := range f.items(want) {
			rule := objectOf(item, "a section such as {name: slow, kind: latency, share: 10%}")
			c.Rules = append(c.Rules, rule.faultRule(of))
			rule.close()
		}
	}
	s.check(c.Validate(), map[string]string{"Share": "share", "Concurrent": "concurrent",
		"Rules": "rules"})
	return c
}

func (o *object) faultTrust(c *Faults) {
	f := o.find("trust")
	if f == nil {
		o.note("trust", nil, "nobody")
		return
	}
	c.Trust = f.networks()
	o.note("trust", f, showNetworks(c.Trust))
}

func (o *object) abort(a *fault.Abort) {
	s, on := o.rung("abort", "{success: 90%}")
	if !on {
		return
	}
	defer s.close()
	s.require("success", "the least share of calls that must succeed, such as 90%")
	s.share("success", &a.Success, within(0.0001, 1, "90%"))
	s.duration("window", &a.Window, within(10*time.Millisecond, time.Hour, "10s"))
	s.integer("calls", &a.Minimum, within(1, 1_000_000, "20"))
}

func faultKinds() (all []option[fault.Kind]) {
	for k := fault.Latency; k.String() != "invalid"; k++ {
		all = append(all, option[fault.Kind]{k.String(), k})
	}
	return all
}

// faultRule reads one rule. What a kind does not use must not be there.
func (o *object) faultRule(of among) (r fault.Rule) {
	r.For = 5 * time.Minute
	o.require("name", "a name such as slow-search")
	name := o.text("name", &r.Name, nameForm, nameFix)
	o.note("name", name, r.Name)
	o.require("kind", "what to do, such as latency")
	choose(o, "kind", &r.Hurt.Kind, faultKinds()...)
	o.require("share", "the share of requests to hurt, such as 10%")
	o.share("share", &r.Share, within(0.0001, 1, "10%"))
	o.duration("for", &r.For, within(time.Millisecond, fault.MaxFor, "5m"))
	o.faultScope(&r.Scope, of)
	o.hurt(&r.Hurt)
	o.check(r.Validate(), map[string]string{"Name": "name", "Kind": "kind", "Share": "share",
		"For": "for", "Path": "path", "Method": "method", "Delay": "delay", "Jitter": "jitter",
		"Normal": "jitter", "Status": "status", "GRPC": "grpc", "Bytes": "bytes"})
	return r
}

func (o *object) faultScope(s *fault.Scope, of among) {
	if f := o.text("operation", &s.Operation, nameForm, nameFix); f != nil {
		known := false
		for i := range of.operations {
			known = known || of.operations[i].Name == s.Operation
		}
		if !known {
			f.fail(quote(f.node)+" is not an operation of it", "give the name of one, or leave it out")
		}
		o.note("operation", f, s.Operation)
	}
	if f := o.find("endpoint"); f != nil {
		o.faultEndpoint(f, s, of)
	}
	if f := o.text("method", &s.Method, methodForm, "a method in capitals such as GET"); f != nil {
		o.note("method", f, s.Method)
	}
	const path = "a path such as /search, or a prefix such as /api/*"
	if f := o.text("path", &s.Path, pathForm, path); f != nil {
		o.note("path", f, s.Path)
	}
	o.boolean("marked", &s.Marked)
}

func (o *object) faultEndpoint(f *field, s *fault.Scope, of among) {
	u := f.origin()
	if u == nil {
		return
	}
	for _, known := range of.endpoints {
		if known == u.String() {
			s.Endpoint = known
			o.note("endpoint", f, known)
			return
		}
	}
	f.fail(quote(f.node)+" is not one of its endpoints", "give one of them, or leave it out")
}

// hurt reads what a kind needs, each with a default.
func (o *object) hurt(h *fault.Hurt) {
	is := func(key string, like string, kinds ...fault.Kind) bool {
		f := o.find(key)
		for _, k := range kinds {
			if h.Kind == k {
				return true
			}
		}
		if f != nil && h.Kind != 0 {
			f.failKey(h.Kind.String()+" has no "+key, like)
		}
		return false
	}
	if is("delay", "only latency, reset and slow-body have one", fault.Latency, fault.Reset,
		fault.SlowBody) {
		if h.Kind != fault.Reset {
			h.Delay = 100 * time.Millisecond
		}
		o.duration("delay", &h.Delay, within(0, time.Hour, "100ms"))
	}
	if is("jitter", "only latency has one", fault.Latency) {
		o.duration("jitter", &h.Jitter, within(0, time.Hour, "20ms"))
	}
	if is("shape", "only latency has one", fault.Latency) {
		choose(o, "shape", &h.Normal, option[bool]{"uniform", false}, option[bool]{"normal", true})
	}
	if is("grpc", "only error has one", fault.Error) && o.find("grpc") != nil {
		o.integer("grpc", &h.GRPC, within(1, 16, "14"))
	}
	if is("status", "only error has one", fault.Error) {
		if o.find("grpc") == nil {
			h.Status = 503
		}
		if o.find("grpc") == nil || o.find("status") != nil {
			o.integer("status", &h.Status, within(400, 599, "503"))
		}
	}
	if is("bytes", "only slow-body and bandwidth have them", fault.SlowBody, fault.Bandwidth) {
		h.Bytes = 1 << 10
		if h.Kind == fault.Bandwidth {
			h.Bytes = 16 << 10
		}
		o.size("bytes", &h.Bytes, within[int64](1, 1<<40, "16KiB"))
	}
}

// ReadFault reads a rule as an operator gives it, with the keys and words of the
// file, as YAML or JSON. A nil dependency is the door.
func ReadFault(text []byte, dep *Dependency) (r fault.Rule, err error) {
	d := newDecoder("fault", policyFile)
	top := d.root(text)
	if top != nil {
		var of among
		if dep != nil {
			of = faultsAmong(dep)
		}
		o := objectOf(top, "a section such as {name: slow, kind: latency, share: 10%}")
		r = o.faultRule(of)
		o.close()
	}
	if len(d.errs) > 0 {
		return r, d.errs
	}
	return r, nil
}

func faultsAmong(d *Dependency) among {
	of := among{owner: d.Name, operations: d.Operations}
	for _, u := range d.Endpoints {
		of.endpoints = append(of.endpoints, u.String())
	}
	return of
}
