package check

import (
	"fmt"
	"math"
	"regexp"
	"time"

	"github.com/seakeep/seakeep/core/health"
	"github.com/seakeep/seakeep/core/shard"
)

const (
	mostOut     = 0.5  // of the endpoints that may be taken out
	mostSharing = 0.05 // tenants with the very same endpoints
	fewest      = 3    // endpoints from which one bad one should be found
)

var endpointRules = []*Rule{
	{ID: "health-deep", Severity: Error, Title: "the health check asks what the endpoints depend on",
		Why: "When what they share gets slow, every endpoint fails its check at once and is taken " +
			"out: a small fault becomes an outage of everything.",
		Number:     "endpoints taken out when what they share fails, beside none",
		Fix:        "a path that answers for the process alone, such as /healthz",
		Bites:      "a database behind all of the endpoints gets slow",
		dependency: healthDeep},
	{ID: "health-too-often", Severity: Warning, Title: "health checks come too often",
		Why: "Each client checks each endpoint. Several checks a second from a fleet are load of their " +
			"own, and a check that lasts longer than the interval overlaps the next.",
		Number:     "checks of one endpoint in a second, beside 1",
		Fix:        "health.interval of 5s, and a timeout below it",
		Bites:      "an endpoint gets slow, and its checks pile up",
		dependency: healthOften},
	{ID: "health-unjittered", Severity: Warning, Title: "a fleet checks in the same instant",
		Why: "Clients that were started together check together: endpoints get all checks at once, and " +
			"are taken out and brought back by all at once.",
		Number:     "clients that check together, beside those that jitter of 10% leaves",
		Fix:        "health.jitter of 10%",
		Bites:      "a release starts all clients together",
		dependency: healthUnjittered},
	{ID: "too-many-removed", Severity: Warning, Title: "those that are left get too much",
		Why: "Each endpoint taken out gives its load to the others. When more than half may go, what " +
			"is wrong with some becomes an overload of all.",
		Number:     "load on each that is left, beside twice",
		Fix:        "at most 50%",
		Bites:      "a fault that many endpoints have, such as a bad release",
		dependency: tooManyOut},
	{ID: "removed-by-chance", Severity: Warning, Title: "an endpoint goes for an error or two",
		Why: "One lost packet or one slow answer is no illness. An endpoint that is taken out for it gives " +
			"its load to the others, and under load all of them answer late now and then.",
		Number:     "failures in a row that take an endpoint out, beside 3",
		Fix:        "at least 3 in a row",
		Bites:      "an endpoint is late once, as under load",
		dependency: removedByChance},
	{ID: "outlier-missing", Severity: Warning, Title: "one bad endpoint keeps its share of calls",
		Why: "A breaker sees the dependency as a whole. One endpoint of many that fails or stalls stays " +
			"in turn and spoils its share of calls for as long as it likes.",
		Number:     "calls that go to one bad endpoint, beside none",
		Fix:        "outlier: {}",
		Bites:      "one endpoint fails, or is slow",
		dependency: outlierMissing},
	{ID: "shard-overlap", Severity: Warning, Title: "tenants share too many endpoints",
		Why: "Shards keep a bad tenant from the others. When many have the same endpoints, it takes " +
			"them along.",
		Number:     "tenants that go down with a bad one, beside 5 %",
		Fix:        "shards of about a third of the endpoints, or more endpoints",
		Bites:      "a tenant sends requests that take its endpoints down",
		dependency: shardOverlap},
}

// deepPath are names of checks that ask what is behind the process.
var deepPath = regexp.MustCompile(
	`(?i)(^|[^a-z])(deep[a-z]*|full|deps|dependenc(y|ies)|downstreams?|db|database|all|` +
		`postgres|postgresql|mysql|mongo|mongodb|redis|kafka|elasticsearch)([^a-z]|$)` +
		`|/actuator/health/?$`) // which asks every data source of a Spring service

func healthDeep(s *subject) {
	h := s.dep.Health
	if h == nil || !deepPath.MatchString(h.Path) {
		return
	}
	n := max(1, len(s.dep.Endpoints))
	out := math.Floor(h.MaxOut*float64(n) + 1e-9)
	s.report(found{keys: []string{"health.path"},
		why: fmt.Sprintf("%s asks what the endpoints of %s depend on, so that they fail it together",
			h.Path, s.name()),
		number:  Number{"endpoints taken out together", out, 0, "endpoints"},
		fix:     "set health.path to /healthz, which answers for the process alone",
		changes: []Change{s.set("health.path", "/healthz")}})
}

func healthOften(s *subject) {
	h := s.dep.Health
	if h == nil {
		return
	}
	every := h.Every.Up
	if every >= time.Second && h.Timeout <= every {
		return
	}
	f := found{keys: []string{"health.interval", "health"},
		why:     fmt.Sprintf("each endpoint of %s is checked every %s by each client", s.name(), span(every)),
		number:  Number{"checks in a second", 1 / every.Seconds(), 1, "checks"},
		fix:     "set health.interval to 5s",
		changes: []Change{s.set("health.interval", "5s")}}
	if every >= time.Second {
		f.keys = []string{"health.timeout", "health"}
		f.why = fmt.Sprintf("a check of %s may last %s, longer than the %s to the next", s.name(),
			span(h.Timeout), span(every))
		f.number = Number{"checks of one endpoint at once", math.Ceil(h.Timeout.Seconds() / every.Seconds()),
			1, "checks"}
		f.fix, f.changes[0] = "set health.timeout to 1s", s.set("health.timeout", "1s")
	}
	s.report(f)
}

func healthUnjittered(s *subject) {
	if h := s.dep.Health; h == nil || h.Jitter != health.Off {
		return
	}
	s.report(found{keys: []string{"health.jitter"},
		why:     fmt.Sprintf("clients of %s that started together check it together for ever", s.name()),
		number:  Number{"of 100 clients that check in the same tenth of a second", 100, 10, "clients"},
		fix:     "set health.jitter to 10%",
		changes: []Change{s.set("health.jitter", "10%%")}})
}

func tooManyOut(s *subject) {
	check := func(key string, share float64) {
		if share <= mostOut {
			return
		}
		n := float64(max(2, len(s.dep.Endpoints)))
		left := max(1, n-math.Floor(share*n+1e-9))
		s.report(found{keys: []string{key},
			why: fmt.Sprintf("of the endpoints of %s %s may be taken out", s.name(),
				percent(share)),
			number:  Number{"load on each that is left", n / left, 2, "times"},
			fix:     "set " + key + " to 50%",
			changes: []Change{s.set(key, "50%%")}})
	}
	if h := s.dep.Health; h != nil {
		check("health.max-removed", h.MaxOut)
	}
	if o := s.dep.Outlier; o != nil {
		check("outlier.max-ejected", o.MaxOut.Share)
	}
}

const leastRow = 3 // failures that are no chance

func removedByChance(s *subject) {
	check := func(key, one, many string, row int) {
		if row < 1 || row >= leastRow || len(s.dep.Endpoints) == 1 {
			return
		}
		s.report(found{keys: []string{key, "outlier.consecutive"},
			why: fmt.Sprintf("an endpoint of %s is taken out for %s", s.name(),
				plural(row, one, many+" in a row")),
			number:  Number{many + " that take it out", float64(row), leastRow, many},
			fix:     fmt.Sprintf("set %s to %d", key, leastRow),
			changes: []Change{s.set(key, "%d", leastRow)}})
	}
	if h := s.dep.Health; h != nil {
		check("health.unhealthy", "failed check", "failed checks", h.Unhealthy)
	}
	if o := s.dep.Outlier; o != nil {
		check("outlier.consecutive.errors", "error", "errors", o.Consecutive.Errors)
		check("outlier.consecutive.gateway", "error", "errors", o.Consecutive.Gateway)
		check("outlier.consecutive.local", "error", "errors", o.Consecutive.Local)
	}
}

func outlierMissing(s *subject) {
	n := len(s.dep.Endpoints)
	if n < fewest || s.dep.Outlier != nil || s.dep.Health != nil {
		return
	}
	s.report(found{keys: []string{"outlier"},
		why: fmt.Sprintf("one bad endpoint of the %d of %s is asked on and on", n,
			s.name()),
		number:  Number{"calls that go to one bad endpoint", 100 / float64(n), 0, "%"},
		fix:     "set outlier to {}",
		changes: []Change{s.set("outlier", "{}")}})
}

func shardOverlap(s *subject) {
	n := len(s.dep.Endpoints)
	if s.dep.Shards == nil || n == 0 || s.dep.Shards.Size >= n {
		return // as many as there are is a warning of its own
	}
	failed := func(k int) float64 { return shard.Blast(n, k).Failed }
	k := s.dep.Shards.Size
	if failed(k) <= mostSharing {
		return
	}
	f := found{keys: []string{"shards.size", "shards"},
		why: fmt.Sprintf("a tenant of %s that takes its %d of %d endpoints down takes others along",
			s.name(), k, n),
		number: Number{"of the others that go down too", 100 * failed(k), 100 * mostSharing, "%"},
		fix:    "add endpoints"}
	for size := 2; 2*size <= n; size++ {
		if failed(size) <= mostSharing {
			f.fix = fmt.Sprintf("set shards.size to %d", size)
			f.changes = []Change{s.set("shards.size", "%d", size)}
			break
		}
	}
	s.report(f)
}
