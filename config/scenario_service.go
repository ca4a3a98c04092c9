package config

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

const (
	maxInstances = 64  // as many endpoints as a policy may have
	maxRoutes    = 100 // of one service
	maxSteps     = 100 // of one route
	maxAtOnce    = 8   // calls that a request makes at the same time
	oneRoute     = "default"
)

func (st *staging) readServices(o *object) {
	const example = "what answers, such as pricing: {work: {floor: 5ms, mean: 20ms}}"
	for _, f := range o.members("services", example, maxServices) {
		st.claim(f, "a service")
		before := st.d.failures
		s := &stagedService{Service: &Service{Name: f.key.Value, Instances: 1}, at: f}
		st.s.Services = append(st.s.Services, s.Service)
		st.services[s.Name] = s
		v := objectOf(f, "a section such as {work: {floor: 5ms, mean: 20ms}}")
		v.service(st, s)
		v.close()
		s.blind = st.d.failures > before
	}
	for _, s := range st.s.Services {
		st.resolve(st.services[s.Name])
	}
}

// service reads one service.
func (o *object) service(st *staging, s *stagedService) {
	s.Policy, s.policy = o.policy(st)
	o.integer("instances", &s.Instances, within(1, maxInstances, "3"))
	o.pool(s.Service)
	o.offers(s)
	s.Capacity = o.capacity()
	choose(o, "abandoned", &s.Abandoned,
		option[Abandoned]{"runs-on", RunsOn}, option[Abandoned]{"stops", Stops})
	o.boolean("ignore-deadline", &s.IgnoreDeadline)
	o.boolean("unmarked", &s.Unmarked)
	o.readThrough(s.Service)
	o.health(s.Service)
	o.network(&s.Network)
}

// pool reads the workers and who waits for them.
func (o *object) pool(s *Service) {
	l := within[int](1, 1e6, "200")
	l.off = "as many as it takes"
	o.integer("workers", &s.Workers, l)
	if o.lookup("workers") != nil {
		o.queue(&s.Queue)
		o.boolean("release-while-waiting", &s.ReleaseWhileWaiting)
		return
	}
	o.onlyWith(false, "workers", "queue", "release-while-waiting")
	o.note("queue", nil, "off")
	o.note("release-while-waiting", nil, "false")
}

// queue reads the rule of the queue: a bare word, or a section.
func (o *object) queue(q *Queue) {
	s := o.short("queue", "rule",
		"a rule such as refuse, or a section such as {rule: fifo, length: 20}")
	defer s.close()
	choose(s, "rule", &q.Rule, option[Rule]{"refuse", Refuse}, option[Rule]{"fifo", FIFO},
		option[Rule]{"lifo", LIFO}, option[Rule]{"codel", CoDel})
	bad := s.d.failures > s.clean // then what goes with the rule is not known
	if q.Rule == Refuse {
		s.onlyWith(bad, "a rule that lets them wait", "length", "drop-expired")
	} else {
		l := within[int](1, 1e6, "20")
		l.off = "without a bound"
		s.integer("length", &q.Length, l)
		s.boolean("drop-expired", &q.DropExpired)
	}
	if q.Rule != CoDel {
		s.onlyWith(bad, "rule: codel", "target", "interval")
		return
	}
	q.Target, q.Interval = 5*time.Millisecond, 100*time.Millisecond
	s.duration("target", &q.Target, within(time.Microsecond, time.Hour, "5ms"))
	s.duration("interval", &q.Interval, within(time.Microsecond, time.Hour, "100ms"))
	if q.Interval < q.Target {
		s.refuse("interval", showDuration(q.Interval)+" is less than target, "+
			showDuration(q.Target), "give more than target; RFC 8289 has 5ms and 100ms")
	}
}

// onlyWith refuses keys that have a meaning only beside another one. If that
// one is bad they are let pass.
func (o *object) onlyWith(bad bool, other string, keys ...string) {
	for _, key := range keys {
		if f := o.find(key); f != nil && !bad {
			f.failKey(key+" means nothing without "+other, "add that, or remove it")
		}
	}
}

// offers reads the routes. A service without routes has one, written in its
// place.
func (o *object) offers(s *stagedService) {
	own := []string{"work", "features", "fails", "status", "calls"}
	if f := o.find("routes"); f == nil {
		if o.lookup("work") == nil && o.lookup("calls") == nil && !o.broken {
			o.find("work")
			o.missing("work", "how long it works, such as 20ms or {floor: 5ms, mean: 20ms}, "+
				"or routes")
		}
		s.Routes = []*Route{o.route(oneRoute, s)}
		return
	}
	o.notWith("routes", own...)
	const example = "what it can be asked, such as quote: {work: 2ms}"
	for _, f := range o.members("routes", example, maxRoutes) {
		name := f.key.Value
		if !nameForm.MatchString(name) {
			f.failKey("not a name for a route", "give "+nameFix)
		}
		r := objectOf(f, "a section such as {work: 2ms, calls: [pricing]}")
		s.Routes = append(s.Routes, r.route(name, s))
		r.close()
	}
}

// route reads what one route does.
func (o *object) route(name string, s *stagedService) *Route {
	r := &Route{Name: name, Status: 500}
	o.latency("work", &r.Work)
	o.features(r, s.Policy)
	o.share("fails", &r.Fails, within[float64](0, 1, "5%"))
	o.integer("status", &r.Status, within(400, 599, "500"))
	o.steps(r, s)
	return r
}

// steps reads the calls that a route makes.
func (o *object) steps(r *Route, s *stagedService) {
	f := o.find("calls")
	if f == nil {
		o.note("calls", nil, "none")
		return
	}
	if s.policy == nil {
		f.failKey("nothing says how "+s.Name+" makes its calls",
			"add policy, the path of a policy file, to the service")
	}
	items := f.items("a list such as [pricing], or [{dependency: pricing, to: prices}]")
	if len(items) > maxSteps {
		f.fail(fmt.Sprintf("lists more than %d calls", maxSteps), "give fewer")
		return
	}
	r.Calls = make([]Step, len(items)) // steps are pointed at until they are resolved
	var shown []string
	atOnce := 1
	for i, item := range items {
		step := item.step(&r.Calls[i], s)
		if step == nil {
			continue
		}
		shown = append(shown, step.Dependency)
		switch atOnce++; {
		case !step.Parallel:
			atOnce = 1
		case i == 0:
			item.fail("the first call has none before it to be parallel to", "remove parallel")
		case atOnce == maxAtOnce+1:
			item.fail(fmt.Sprintf("more than %d calls at the same time", maxAtOnce),
				"make some of them one after the other")
		}
	}
	o.note("calls", f, strings.Join(shown, ", "))
}

// step reads one call: the bare name of a dependency, or a section.
func (f *field) step(step *Step, s *stagedService) *Step {
	const want = "the name of a dependency such as pricing, or a section such as " +
		"{dependency: pricing, to: prices, route: quote}"
	o := f.d.object(f.path, f.pattern, f.node)
	if f.node.Kind == yaml.MappingNode {
		o = objectOf(f, want)
	} else {
		o.fields["dependency"] = f
	}
	defer o.close()
	dep := o.require("dependency", "the name of a dependency of the policy, such as pricing")
	if _, ok := o.dependencyName(&step.Dependency); !ok {
		return nil
	}
	step.To, _, _ = strings.Cut(step.Dependency, "/")
	target := dep
	if to := o.find("to"); to != nil {
		target = to
		o.named("to", &step.To)
	}
	o.note("to", o.fields["to"], step.To)
	route, _ := o.named("route", &step.Route)
	if route == nil {
		o.note("route", nil, "the first")
	}
	o.boolean("parallel", &step.Parallel)
	s.steps = append(s.steps, stagedStep{step, dep, target, route})
	return step
}

// dependencyForm is a dependency of a policy, or an operation of one.
var dependencyForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}` +
	`(/[A-Za-z0-9][A-Za-z0-9._-]{0,62})?$`)

func (o *object) dependencyName(out *string) (*field, bool) {
	f := o.text("dependency", out, dependencyForm,
		"the name of a dependency such as pricing, or of an operation such as pricing/search")
	if f != nil && *out != "" {
		o.note("dependency", f, *out)
	}
	return f, *out != ""
}

// named reads a name and reports whether it is one.
func (o *object) named(key string, out *string) (*field, bool) {
	f := o.text(key, out, nameForm, nameFix)
	if f != nil && *out != "" {
		o.note(key, f, *out)
	}
	return f, *out != ""
}
