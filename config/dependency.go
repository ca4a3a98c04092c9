package config

import (
	"regexp"
	"time"

	"github.com/seakeep/seakeep/core/call"
)

// nameForm is what services, dependencies and operations may be called: a name
// that needs no quoting in paths, metrics, host names and shells.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)

const (
	nameFix = "a name of up to 63 letters, digits, dots, hyphens and underscores, " +
		"such as checkout"
	maxEndpoints = 64 // a bit each in the word that says which were tried
)

// top reads the whole file.
func (o *object) top(f *File) {
	defer o.close()
	o.version(&f.Version)
	o.require("service", "the name of this service, such as checkout")
	service := o.text("service", &f.Service, nameForm, nameFix)
	o.note("service", service, f.Service)
	admin := o.section("admin", "a section such as {listen: 127.0.0.1:9901}")
	admin.listen(&f.Admin.Listen, "admin")
	admin.close()

	o.serve(f)
	o.dependencies(f)
	o.slo(f)
}

// dependencies reads what the service calls.
func (o *object) dependencies(f *File) {
	const example = "what the service calls, such as pricing: {endpoints: [http://127.0.0.1:9101]}"
	if f.Serve == nil {
		o.require("dependencies", example)
	}
	if o.find("dependencies") == nil {
		return
	}
	all := o.section("dependencies", example)
	if !all.broken && len(all.order) == 0 {
		all.d.failAt(all.at.Line, all.at.Column, "dependencies", "names nothing", "give "+example)
	}
	for _, field := range all.each() {
		f.Dependencies = append(f.Dependencies, field.dependency())
	}
}

// version reads the version of the format, which every file begins with.
func (o *object) version(out *int) {
	if v := o.require("version", "version: 1"); v != nil && v.quoted() {
		v.fail(quote(v.node)+" is text", "write it without quotes")
	}
	choose(o, "version", out, option[int]{"1", 1})
}

func (f *field) dependency() *Dependency {
	dep := &Dependency{Name: f.key.Value}
	if !nameForm.MatchString(dep.Name) {
		f.failKey("not a name for a dependency", "give "+nameFix)
	}
	o := objectOf(f, "a section such as {endpoints: [http://127.0.0.1:9101]}")
	defer o.close()
	o.d.current = dep.Name
	o.d.names = append(o.d.names, dep.Name)
	choose(o, "kind", &dep.Kind,
		option[Kind]{"critical", Critical}, option[Kind]{"optional", Optional},
		option[Kind]{"async", Async})
	o.about(dep)
	o.listen(&dep.Listen, dep.Name)
	dep.ListenTLS = o.listenTLS(dep.Listen)
	o.endpoints(dep)
	o.balance(&dep.Balance)
	dep.Outlier = o.outlier(dep)
	dep.Health = o.checks(dep)
	if dep.Listen != "" {
		o.d.offered = append(o.d.offered, dep.Name)
	}
	if o.lookup("endpoints") != nil {
		o.d.reachable = append(o.d.reachable, dep.Name)
	}
	o.measured(&dep.Measured)
	dep.Call.Name = dep.Name
	per := o.settings(&dep.Settings)
	o.connections(&dep.Connections, dep.limit())
	o.protocol(&dep.Protocol, dep.has)
	o.endpointsTLS(dep)
	o.keyed(dep, per)
	o.warnWaits(dep)
	o.warnInsecure("tls", dep.TLS)
	o.warnings(&dep.Settings, dep.Measured)
	o.warnHedge(&dep.Settings, dep)
	dep.Shards = o.shards(dep)
	dep.Failover = o.failover()
	o.operations(dep)
	dep.Faults = o.faults(faultsAmong(dep))
	return dep
}

// about reads what is known of a dependency beside how calls to it are
// protected.
func (o *object) about(dep *Dependency) {
	promised := within(0.01, 0.999999, "99.9%")
	promised.off = "unknown"
	o.share("availability", &dep.Availability, promised)
	f := o.text("when-down", &dep.WhenDown, valueForm, "text without line breaks")
	o.note("when-down", f, shown(dep.WhenDown))
	f = o.text("policy", &dep.Policy, valueForm, "the path of a policy file")
	o.note("policy", f, shown(dep.Policy))
}

// settings reads the rungs. The bulkhead comes after the timeout, which holds
// the wait for a slot.
func (o *object) settings(s *Settings) (per scope) {
	o.timeout(s)
	o.retry(s)
	per = o.breaker(s)
	o.bulkhead(s)
	o.throttle(s)
	o.hedge(s)
	o.response(&s.Response)
	o.fallback(s)
	return per
}

// keyed checks that the proxy can know the key of a request.
func (o *object) keyed(dep *Dependency, per scope) {
	if dep.Listen != "" && per == perKey && o.lookup("breaker.key") == nil {
		o.lookup("breaker.per").fail("the proxy cannot know the key of a request",
			"add key, the name of the header that holds it, such as X-Tenant")
	}
}

func (o *object) measured(m *Measured) {
	s := o.section("measured", "a section such as {rate: 333/s, p50: 20ms, p99: 75ms, p999: 110ms}")
	defer s.close()
	rate := within(0.0001, fastest, "333/s")
	rate.off = "unknown"
	s.rate("rate", &m.Rate, rate)
	quantile := func(like string) limits[time.Duration] {
		l := positive(like)
		l.off = "unknown"
		return l
	}
	s.duration("p50", &m.P50, quantile("20ms"))
	s.duration("p99", &m.P99, quantile("75ms"))
	s.duration("p999", &m.P999, quantile("110ms"))
	usual := within(0.0, 0.99, "0.5%")
	usual.off = "unknown"
	s.share("errors", &m.Errors, usual)
	const fix = "give p50 <= p99 <= p999"
	if m.P99 > 0 && m.P50 > m.P99 {
		s.refuse("p50", showDuration(m.P50)+" is above p99, "+showDuration(m.P99), fix)
	}
	if m.P999 > 0 && max(m.P50, m.P99) > m.P999 {
		s.refuse("p999", showDuration(m.P999)+" is below a lower quantile", fix)
	}
}

// own returns the rungs that an operation does not share with its dependency.
func (o *object) own(s *Settings, dep *Dependency, per scope) (own call.Rungs) {
	if s.Call.Breaker != nil && (o.fields["breaker"] != nil || per == perOperation) {
		own |= call.RungBreaker
	}
	if s.Call.Bulkhead != nil && o.fields["bulkhead"] != nil {
		own |= call.RungBulkhead
	}
	if s.Call.Throttle != nil && o.fields["throttle"] != nil {
		own |= call.RungThrottle
	}
	f := o.fields["retry"]
	written := f != nil && quiet(f).fields["budget"] != nil
	if s.Call.Budget != nil && (written || dep.Call.Budget == nil) {
		own |= call.RungRetry
	}
	return own
}
