package foreign

import (
	"cmp"
	"errors"
	"slices"
	"time"
)

// route is one route of Envoy to a cluster.
type route struct {
	n      *node        // the route; its name and match are in it
	host   *virtualHost // around it, or nil
	action *node
	policy *retryPolicy // in effect, or nil
}

// routeTimeout is Envoy's default for the whole of a call.
const routeTimeout = 15 * time.Second

// virtualHost adds the routes of a virtual host.
func (e *envoy) virtualHost(n *node) {
	vh, taken := newVirtualHost(n), false
	for _, n := range n.items("routes") {
		switch {
		case n.kind != mapping:
		case taken:
			n.drop("an earlier route takes every request")
		default:
			e.route(n, vh)
			taken = n.section("match") != nil && matchOf(n).everything()
		}
	}
}

func (e *envoy) route(n *node, vh *virtualHost) {
	action := n.section("route")
	if action == nil {
		n.drop("a route without a cluster calls no dependency")
		return
	}
	policy := action.section("retry_policy")
	if policy == nil && vh != nil {
		policy = vh.n.section("retry_policy")
	}
	e.action(&route{n: n, host: vh, action: action, policy: e.policy(policy)}, "")
}

// action adds a route to the clusters that its action names, or else to the
// one called name.
func (e *envoy) action(r *route, name string) {
	weighted := r.action.section("weighted_clusters").items("clusters")
	switch to := r.action.scalar("cluster"); {
	case to.says() != "":
		to.note(Mapped, target{}, "its dependency has the settings of this route")
		e.send(r, to.text)
	case len(weighted) > 0:
		for _, w := range weighted {
			if to := w.scalar("name"); to.says() != "" {
				to.note(Approximated, target{}, "its dependency has the settings of this route, "+
					"but who calls which is decided elsewhere")
				e.send(r, to.text)
			}
		}
	case name != "":
		e.send(r, name)
	default:
		r.n.drop("the cluster is chosen while running, so there is no dependency to give this to")
	}
}

func (e *envoy) send(r *route, name string) {
	c := e.cluster(name)
	c.routes = append(c.routes, r)
}

// times returns the limits of a route as they are in effect: 0 is none.
func (r *route) times() (total, request time.Duration) {
	total = routeTimeout
	if d, ok := parseProtoTime(r.action.scalar("timeout").says()); ok {
		total = d
	}
	if d, ok := parseProtoTime(r.policy.scalar("per_try_timeout").says()); ok && d > 0 {
		if total == 0 || d < total {
			request = d
		}
	}
	return total, request
}

// longestTotal is how long Envoy lets a request wait at most.
func longestTotal(parts []*part) time.Duration {
	longest := time.Duration(0)
	for _, p := range parts {
		longest = max(longest, p.longest)
	}
	return cmp.Or(longest, routeTimeout)
}

// mostParts bounds the operations of a policy. More of them do not fit into one.
const mostParts = 10_000

// parts makes the parts of a cluster from its routes.
func (e *envoy) parts(c *cluster) (parts []*part) {
	slices.SortStableFunc(c.routes, func(a, b *route) int {
		return cmp.Compare(a.rank(), b.rank())
	})
	several := false // virtual hosts lead here, so that the host matters
	for _, r := range c.routes {
		several = several || r.host != c.routes[0].host
	}
	if !several && len(c.routes) > 0 {
		c.routes[0].host.anyHost()
	}
	names := newNamer()
	for _, r := range c.routes {
		m := matchOf(r.n)
		hosts := []*node{nil}
		if several {
			hosts = r.host.match()
		}
		for _, host := range hosts {
			if e.count++; e.count > mostParts {
				e.failed = errTooManyParts
				return nil
			}
			parts = append(parts, r.part(m.at(host), names))
		}
	}
	return parts
}

var errTooManyParts = errors.New("the routes make more than 10000 operations; " +
	"import them in parts")

// rank is how early Envoy asks the virtual host.
func (r *route) rank() int {
	if r.host == nil {
		return 2
	}
	return r.host.rank
}

// part makes a part from a route and what it matches.
func (r *route) part(m match, names *namer) *part {
	total, request := r.times()
	p := &part{all: m.everything(), total: total > 0, request: request > 0, longest: total,
		retries: r.policy.retries(), match: m.write, limits: r.limits,
		retry: func(b *block) { writeRetry(b, r) }}
	name := r.n.scalar("name")
	if name == nil || name.text == "" || r.n == r.action {
		p.name = names.unique(m.name())
		p.from = origin{note: "made from what it matches"}
	} else {
		clean, same := cleanName(name.text)
		p.name = names.unique(clean)
		p.from = origin{n: name}
		p.from.fate, p.from.note = sameName(same && p.name == clean)
	}
	p.base = func() {
		m.mark()
		name.note(Mapped, target{}, "every request is this route's, so it needs no name")
	}
	p.once = func() { r.policy.quiet() }
	p.hidden = func() { r.n.drop("an earlier route takes every request") }
	return p
}

// limits writes the timeouts of a route.
func (r *route) limits(b *block) {
	n := r.action.scalar("timeout")
	d, ok := parseProtoTime(n.says())
	switch {
	case n == nil:
		b.fill("total", showTime(routeTimeout), "Envoy's default")
	case !ok:
		n.drop("not a time such as 1.5s")
		b.fill("total", showTime(routeTimeout), "Envoy's default")
	case d == 0:
		n.note(Mapped, target{b, "total"}, "0 is no limit, and so is leaving it out")
	default:
		t := boundTime(d, time.Microsecond, longest)
		b.put("total", showTime(t.value), t.origin(n))
	}
	r.perTry(b)
}

// perTry writes the limit of an attempt.
func (r *route) perTry(b *block) {
	total, _ := r.times()
	n := r.policy.scalar("per_try_timeout")
	d, ok := parseProtoTime(n.says())
	switch {
	case n == nil:
	case !ok:
		n.drop("not a time such as 0.5s")
	case d == 0:
		n.note(Mapped, target{b, "request"}, "0 is no limit, and so is leaving it out")
	case total > 0 && d >= total:
		n.note(Mapped, target{b, "request"},
			"Envoy ignores one that is not below the route's timeout, so it is left out")
	default:
		t := boundTime(d, time.Microsecond, longest)
		b.put("request", showTime(t.value), t.origin(n))
	}
}
