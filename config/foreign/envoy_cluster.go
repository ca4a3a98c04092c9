package foreign

import (
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// connectTimeout is Envoy's default for opening a connection.
const connectTimeout = 5 * time.Second

// connect writes the limit for opening a connection.
func (e *envoy) connect(dep *block, def *node) {
	b := dep.sub("timeout")
	n := def.scalar("connect_timeout")
	d, ok := parseProtoTime(n.says())
	switch {
	case ok && d > 0:
		t := boundTime(d, time.Microsecond, longest)
		b.put("connect", showTime(t.value), t.origin(n))
	case n != nil:
		n.drop("not a time above 0 such as 0.25s")
		fallthrough
	default:
		b.fill("connect", showTime(connectTimeout), "Envoy's default")
	}
}

const mostEndpoints = 64

// endpoints writes the addresses of a cluster.
func (e *envoy) endpoints(dep *block, def *node) {
	scheme := "http"
	socket := def.section("transport_socket")
	if strings.HasSuffix(socket.scalar("name").says(), ".tls") {
		scheme = "https"
		socket.scalar("name").note(Mapped, target{dep, "endpoints"}, "the endpoints are https")
	}
	seen := map[string]bool{}
	add := func(at *node) {
		address := at.section("socket_address")
		if address == nil {
			at.drop("only a host and a port can be an endpoint")
			return
		}
		e.endpoint(dep, scheme, address, seen)
	}
	for _, locality := range def.section("load_assignment").items("endpoints") {
		for _, lb := range locality.items("lb_endpoints") {
			if at := lb.section("endpoint").section("address"); at != nil {
				add(at)
			}
		}
	}
	for _, at := range def.items("hosts") {
		add(at)
	}
}

var domainForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,253}$`)

// endpoint writes one address.
func (e *envoy) endpoint(dep *block, scheme string, address *node, seen map[string]bool) {
	host, port := address.scalar("address"), address.scalar("port_value")
	number, ok := parseCount(port.says())
	ip := net.ParseIP(host.says())
	switch {
	case !ok || number < 1 || number > 65535:
		address.drop("an endpoint needs a port from 1 to 65535 in port_value")
		return
	case ip == nil && !domainForm.MatchString(host.says()):
		address.drop("not a host name or an IP address that can be an endpoint")
		return
	}
	origin := origin{n: host, also: []*node{port}}
	u := url.URL{Scheme: scheme,
		Host: net.JoinHostPort(host.text, strconv.FormatInt(number, 10))}
	key := strings.ToLower(u.Host)
	switch {
	case seen[key]:
		address.drop("this endpoint is in the list already")
		return
	case dep.length("endpoints") >= mostEndpoints:
		address.drop("a dependency has at most 64 endpoints; put a load balancer in between")
		return
	}
	seen[key] = true
	dep.append("endpoints", quoted(u.String()), origin)
}

// thresholds are the limits of a cluster's circuit breakers that count: those
// of the default priority.
type thresholds struct {
	known bool  // the cluster's definition is in the input
	n     *node // nil: Envoy's defaults
}

func (c *cluster) thresholds() thresholds {
	t := thresholds{known: c.def != nil}
	section := c.def.section("circuit_breakers")
	if section == nil {
		section = c.def // a fragment may begin with thresholds
	}
	for _, n := range section.items("thresholds") {
		switch priority := strings.ToUpper(n.scalar("priority").says()); {
		case priority != "" && priority != "DEFAULT" && priority != "0":
			n.drop("the policy file knows one priority; these limits are for another one")
		case t.n == nil && n.kind == mapping:
			t.n = n
			n.scalar("priority").note(Mapped, target{}, "the priority of ordinary requests")
		default:
			n.drop("only the first limits of a priority count, in Envoy too")
		}
	}
	return t
}

// Envoy's defaults.
const (
	maxRequests   = 1024
	maxRetries    = 3
	budgetPercent = 20
)

// bulkhead writes the limit on requests under way. wait is how long Envoy lets
// one wait.
func (t thresholds) bulkhead(dep *block, wait time.Duration) {
	n := t.n.scalar("max_requests")
	limit, ok := parseCount(n.says())
	pending := t.n.scalar("max_pending_requests")
	b := dep.sub("bulkhead")
	switch {
	case ok && limit == 0:
		n.drop("0 refuses every request; take the dependency out of use instead")
	case ok && limit > mostCalls:
		n.note(Approximated, target{}, "more than 1000000 limits nothing, so there is no bulkhead")
	case ok:
		b.put("limit", strconv.FormatInt(limit, 10), origin{n: n})
	default:
		if n != nil {
			n.drop("not a whole number")
		}
		b.fill("limit", strconv.Itoa(maxRequests), "Envoy's default, max_requests")
	}
	if len(b.items) == 0 {
		pending.drop("nobody waits for a slot, because there is no bulkhead")
		return
	}
	queue, ok := parseCount(pending.says())
	switch {
	case pending == nil:
	case !ok:
		pending.drop("not a whole number")
	default:
		q := boundCount(queue, 0, mostCalls)
		b.put("queue", strconv.FormatInt(q.value, 10), q.origin(pending,
			"here calls wait for a slot; in Envoy for a connection, "+
				"and max_requests refuses at once"))
		if q.value > 0 {
			most := boundTime(wait, time.Microsecond, longest).value
			dep.sub("timeout").fill("acquire", showTime(most),
				"Envoy lets a request wait for as long as its route allows")
		}
	}
	b.fill("holds", "attempts", "Envoy counts a request while it is at the upstream only")
}

// share returns the retry budget: the percentage and the floor in effect.
// Without a limit there is none.
func (t thresholds) share() (percent float64, floor int64, limited bool) {
	if b := t.n.section("retry_budget"); b != nil {
		percent, floor = budgetPercent, maxRetries
		if v, ok := parseNumber(percentOf(b).says()); ok {
			percent = min(v, 100)
		}
		if v, ok := parseCount(b.scalar("min_retry_concurrency").says()); ok {
			floor = v
		}
		return percent, floor, floor <= mostCalls
	}
	if v, ok := parseCount(t.n.scalar("max_retries").says()); ok {
		return 0, v, v <= mostCalls
	}
	return 0, maxRetries, true
}

// percentOf returns the number of a budget's percentage.
func percentOf(budget *node) *node {
	if p := budget.section("budget_percent"); p != nil {
		return p.scalar("value")
	}
	return budget.scalar("budget_percent")
}

// allow reports whether any retry gets through.
func (t thresholds) allow() bool {
	percent, floor, _ := t.share()
	return percent >= leastPercent || floor > 0
}

const leastPercent = 0.1 // less is not counted
