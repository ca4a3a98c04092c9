package config

import (
	"slices"
	"strings"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/slo"
)

// SLO is what users may expect of the service, and what follows when they do not
// get it.
type SLO struct {
	Store  string        // InMemory, or the path of a file that outlives the process
	Flush  time.Duration // how often what was counted goes there
	Beacon string        // path at the door where clients tell what they saw; empty: none
	// BeaconRate bounds beacons there, in beacons a second, and BeaconClient those of
	// one client.
	BeaconRate, BeaconClient float64

	Observe    bool        // policies of budgets are told of and not followed
	Objectives []Objective // as written
}

// Objective returns the objective of that name, or nil.
func (s *SLO) Objective(name string) *Objective {
	if s == nil {
		return nil
	}
	for i := range s.Objectives {
		if s.Objectives[i].Name == name {
			return &s.Objectives[i]
		}
	}
	return nil
}

// Objective is one promise, and where it is looked at.
type Objective struct {
	Name       string
	Place      Place
	Dependency string             // PlaceCalls: whose calls
	Paths      []string           // PlaceServe: exact, or a prefix if it ends in *; empty: all
	Classes    []core.Criticality // PlaceServe: of requests; empty: all
	slo.Config
}

// Place is where an objective's events are counted.
type Place uint8

const (
	// PlaceServe counts the answers of the service itself, refusals included.
	PlaceServe Place = iota
	// PlaceBeacon counts what clients say that they saw.
	PlaceBeacon
	// PlaceCalls counts the calls to a dependency, with what their retries,
	// copies and fallbacks made of them.
	PlaceCalls
)

var placeNames = [...]string{"serve", "beacon", "calls"}

// String returns "serve", "beacon" or "calls".
func (p Place) String() string {
	if int(p) < len(placeNames) {
		return placeNames[p]
	}
	return "invalid"
}

// Counts reports whether a request to a path, of a class, is one of the
// objective's.
func (v *Objective) Counts(path string, class core.Criticality) bool {
	if len(v.Classes) > 0 && !slices.Contains(v.Classes, class) {
		return false
	}
	for _, p := range v.Paths {
		if prefix, ok := strings.CutSuffix(p, "*"); ok && strings.HasPrefix(path, prefix) || p == path {
			return true
		}
	}
	return len(v.Paths) == 0
}

const objectivesExample = "objectives such as [{name: checkout, objective: 99.9%, latency: 300ms}]"

// slo reads the objectives: a list, or a section with the list in it.
func (o *object) slo(f *File) {
	at := o.find("slo")
	if at == nil || at.is(off) {
		o.note("slo", at, "off")
		return
	}
	s := o.short("slo", "objectives", "a list of "+objectivesExample+", or a section, or "+off)
	defer s.close()
	v := &SLO{Store: InMemory, Flush: 10 * time.Second, BeaconRate: 100, BeaconClient: 1}
	f.SLO = v
	s.sloStore(v, f)
	s.duration("flush", &v.Flush, within(time.Second, time.Hour, "10s"))
	beacon := s.text("beacon", &v.Beacon, pathForm, "a path such as /beacon")
	s.note("beacon", beacon, shown(v.Beacon))
	if beacon != nil && f.Serve == nil {
		beacon.failKey("there is no door to have it at", "add serve, or remove it: the admin "+
			"address always takes beacons")
	}
	s.rate("beacon-rate", &v.BeaconRate, within(0.001, 1e6, "100/s"))
	s.rate("beacon-client-rate", &v.BeaconClient, within(0.001, 1e6, "1/s"))
	for _, key := range []string{"beacon-rate", "beacon-client-rate"} {
		if f := s.lookup(key); f != nil && beacon == nil {
			f.failKey("bounds what comes to slo.beacon, and there is none", "add beacon, a path such as /beacon, "+
				"or remove it: the admin address has no such bound")
		}
	}
	v.Observe = s.observes()
	list := s.require("objectives", objectivesExample)
	if list == nil {
		return
	}
	for _, item := range list.items(objectivesExample) {
		if one, ok := item.objective(f); ok {
			if v.Objective(one.Name) != nil {
				item.fail("there is an objective "+one.Name+" already", "give each its own name")
			}
			v.Objectives = append(v.Objectives, one)
		}
	}
	if len(v.Objectives) > mostObjectives {
		list.fail("more than 100 objectives", "keep those that somebody acts on")
	}
}

// mostObjectives bounds the list. Each takes some 70 KiB.
const mostObjectives = 100

func (o *object) sloStore(v *SLO, f *File) {
	store := o.text("store", &v.Store, nil, "text: memory, or the path of a file")
	o.note("store", store, v.Store)
	switch {
	case store == nil:
	case v.Store == "":
		store.fail(`"" is not the path of a file`, "give memory, or the path of a file")
	case v.Store != InMemory && f.Serve != nil && f.Serve.Idempotency != nil &&
		f.Serve.Idempotency.Store == v.Store:
		store.fail(quote(store.node)+" is the file of serve.idempotency", "give each its own file")
	}
}

// objective reads one; ok is false if it has not even a name.
func (f *field) objective(file *File) (v Objective, ok bool) {
	o := objectOf(f, "a section such as {name: checkout, objective: 99.9%}")
	defer o.close()
	o.require("name", "a name such as checkout")
	name := o.text("name", &v.Name, nameForm, nameFix)
	o.note("name", name, v.Name)
	o.require("objective", "the share of requests that must be good, such as 99.9%")
	o.share("objective", &v.Config.Objective, within(0.01, 0.999999, "99.9%"))
	limit := positive("300ms")
	limit.off = "any"
	o.duration("latency", &v.Latency, limit)
	limit.like = "1m"
	o.duration("freshness", &v.Freshness, limit)
	o.sloWindow(&v.Window)
	o.place(&v, file)
	o.sloPaths(&v)
	o.sloClasses(&v)
	o.sloAlerts(&v.Config)
	o.maintenance(&v.Config)
	o.sloPolicy(&v.Config, file)
	o.check(v.Config.Validate(), map[string]string{"Objective": "objective", "Alerts": "alerts",
		"Window.Period": "window", "Policy.Steps": "policy", "Maintenance": "maintenance"})
	if o.d.failures == o.clean {
		o.doubts(v.Config.Doubts())
		v.Config = v.Config.Filled()
	}
	return v, v.Name != ""
}

// doubts are what the objective says of itself, as warnings.
func (o *object) doubts(all []error) {
	for _, err := range all {
		_, text, _ := strings.Cut(err.Error(), ": ")
		problem, fix, _ := strings.Cut(text, "; ")
		o.warn([]string{"alerts"}, problem, fix)
	}
}

// place reads where events are counted.
func (o *object) place(v *Objective, file *File) {
	at := o.find("at")
	d := o.text("dependency", &v.Dependency, nameForm, "the name of a dependency of this file")
	switch {
	case d != nil && at != nil:
		at.failKey("is given beside dependency, whose calls are counted", "remove one of the two")
	case d != nil:
		v.Place = PlaceCalls
		if file.Dependency(v.Dependency) == nil && v.Dependency != "" {
			fix := "give the name of one"
			if near := nearest(v.Dependency, o.d.names); near != "" {
				fix = "did you mean " + near + "?"
			}
			d.fail(quote(d.node)+" is no dependency of this file", fix)
		}
	case at == nil && file.Serve == nil:
		o.missing("at", "where it is counted: beacon; or a dependency, whose calls are; or add serve")
	}
	if v.Place != PlaceCalls {
		choose(o, "at", &v.Place, option[Place]{"serve", PlaceServe},
			option[Place]{"beacon", PlaceBeacon})
	}
	if at != nil && v.Place == PlaceServe && file.Serve == nil {
		at.fail("there is no serve section whose answers could be counted", "add it, or give beacon")
	}
	o.note("dependency", d, shown(v.Dependency))
}

func (o *object) sloPaths(v *Objective) {
	f := o.find("paths")
	if f != nil {
		for _, item := range f.items("paths such as [/checkout, /api/*]") {
			if p, ok := textOf(item, pathForm, "a path such as /checkout or /api/*"); ok {
				v.Paths = append(v.Paths, p)
			}
		}
		if v.Place != PlaceServe {
			f.failKey("only what the service answers has a path", "remove it")
		}
	}
	o.note("paths", f, allOr(v.Paths))
}

func (o *object) sloClasses(v *Objective) {
	f := o.find("criticality")
	var words []string
	if f != nil {
		for _, item := range f.items("classes such as [critical, critical_plus]") {
			if c, ok := optionOf(item, classOptions()); ok {
				v.Classes = append(v.Classes, c)
				words = append(words, c.String())
			}
		}
		if v.Place != PlaceServe {
			f.failKey("only requests at the door have classes", "remove it")
		}
	}
	o.note("criticality", f, allOr(words))
}

// allOr shows a list whose absence means everything.
func allOr(words []string) string {
	if len(words) == 0 {
		return "all"
	}
	return strings.Join(words, ", ")
}
