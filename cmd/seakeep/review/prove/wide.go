package prove

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/review/check"
	"github.com/seakeep/seakeep/config"
)

// fleet is clients that each make a few calls a second, with a breaker each.
func (s *stage) fleet(each, fails float64) string {
	var b strings.Builder
	s.head(&b)
	n := max(1, int(math.Ceil(s.rate()/each)))
	fmt.Fprintf(&b, "clients:\n  users: {to: %q, policy: %s, clients: %d, rate: %g/s, patience: %s}\n",
		s.dep.Name, s.policies[s.file.Name()], n, float64(n)*each, s.patience())
	fmt.Fprintf(&b, "services:\n  %q: {work: %s, fails: %g%%, status: 503}\n", s.dep.Name,
		work(s.dep.Measured), 100*fails)
	return b.String()
}

func someErrors(s *stage) string { return s.fleet(1, 0.3) }

// usualErrors is five minutes of clients whose windows hold a few more calls than
// decide, which every breaker's window does once, after a start.
func usualErrors(s *stage) string {
	s.whole = 300
	each := 5.0
	if b := s.dep.Call.Breaker; b != nil && b.Window.Over > 0 {
		each = min(max(1.5*float64(b.MinCalls)/b.Window.Over.Seconds(), 0.2), s.rate())
	}
	return s.fleet(each, s.dep.Measured.Errors)
}

// flood is our service behind its door, with twice as many users as it can serve.
func flood(s *stage) string {
	var b strings.Builder
	v := s.file.Serve
	takes := v.Measured.P50
	if takes == 0 {
		takes = 50 * time.Millisecond
	}
	workers := 20 // of a small instance: what decides is the ratio, not the size
	if v.Door.Slots != nil {
		workers = max(1, v.Door.Slots.Limit.Max, v.Door.Slots.Limit.Initial)
	}
	patience := v.Door.Timeout.Total
	if patience == 0 {
		patience = time.Second
	}
	// Twice as long as users wait until it is as bad as it gets.
	s.warm = max(4, min(2*int(patience.Seconds()), 60))
	s.whole = s.warm + 8
	s.head(&b)
	fmt.Fprintf(&b, "clients:\n  users: {to: %s, rate: %.0f/s, patience: %s}\n", us,
		2*float64(workers)/takes.Seconds(), patience)
	fmt.Fprintf(&b, "services:\n  %s:\n    policy: %s\n    workers: %d\n    queue: fifo\n"+
		"    ignore-deadline: true\n    routes:\n      page: {work: %s}\n", us,
		s.policies[s.file.Name()], workers, takes)
	return b.String()
}

// overloaded is our service with a page for what is down, and one for what then
// stands in, which has workers for twice its own load and a long queue.
func overloaded(s *stage) string {
	var b strings.Builder
	s.head(&b)
	other := s.stands()[0]
	own := rateOf(other.Measured)
	takes := max(other.Measured.P50, other.Measured.P99/2, time.Millisecond)
	workers := int(math.Ceil(2 * own * takes.Seconds()))
	fmt.Fprintf(&b, "clients:\n  users: {to: %s, rate: %g/s, patience: %s, routes: {%q: %d, %q: %d}}\n", us,
		s.rate()+own, s.patience(), s.dep.Name, share(s.rate()), other.Name, share(own))
	fmt.Fprintf(&b, "services:\n  %s:\n    policy: %s\n    workers: %d\n    queue: {rule: fifo, length: 20}\n"+
		"    routes:\n      %q: {work: 1ms, calls: [%q]}\n      %q: {work: 1ms, calls: [%q]}\n", us,
		s.policies[s.file.Name()], 10*s.workers(), s.dep.Name, s.dep.Name, other.Name, other.Name)
	fmt.Fprintf(&b, "  %q: {work: %s}\n  %q: {work: %s, workers: %d, queue: fifo}\n", s.dep.Name,
		work(s.dep.Measured), other.Name, takes, workers)
	s.tail(&b, []string{s.to("down: true")})
	return b.String()
}

// share is a rate as the weight of a route.
func share(rate float64) int { return max(1, int(math.Round(100*rate))) }

// link is a service of a chain, and the dependency by which it calls the next.
type link struct {
	file *config.File
	dep  *config.Dependency
}

// chain follows the calls from the finding's caller to the bottom, along the
// dependencies that other files are about.
func (s *stage) chain() (all []link) {
	calls := check.Calls(s.files)
	at, dep := s.file, s.dep
	if dep == nil {
		return nil
	}
	// Begin at the top of what leads here.
	for range s.files {
		for _, c := range calls {
			if c.To == at {
				at, dep = c.From, c.Dependency
			}
		}
	}
	for range s.files {
		all = append(all, link{at, dep})
		next := (*config.File)(nil)
		for _, c := range calls {
			if c.From == at && c.Dependency == dep {
				next = c.To
			}
		}
		if next == nil || len(next.Dependencies) == 0 {
			break
		}
		at, dep = next, next.Dependencies[0]
		if next == s.file {
			dep = s.dep
		}
	}
	return all
}

// bottom is what the chain ends in.
func (s *stage) bottom() string {
	if all := s.chain(); len(all) > 0 {
		return all[len(all)-1].dep.Name
	}
	return ""
}

// chained is a service for each file, from the top to the bottom, and a change
// of the bottom.
func (s *stage) chained(change string) string {
	var b strings.Builder
	s.head(&b)
	all := s.chain()
	rate := rateOf(all[0].dep.Measured)
	fmt.Fprintf(&b, "clients:\n  users: {to: %s, rate: %g/s, patience: 1m}\nservices:\n", us, rate)
	name := us
	for _, l := range all {
		fmt.Fprintf(&b, "  %q:\n    policy: %s\n    unmarked: true\n    ignore-deadline: true\n    status: 503\n"+
			"    work: 1ms\n    calls: [%q]\n", name, s.policies[l.file.Name()], l.dep.Name)
		name = l.dep.Name
	}
	last := all[len(all)-1].dep
	fmt.Fprintf(&b, "  %q: {work: %s, status: 503}\n", last.Name, work(last.Measured))
	s.tail(&b, []string{fmt.Sprintf("service: %q, %s", last.Name, change)})
	return b.String()
}

func layered(s *stage) string { return s.chained("fails: 40%") }

func ordered(s *stage) string { return s.chained("silent: true") }

// caller is what the scenario calls the service that the finding is about.
func (s *stage) caller() string {
	name := us
	for _, l := range s.chain() {
		if l.file == s.file {
			break
		}
		name = l.dep.Name
	}
	return name
}
