package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	maxServices = 1000
	maxClients  = 100
	maxChanges  = 1000
)

// seeds are whole numbers that JSON and JavaScript keep exactly.
var seeds = kind[uint64]{"a whole number", parseSeed,
	func(n uint64) string { return strconv.FormatUint(n, 10) }, false}

func parseSeed(text string) (uint64, string) {
	if _, problem := parseInteger(text); problem != "" {
		return 0, problem
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, "is too large"
	}
	return n, ""
}

// scenario reads the whole file. Services come before what refers to them.
func (o *object) scenario(st *staging) {
	defer o.close()
	s := st.s
	o.version(&s.Version)
	o.require("name", "a name such as checkout-cascade")
	f := o.text("name", &s.Name, nameForm, nameFix)
	o.note("name", f, s.Name)
	f = o.text("about", &s.About, nil, "text, in quotes if need be")
	o.note("about", f, shown(shorten(s.About)))
	read(o, "seed", &s.Seed, seeds, within[uint64](0, 1<<53-1, "1"))
	o.runs(s)
	o.find("clients")
	o.find("services")
	st.readServices(o)
	st.readClients(o)
	st.readChanges(o)
	st.readExpect(o)
}

// runs reads how long and how often to run.
func (o *object) runs(s *Scenario) {
	o.require("for", "how long a run is, such as 65s")
	o.duration("for", &s.For, within(time.Millisecond, 30*day, "65s"))
	o.duration("warmup", &s.Warmup, within(0, 30*day, "10s"))
	if f := o.find("warmup"); f != nil && s.For > 0 && s.Warmup >= s.For {
		f.fail(showDuration(s.Warmup)+" leaves nothing of the run, "+showDuration(s.For),
			"give less than for")
	}
	o.integer("runs", &s.Runs, within(1, 1000, "5"))
}

// members returns the fields of a section that needs at least one.
func (o *object) members(key, example string, most int) []*field {
	if o.require(key, example) == nil {
		return nil
	}
	all := o.section(key, example)
	fields := all.each()
	switch {
	case all.broken:
	case len(fields) == 0:
		all.d.failAt(all.at.Line, all.at.Column, all.path, "names nothing", "give "+example)
	case len(fields) > most:
		all.d.failAt(all.at.Line, all.at.Column, all.path,
			fmt.Sprintf("has more than %d %s", most, key), "give fewer")
		fields = fields[:most]
	}
	return fields
}

// claim takes a name for a client or a service. In reports and in changes one
// name means one thing.
func (st *staging) claim(f *field, what string) {
	name := f.key.Value
	if !nameForm.MatchString(name) {
		f.failKey("not a name for "+what, "give "+nameFix)
		return
	}
	if other := st.owners[name]; other != "" {
		f.failKey(fmt.Sprintf("%q is %s already", name, other), "give each its own name")
	}
	st.owners[name] = what
}

// serviceAt reads the name of a service. It returns nil after a mistake.
func (o *object) serviceAt(st *staging, key string, out *string) *stagedService {
	f := o.text(key, out, nameForm, "the name of a service")
	o.note(key, f, shown(*out))
	if f == nil || *out == "" || len(st.services) == 0 {
		return nil
	}
	return st.serviceOf(f, *out)
}

// serviceOf returns the service of that name, or records that there is none.
func (st *staging) serviceOf(f *field, name string) *stagedService {
	s := st.services[name]
	if s == nil {
		f.fail(quote(f.node)+" is no service of this scenario", st.instead(name))
	}
	return s
}

// instead says what to do about the name of a service that is not there.
func (st *staging) instead(name string) string {
	names := make([]string, len(st.s.Services))
	for i, s := range st.s.Services {
		names[i] = s.Name
	}
	if near := nearest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return "add it under services, or give the name of another one"
}

// routeOf returns the route of that name. If there is none, fail is told.
func (s *stagedService) routeOf(name string, fail func(problem, fix string)) *Route {
	r := s.Route(name)
	if r != nil || s.blind {
		return r
	}
	names := make([]string, len(s.Routes))
	for i, r := range s.Routes {
		names[i] = r.Name
	}
	fix := "give one of " + strings.Join(names[:min(len(names), 10)], ", ")
	if near := nearest(name, names); near != "" {
		fix = "did you mean " + near + "?"
	}
	fail(fmt.Sprintf("%s has no route %q", s.Name, shorten(name)), fix)
	return nil
}
