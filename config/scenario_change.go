package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// effect is one thing that a change can do, by its key.
type effect struct {
	key  string
	kind ChangeKind
	// Who it happens to: a client, a service as a whole, a service by route or
	// by instance.
	of   target
	read func(o *object, st *staging, c *Change)
}

type target uint8

const (
	ofClient target = iota
	ofService
	ofRoutes
	ofInstances
)

var effects = []effect{
	{"rate", SetRate, ofClient, func(o *object, _ *staging, c *Change) {
		o.rate("rate", &c.Rate, within(0, 1e6, "1500/s"))
	}},
	{"work", SetWork, ofRoutes, func(o *object, _ *staging, c *Change) {
		o.latency("work", &c.Work)
	}},
	{"fails", SetFails, ofRoutes, func(o *object, _ *staging, c *Change) {
		o.share("fails", &c.Share, within[float64](0, 1, "50%"))
	}},
	{"down", GoDown, ofInstances, happens("down")},
	{"silent", GoSilent, ofInstances, happens("silent")},
	{"restart", Restart, ofInstances, happens("restart")},
	{"network", CutNetwork, ofService, func(o *object, _ *staging, c *Change) {
		choose(o, "network", &c.Buffered, option[bool]{"cut", false}, option[bool]{"buffered", true})
	}},
	{"capacity", SetCapacity, ofService, func(o *object, _ *staging, c *Change) {
		c.Capacity = o.capacity()
	}},
	{"admit", SetAdmission, ofService, func(o *object, st *staging, c *Change) {
		o.share("admit", &c.Share, within[float64](0, 1, "40%"))
		o.duration("ramp", &c.Ramp, within(0, day, "60s"))
	}},
	{"policy", SetPolicy, ofService, func(o *object, st *staging, c *Change) {
		c.Policy, _ = o.policy(st)
	}},
}

// happens reads a key whose only value is true: the change itself.
func happens(key string) func(o *object, st *staging, c *Change) {
	return func(o *object, _ *staging, _ *Change) {
		on := true
		o.boolean(key, &on)
		if !on {
			o.find(key).fail("false changes nothing", "write true, or remove the change")
		}
	}
}

func (st *staging) readChanges(o *object) {
	f := o.find("changes")
	if f == nil {
		return
	}
	items := f.items("a list such as [{at: 5s, for: 30s, service: pricing, work: 2s}]")
	if len(items) > maxChanges {
		f.fail(fmt.Sprintf("lists more than %d changes", maxChanges), "give fewer")
		return
	}
	var placed []placedChange
	for _, item := range items {
		v := objectOf(item, "a change such as {at: 5s, for: 30s, service: pricing, work: 2s}")
		c := Change{}
		good := v.change(st, &c) && st.d.failures == v.clean
		v.close()
		st.s.Changes = append(st.s.Changes, c)
		if good {
			numbers := slices.Clone(c.Instances)
			slices.Sort(numbers)
			placed = append(placed, placedChange{&c, item, numbers})
		}
	}
	st.crossChanges(placed)
	st.warnUnheard(placed)
}

// warnUnheard warns of orders to doors that are not there.
func (st *staging) warnUnheard(placed []placedChange) {
	for _, p := range placed {
		if p.Kind != SetAdmission || st.hasDoor(p.Of) {
			continue
		}
		st.d.warnings = append(st.d.warnings, Warning{File: st.d.file, Line: p.at.node.Line,
			Column: p.at.node.Column, Path: p.at.path + ".admit",
			Problem: "nobody hears of it, because " + p.Of + " has no door",
			Fix:     "add a serve section to its policy"})
	}
}

// hasDoor reports whether a policy that a service uses has a serve section.
func (st *staging) hasDoor(service string) bool {
	has := func(f *File) bool { return f != nil && f.Serve != nil }
	for i := range st.s.Changes {
		if c := &st.s.Changes[i]; c.Of == service && c.Kind == SetPolicy && has(c.Policy) {
			return true
		}
	}
	return has(st.s.Service(service).Policy)
}

// change reads when something happens, to whom, and what. It reports whether
// it could be read.
func (o *object) change(st *staging, c *Change) bool {
	at := o.require("at", "when it happens, such as 5s")
	o.duration("at", &c.At, within(0, 30*day, "5s"))
	l := within(time.Nanosecond, 30*day, "30s")
	l.off = "the rest of the run"
	o.duration("for", &c.Length, l)
	if at != nil && st.s.For > 0 && c.At >= st.s.For {
		at.fail(showDuration(c.At)+" is never reached, because the run ends after "+
			showDuration(st.s.For), "give less than for, at the top of the file")
	}
	if st.s.For > 0 && c.Length > 0 && c.At+c.Length > st.s.For && c.At < st.s.For {
		o.warn([]string{"for"}, fmt.Sprintf("it outlasts the run, which ends at %s",
			showDuration(st.s.For)), "leave for out, or make the run longer")
	}
	e := o.effect()
	if e == nil {
		for _, key := range []string{"client", "service", "route", "instances"} {
			o.find(key)
		}
		return false
	}
	c.Kind = e.kind
	e.read(o, st, c)
	if e.kind == Restart && o.find("for") == nil {
		o.missing("for", "how long it is away, such as 20s")
	}
	if e.kind != SetAdmission {
		o.onlyWith(false, "admit", "ramp")
	}
	if e.of == ofClient {
		o.ofClient(st, c, e)
		return true
	}
	o.ofService(st, c, e)
	return true
}

// effect returns the one effect that the change has.
func (o *object) effect() (chosen *effect) {
	keys := make([]string, len(effects))
	for i := range effects {
		e := &effects[i]
		keys[i] = e.key
		f := o.find(e.key)
		switch {
		case f == nil:
		case chosen == nil:
			chosen = e
		default:
			f.failKey("a change does one thing, and this one has "+chosen.key,
				"write a change of its own for "+e.key)
		}
	}
	if chosen == nil && !o.broken {
		o.d.failAt(o.at.Line, o.at.Column, o.path, "changes nothing", "give "+either(keys))
	}
	return chosen
}

// ofClient reads whose rate changes.
func (o *object) ofClient(st *staging, c *Change, e *effect) {
	o.notWith(e.key, "service", "route", "instances")
	o.require("client", "the name of the client whose "+e.key+" changes")
	f, ok := o.named("client", &c.Of)
	if !ok {
		return
	}
	client := st.s.Client(c.Of)
	switch {
	case len(st.s.Clients) == 0: // told already
	case client == nil:
		f.fail(quote(f.node)+" is no client of this scenario", st.insteadClient(c.Of))
	case client.Users > 0:
		f.fail(c.Of+" has users, not a rate", "give the name of a client with a rate")
	}
}

func (st *staging) insteadClient(name string) string {
	names := make([]string, len(st.s.Clients))
	for i, c := range st.s.Clients {
		names[i] = c.Name
	}
	if near := nearest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return "give one of " + strings.Join(names[:min(len(names), 10)], ", ")
}

// ofService reads which service changes, and which part of it.
func (o *object) ofService(st *staging, c *Change, e *effect) {
	o.notWith(e.key, "client")
	o.require("service", "the name of the service that changes")
	s := o.serviceAt(st, "service", &c.Of)
	if e.of == ofRoutes {
		if f, ok := o.named("route", &c.Route); ok && s != nil {
			s.routeOf(c.Route, f.fail)
		} else if f == nil {
			o.note("route", nil, "all")
		}
	} else {
		o.notWith(e.key, "route")
	}
	if e.of == ofInstances {
		o.chosen(c, s)
	} else {
		o.notWith(e.key, "instances")
	}
	if e.kind == SetAdmission && s != nil && s.policy == nil {
		o.find("admit").failKey(c.Of+" has no door", "give it a policy with a serve section")
	}
	if e.kind == SetPolicy && s != nil {
		f := o.find("policy")
		if s.policy == nil {
			f.failKey(c.Of+" makes no calls", "remove the change")
		}
		st.swaps = append(st.swaps, swap{s, c.Policy, f})
	}
}

// chosen reads the numbers of the instances that change.
func (o *object) chosen(c *Change, s *stagedService) {
	f := o.find("instances")
	if f == nil {
		o.note("instances", nil, "all")
		return
	}
	count := maxInstances
	if s != nil && !s.blind {
		count = s.Instances
	}
	l := within(0, count-1, "0")
	seen := map[int]bool{}
	var shown []string
	for _, item := range f.items("the numbers of instances, counted from 0, such as [0, 1]") {
		n, ok := scalarOf(item, integers, l)
		switch {
		case !ok:
		case seen[n]:
			item.fail(quote(item.node)+" is in the list already", "remove it")
		default:
			seen[n] = true
			c.Instances = append(c.Instances, n)
			shown = append(shown, strconv.Itoa(n))
		}
	}
	o.note("instances", f, strings.Join(shown, ", "))
}
