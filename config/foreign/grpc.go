package foreign

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// grpc is the translation of a gRPC service config.
type grpc struct {
	*translation
	config *node
	seen   map[string]bool // names of methods, which gRPC allows once
}

// method is one name of a method config.
type method struct {
	config          *node // the method config
	n               *node // the name
	service, method *node // nil: all of them
}

// GRPC translates a gRPC service config in JSON. The target becomes one
// dependency, and what is set for services and methods its operations. Service
// is the name of the service that calls it; it may be empty.
func GRPC(data []byte, service string) (*Translation, error) {
	t, err := begin("gRPC", service, data, readTree)
	if err != nil {
		return nil, err
	}
	t.why = grpcReasons
	g := &grpc{translation: t, config: t.root, seen: map[string]bool{}}
	g.choose()
	t.service(service, nil)
	parts := g.parts()
	throttle := g.config.section("retryThrottling")
	if len(parts) == 0 {
		return t.finish()
	}
	dep := t.dependency("grpc-target", origin{note: "the input does not name it; give it a name"})
	g.rest(&parts)
	arrange(dep, parts, func(retry *block) { g.budget(retry, throttle) })
	if !dep.has("retry") {
		throttle.drop("no method makes a retry")
	}
	dep.order("timeout", "retry", "operations")
	return t.finish()
}

// choose finds the config in what a DNS record holds: a list of choices.
func (g *grpc) choose() {
	choices := []*node{g.config}
	if g.config.kind == list {
		choices = g.config.kids
	}
	found := false
	for _, choice := range choices {
		config := choice.section("serviceConfig")
		switch {
		case config == nil:
		case found:
			config.drop("only the first choice is read")
		default:
			g.config, found = config, true
		}
	}
}

// parts makes the parts of the method configs: methods first, then services,
// then the default, which is how gRPC looks for one.
func (g *grpc) parts() (parts []*part) {
	var byRank [3][]*part
	names := newNamer()
	for _, config := range g.config.items("methodConfig") {
		if config.kind != mapping {
			config.drop("not a method config")
			continue
		}
		if len(config.items("name")) == 0 {
			config.drop("it names no method, so gRPC never uses it")
			continue
		}
		used := false
		for _, n := range config.items("name") {
			m := method{config, n, n.scalar("service"), n.scalar("method")}
			rank, ok := g.check(m)
			if !ok {
				continue
			}
			used = true
			byRank[rank] = append(byRank[rank], m.part(names))
		}
		if !used {
			config.drop("none of its names can be used")
		}
	}
	for _, some := range byRank {
		parts = append(parts, some...)
	}
	return parts
}

var (
	grpcService = regexp.MustCompile(`^[A-Za-z0-9_.]+$`)
	grpcMethod  = regexp.MustCompile(`^[A-Za-z0-9_]+$`)
)

// check reports whether a name can be used, and how specific it is: 0 for one
// method, 1 for a service, 2 for everything.
func (g *grpc) check(m method) (rank int, ok bool) {
	service, name := m.service.says(), m.method.says()
	switch {
	case m.n.kind != mapping:
		m.n.drop("not a name of methods")
		return 0, false
	case service == "" && name == "":
		rank = 2
	case service == "":
		m.n.drop("gRPC refuses a method without its service")
		return 0, false
	case !grpcService.MatchString(service), name != "" && !grpcMethod.MatchString(name):
		m.n.drop("not the name of a gRPC method")
		return 0, false
	case name == "":
		rank = 1
	}
	key := service + "/" + name
	if g.seen[key] {
		m.n.drop("gRPC refuses a name that is there before")
		return 0, false
	}
	g.seen[key] = true
	return rank, true
}

// part makes a part from a name and its method config.
func (m method) part(names *namer) *part {
	policy := m.config.section("retryPolicy")
	total, ok := parseProtoTime(m.config.scalar("timeout").says())
	p := &part{total: ok && total > 0, longest: total, retries: grpcRetries(policy)}
	p.all = m.service.says() == ""
	name := "all-methods"
	if !p.all {
		name, _ = cleanName(strings.Trim(m.service.text+"."+m.method.says(), "."))
	}
	p.name = names.unique(name)
	p.from = origin{note: "made from the name"}
	p.match = m.match
	p.limits = m.limits
	p.retry = func(b *block) { writeGRPCRetry(b, policy) }
	p.once = func() {}
	p.base = func() { m.n.note(Mapped, target{}, "every method without settings of its own") }
	p.hidden = func() {}
	if !p.retries {
		policy.drop("gRPC refuses a retry policy without two attempts and a status to retry")
	}
	return p
}

// match writes the paths of a part.
func (m method) match(op *block) {
	b := op.sub("match")
	switch {
	case m.service.says() == "":
		b.fill("path", "'/*'", "every method without settings of its own")
		m.n.note(Mapped, target{b, "path"}, "")
	case m.method.says() == "":
		b.put("path", quoted("/"+m.service.text+"/*"), origin{n: m.service})
	default:
		b.put("path", quoted("/"+m.service.text+"/"+m.method.text),
			origin{n: m.service, also: []*node{m.method}})
	}
}

// limits writes the timeout of a method config.
func (m method) limits(b *block) {
	n := m.config.scalar("timeout")
	d, ok := parseProtoTime(n.says())
	switch {
	case n == nil:
	case !ok || d == 0:
		n.drop("not a time above 0 such as 1.5s")
	default:
		t := boundTime(d, time.Microsecond, longest)
		b.put("total", showTime(t.value), t.origin(n))
	}
}

// rest adds a part for the methods that have no settings. It is needed where
// the dependency has retries only to hold the budget.
func (g *grpc) rest(parts *[]*part) {
	retries := false
	for _, p := range *parts {
		if p.all {
			return
		}
		retries = retries || p.retries
	}
	if !retries {
		return
	}
	nothing := func() {}
	*parts = append(*parts, &part{name: "other-methods", all: true,
		from: origin{note: "gRPC does not retry methods without settings"},
		match: func(op *block) {
			op.sub("match").fill("path", "'/*'", "whatever no other operation takes")
		},
		limits: func(*block) {}, base: nothing, hidden: nothing, once: nothing})
}

// budget writes the limit on all retries.
func (g *grpc) budget(retry *block, throttle *node) {
	if throttle == nil {
		retry.fill("budget", "none", "gRPC has one only with retryThrottling; "+
			"the default, {ratio: 10%, floor: 3/s}, keeps an outage small")
		return
	}
	b := retry.sub("budget")
	n := throttle.scalar("maxTokens")
	most, ok := parseNumber(n.says())
	if ok {
		t := bound(most, 1, 1000, showNumber)
		b.put("tokens", showNumber(t.value), t.origin(n, grpcRange(most > 0 && most <= 1000)))
	} else {
		n.drop("not a number from 1 to 1000")
		b.fill("tokens", "100", "gRPC demands maxTokens; this is a usual number")
	}
	n = throttle.scalar("tokenRatio")
	ratio, ok := parseNumber(n.says())
	if !ok {
		n.drop("not a number above 0")
		b.fill("ratio", "10%", "gRPC demands tokenRatio; this is a usual number")
		return
	}
	r := boundPercent(math.Round(min(ratio, 1e6)*1000)/10, leastPercent, 100)
	b.put("ratio", showPercent(r.value), r.origin(n, grpcRange(ratio > 0)))
}

func grpcRange(ok bool) string {
	if ok {
		return ""
	}
	return "gRPC refuses this number"
}

// grpcAttempts is the most that gRPC makes, whatever it is asked for.
const grpcAttempts = 5

func grpcRetries(policy *node) bool {
	attempts, ok := parseCount(policy.scalar("maxAttempts").says())
	causes, _ := grpcCauses(policy)
	return ok && attempts > 1 && len(causes) > 0
}

// writeGRPCRetry writes a retry policy.
func writeGRPCRetry(b *block, policy *node) {
	n := policy.scalar("maxAttempts")
	asked, _ := parseCount(n.says())
	from := origin{n: n}
	if asked > grpcAttempts {
		from.note = "gRPC makes at most 5"
	}
	b.put("attempts", strconv.FormatInt(min(asked, grpcAttempts), 10), from)
	writeGRPCBackoff(b.sub("backoff"), policy)
	causes, codes := grpcCauses(policy)
	b.put("on", "["+strings.Join(causes, ", ")+"]",
		origin{n: policy.get("retryableStatusCodes")})
	for _, c := range codes {
		if len(c.causes) == 0 {
			c.n.drop("no cause stands for this status; the same request would get it again")
			continue
		}
		(origin{n: c.n}).differing(c.rough).marks(target{b, "on"})
	}
	b.fill("idempotent", "always", "gRPC goes by the status alone; by-call is safer")
	b.fill("replay", "256KiB", "the default of grpc-go")
}
