package config

import (
	"io/fs"
	"strings"
	"testing"
)

const (
	client  = "clients.CLIENT."
	service = "services.SERVICE."
	route   = service + "routes.ROUTE."
	change  = "changes[]."
)

// rests leaves a service with the given route only, instead of the work that
// every other file has.
func rests(more ...[2]string) [][2]string {
	return append([][2]string{{service + "work", ""}, {client + "routes", "{route: 1}"},
		{"changes", ""}}, more...)
}

// of is a change of something, with what else the change needs.
func of(what string, more ...[2]string) [][2]string {
	return append([][2]string{{change + what, what}}, more...)
}

// scenarioPage is docs/scenario-file.md.
var scenarioPage = &book{
	page: "../docs/scenario-file.md",
	begin: [][2]string{{"version", "1"}, {"name", "s"}, {"for", "60s"},
		{client + "to", "service"}, {client + "rate", "1/s"}, {service + "work", "1ms"}},
	needed: map[string][][2]string{
		client + "dependency": {{client + "policy", "p.yaml"}},
		client + "clients":    {{client + "policy", "p.yaml"}},
		client + "routes":     rests([2]string{route + "work", "1s"}, [2]string{client + "routes", ""}),
		client + "users":      {{client + "rate", ""}, {client + "think", "1s"}},
		client + "think":      {{client + "rate", ""}, {client + "users", "1"}},

		service + "queue":                 {{service + "workers", "1"}},
		service + "release-while-waiting": {{service + "workers", "1"}},
		service + "routes":                {{service + "work", ""}},
		service + "queue.rule":            {{service + "workers", "1"}},
		service + "queue.length":          codel("fifo"),
		service + "queue.drop-expired":    codel("fifo"),
		service + "queue.target":          codel("codel"),
		service + "queue.interval":        codel("codel"),
		service + "cache":                 asks("calls", "[other]"),
		service + "cache.hits":            asks("calls", "[other]"),
		service + "cache.fill":            asks("calls", "[other]"),

		route + "work":               rests(),
		route + "features":           rests(),
		route + "fails":              rests(),
		route + "status":             rests(),
		route + "calls":              rests(asks("policy", "p.yaml")...),
		route + "calls[].dependency": calls(),
		route + "calls[].to":         calls([2]string{"services.third", "{work: 1s}"}),
		route + "calls[].route":      calls(),
		route + "calls[].parallel":   calls(),

		route + "work.floor":       rests([2]string{route + "work.mean", "20ms"}),
		route + "work.mean":        rests(),
		route + "work.median":      rests(),
		route + "work.sigma":       rests(),
		route + "work.uniform":     rests(),
		route + "work.points":      rests(),
		route + "work.mix":         rests(),
		route + "work.stall":       rests([2]string{route + "work.floor", "1s"}),
		route + "work.mix[].share": form("work.mix[].floor"),
		route + "work.stall.share": form("work.floor"),
		route + "work.stall.time":  form("work.floor"),
		route + "work.stall.mean":  append(form("work.floor"), [2]string{route + "work.stall.share", "1%"}),

		change + "at":        of("service", [2]string{change + "down", "true"}),
		change + "for":       of("service", [2]string{change + "down", "true"}),
		change + "client":    {{change + "rate", "2/s"}},
		change + "service":   {{change + "down", "true"}},
		change + "route":     of("service", [2]string{change + "fails", "1%"}),
		change + "instances": of("service", [2]string{change + "down", "true"}),
		change + "rate":      of("client"),
		change + "work":      of("service"),
		change + "fails":     of("service"),
		change + "down":      of("service"),
		change + "silent":    of("service"),
		change + "restart":   of("service", [2]string{change + "for", "1s"}),
		change + "network":   of("service"),
		change + "capacity":  of("service"),
		change + "admit":     of("service", [2]string{service + "policy", "p.yaml"}),
		change + "ramp": of("service", [2]string{service + "policy", "p.yaml"},
			[2]string{change + "admit", "40%"}),
		change + "policy": of("service", [2]string{service + "policy", "p.yaml"},
			[2]string{service + "calls", "[other]"}, [2]string{"services.other", "{work: 1s}"}),
	},
	loose: map[string][][2]string{
		route + "work.floor":       {{route + "work.mean", ""}},
		service + "queue.target":   {{service + "queue.interval", "1h"}},
		service + "queue.interval": {{service + "queue.target", "1us"}},
	},
	chooses: []string{client + "users"},
	parse: func(text string) ([]Effective, error) {
		s, err := ParseScenario("f", []byte(text), openPolicy)
		if err != nil {
			return nil, err
		}
		return s.Effective(), nil
	},
}

// codel is a queue with a rule, of a service with workers.
func codel(rule string) [][2]string {
	return [][2]string{{service + "workers", "1"}, {service + "queue.rule", rule}}
}

// form is a service time of one form, and none of those that the page has
// beside it.
func form(key string) [][2]string {
	return rests([2]string{route + key, "1s"}, [2]string{route + "work.median", ""},
		[2]string{route + "work.sigma", ""})
}

// asks is a service that calls another one through a policy.
func asks(key, value string) [][2]string {
	return [][2]string{{service + "policy", "p.yaml"}, {service + key, value},
		{"services.other", "{work: 1s}"}}
}

// calls is a route that calls another service.
func calls(more ...[2]string) [][2]string {
	return append(rests([2]string{service + "policy", "p.yaml"},
		[2]string{route + "calls[].dependency", "other"}, [2]string{"services.other", "{work: 1s}"}), more...)
}

// openPolicy has one policy file, which protects whatever is called.
func openPolicy(path string) ([]byte, error) {
	if !strings.HasSuffix(path, "p.yaml") && !strings.HasSuffix(path, "policy.yaml") {
		return nil, fs.ErrNotExist
	}
	return []byte("version: 1\nservice: s\ndependencies:\n" +
		"  service: {}\n  other: {operations: [{name: search}]}\n"), nil
}

func TestScenarioFilePage(t *testing.T) { scenarioPage.try(t, 75) }
