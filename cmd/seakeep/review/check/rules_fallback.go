package check

import (
	"fmt"
	"math"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"github.com/seakeep/seakeep/config"
)

const (
	oldest     = time.Hour // of an answer that a critical dependency is replaced by
	mostExtra  = 2         // times its own load that a fallback can take
	exercising = "1%"
)

var fallbackRules = []*Rule{
	{ID: "fallback-missing", Severity: Warning, Title: "the answer fails for what could be left out",
		Why: "The service can do without an optional dependency, but without a fallback the call fails " +
			"all the same, and the page with it.",
		Number:     "calls that fail while it is down, beside none",
		Fix:        "fallback: [omit: {}], or a cached or fixed answer",
		Bites:      "the dependency goes down",
		dependency: fallbackMissing},
	{ID: "fallback-shares-fate", Severity: Error, Title: "the fallback goes down together with what it stands in for",
		Why: "Both have the same address or machine. What takes the one away takes the other too, and " +
			"the fallback adds load on the way.",
		Number:     "endpoints in common, beside none",
		Fix:        "a cached or fixed answer, or a provider elsewhere",
		Bites:      "the host goes down",
		dependency: sharesFate},
	{ID: "fallback-overload", Severity: Error, Title: "the fallback gets more than it can bear",
		Why: "A fallback that calls another dependency sends it all the calls at once. It was sized for " +
			"its own, and goes down as the second.",
		Number:     "load on the fallback's dependency as times its own, beside 2",
		Fix:        "a cached or fixed answer first, and a bulkhead for the other dependency",
		Bites:      "the first dependency goes down",
		dependency: fallbackOverload},
	{ID: "failover-near-normal", Severity: Error, Title: "calls move to the second provider on a usual day",
		Why: "failover.share is so near to the errors that are normal, or of so few calls, that chance alone " +
			"reaches it. All calls then move to and fro between providers.",
		Number:     "probability that a window of usual calls moves them, beside 0.1 %",
		Fix:        "a share of several times the usual errors, over more calls",
		Bites:      "nothing has to happen: it moves calls on a usual day",
		dependency: failoverNormal},
	{ID: "critical-answered-blind", Severity: Warning, Title: "a made-up answer stands in for what is critical",
		Why: "What the service cannot do without has no honest substitute: a fixed answer of 200, an " +
			"empty one or an old one lets users go on with what is not true. 202 says that it is " +
			"not done yet.",
		Number:   "failed calls that look like successes, or the age of an answer, beside what is honest",
		Fix:      "an answer from a cache, as old as somebody has decided, or the error",
		Bites:    "the dependency goes down",
		settings: criticalBlind},
	{ID: "critical-from-cache", Severity: Info, Title: "old answers stand in for what is critical, and nobody says so",
		Why: "How old an answer may be is for those to decide who know the business: a price of five " +
			"minutes ago may do, a balance may not. Nothing in the file says that somebody did.",
		Number:   "age of an answer, beside one of now",
		Fix:      "when-down: what users see then, and for how long",
		Bites:    "the dependency goes down",
		settings: criticalCached},
	{ID: "fallback-unexercised", Severity: Info, Title: "nobody knows whether the fallback works",
		Why: "A path that runs in incidents only is found broken in an incident. exercise sends a share " +
			"of healthy calls along it.",
		Number:   "healthy calls that take it, beside 1 %",
		Fix:      "fallback.exercise: 1%",
		Bites:    "the dependency goes down for the first time in months",
		settings: unexercised},
}

func fallbackMissing(s *subject) {
	if s.dep.Kind != config.Optional || len(s.settings.Fallback.Order) > 0 {
		return
	}
	s.report(found{keys: []string{"fallback"},
		why:     fmt.Sprintf("%s is optional, but while it is down calls to it fail", s.name()),
		number:  Number{"calls that fail while it is down", 100, 0, "%"},
		fix:     "set fallback to [omit: {}]",
		changes: []Change{s.set("fallback", "[omit: {}]")}})
}

// stand is another dependency that stands in for one, and the key that says so.
type stand struct {
	key  string
	step int // of the fallback; -1: a failover
	dep  *config.Dependency
}

func (s *subject) stands() (all []stand) {
	for i, a := range s.settings.Fallback.Order {
		if d := s.Dependency(a.Dependency); d != nil {
			key := "fallback.order." + strconv.Itoa(i) + ".dependency"
			all = append(all, stand{key, i, d})
		}
	}
	if f := s.dep.Failover; f != nil {
		if d := s.Dependency(f.To); d != nil {
			all = append(all, stand{"failover.to", -1, d})
		}
	}
	return all
}

// local are the changes that let something of our own stand in.
func (s *subject) local(v stand) []Change {
	switch {
	case v.step < 0:
		return []Change{{s.path("failover"), ""}}
	case len(s.settings.Fallback.Order) > 1:
		return s.without(v.step)
	}
	return []Change{s.set("fallback", "[cache: {stale: 5m}]")}
}

// without are the changes that take a step of the fallback out.
func (s *subject) without(step int) []Change {
	switch {
	case len(s.settings.Fallback.Order) > 1:
		return []Change{{s.path("fallback.order." + strconv.Itoa(step)), ""}}
	case s.op != nil:
		return []Change{s.set("fallback", "none")} // or it would get its dependency's
	}
	return []Change{{s.path("fallback"), ""}}
}

func sharesFate(s *subject) {
	for _, v := range s.stands() {
		common, where := 0, ""
		for _, u := range s.dep.Endpoints {
			for _, other := range v.dep.Endpoints {
				if together(u, other) {
					common++
					where = other.Host
				}
			}
		}
		if a, b := s.dep.Resolve, v.dep.Resolve; a != nil && b != nil && a.Host == b.Host {
			common, where = 1, a.Host
		}
		if common == 0 {
			continue
		}
		s.report(found{keys: []string{v.key},
			why: fmt.Sprintf("%s stands in for %s and is at %s too, so that both go down together",
				v.dep.Name, s.name(), where),
			number: Number{"endpoints in common", float64(common), 0, "endpoints"},
			fix:    "let an answer from a cache stand in, or a provider elsewhere", changes: s.local(v)})
	}
}

// together reports whether two origins are on one machine. Different ports of
// one's own machine are an example, or a proxy that leads elsewhere.
func together(a, b *url.URL) bool {
	if a.Host == b.Host {
		return true
	}
	addr, err := netip.ParseAddr(a.Hostname())
	own := a.Hostname() == "localhost" || err == nil && addr.IsLoopback()
	return !own && a.Hostname() == b.Hostname()
}

func fallbackOverload(s *subject) {
	rate := s.measured.Rate
	for _, v := range s.stands() {
		theirs := v.dep.Measured.Rate
		if rate == 0 || theirs == 0 || (rate+theirs)/theirs <= mostExtra {
			continue
		}
		other := s.of(v.dep, s.rule)
		if b := other.slots(); b != nil && (other.needed() == 0 ||
			float64(b.Limit) <= 2*headroom*max(other.needed(), 2)) {
			continue // it is held to about what it can bear
		}
		s.report(found{keys: []string{v.key},
			why: fmt.Sprintf("when %s is down, %s gets %s/s on top of its own %s/s", s.name(),
				v.dep.Name, figure(rate, 4), figure(theirs, 4)),
			number: Number{"load as times its own", (rate + theirs) / theirs, mostExtra, "times"},
			fix: fmt.Sprintf("set the bulkhead of %s to {limit: %d}, and let a cache answer first",
				v.dep.Name, other.size()),
			changes: []Change{other.set("bulkhead", "{limit: %d}", other.size())}})
	}
}

func failoverNormal(s *subject) {
	f, usual := s.dep.Failover, s.measured.Errors
	if f == nil || f.Observe || usual == 0 {
		return
	}
	opens := func(n int, share float64) float64 {
		return atLeast(n, int(math.Ceil(share*float64(n))), usual)
	}
	chance := opens(f.Calls, f.Share)
	if chance <= falseAlarms {
		return
	}
	share, calls := min(0.9, max(f.Share, 0.2, 2*usual)), max(f.Calls, leastCalls)
	for calls < 2000 && opens(calls, share) > falseAlarms/10 {
		calls += 10
	}
	v := found{keys: []string{"failover.share", "failover.calls", "failover"},
		why: fmt.Sprintf("with %s of calls to %s failing on a usual day, chance alone moves calls to %s",
			percent(usual), s.name(), f.To),
		number: Number{fmt.Sprintf("windows of %d usual calls that move them", f.Calls), 100 * chance,
			100 * falseAlarms, "%"},
		changes: []Change{s.set("failover.share", "%s", percent(share)), s.set("failover.calls", "%d", calls)}}
	v.fix = s.told(v.changes)
	if opens(calls, share) > falseAlarms {
		v.changes, v.fix = nil, "find out first why so many fail: no share tells such a day from an outage"
	}
	s.report(v)
}

func criticalBlind(s *subject) {
	if s.dep.Kind != config.Critical {
		return
	}
	for i, a := range s.settings.Fallback.Order {
		key := "fallback.order." + strconv.Itoa(i)
		f := found{keys: []string{key, "fallback.order", "fallback"},
			number: Number{"failed calls that look like successes", 100, 0, "%"},
			fix:    "remove it, so that callers are told"}
		switch {
		case a.Static != nil && a.Static.Status/100 == 2 && a.Static.Status != 202:
			f.why = fmt.Sprintf("while %s fails, callers get a fixed answer of %d as if it had answered",
				s.name(), a.Static.Status)
			f.changes = s.without(i)
		case a.Omit != nil && a.Omit.Status/100 == 2:
			f.why = fmt.Sprintf("while %s fails, callers get an empty answer of %d as if it had answered",
				s.name(), a.Omit.Status)
			f.changes = s.without(i)
		case a.Cache != nil && a.Cache.Stale > oldest:
			f.why = fmt.Sprintf("while %s fails, callers get answers of up to %s ago", s.name(),
				span(a.Cache.Stale))
			f.number = Number{"age of an answer", inMillis(a.Cache.Stale), inMillis(oldest), "ms"}
			f.fix = "set its stale to 5m, or to what somebody who knows the business decides"
			f.changes = []Change{s.set(key+".cache.stale", "5m")}
		default:
			continue
		}
		s.report(f)
	}
}

// criticalCached asks for a word on answers from a cache; those that are far too
// old are a finding of their own.
func criticalCached(s *subject) {
	if s.dep.Kind != config.Critical || s.dep.WhenDown != "" {
		return
	}
	for i, a := range s.settings.Fallback.Order {
		if a.Cache == nil || a.Cache.Stale == 0 || a.Cache.Stale > oldest {
			continue
		}
		s.report(found{keys: []string{"fallback.order." + strconv.Itoa(i), "fallback.order", "fallback"},
			why: fmt.Sprintf("while %s fails, callers get answers of up to %s ago, and no when-down says that "+
				"this will do", s.name(), span(a.Cache.Stale)),
			number: Number{"age of an answer", inMillis(a.Cache.Stale), 0, "ms"},
			fix:    "say in when-down what users see then, or take the cache out"})
	}
}

func unexercised(s *subject) {
	f := s.settings.Fallback
	for i, a := range f.Order {
		if a.Dependency == "" || f.Exercise > 0 {
			continue
		}
		s.report(found{keys: []string{"fallback.order." + strconv.Itoa(i), "fallback"},
			why:     fmt.Sprintf("calls to %s reach %s in incidents only", s.name(), a.Dependency),
			number:  Number{"healthy calls that take it", 0, 1, "%"},
			fix:     "set fallback.exercise to " + exercising,
			changes: []Change{s.set("fallback.exercise", "%s", exercising)}})
		return
	}
}
