package study

import (
	"fmt"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/breaker"
)

// Assumption is a setting of a scenario that decides its result, and that
// models like to leave unsaid.
type Assumption struct {
	Key   string // by which it is changed
	Value string // as in the file
	Text  string // what it means
}

// Assumptions lists those that matter in a scenario, in its order.
func Assumptions(s *config.Scenario) (all []Assumption) {
	for _, v := range s.Services {
		all = append(all, ofService(s, v)...)
	}
	for _, v := range s.Services {
		all = append(all, ofPolicy(v.Policy, v.Name)...)
	}
	for _, c := range s.Clients {
		all = append(all, ofPolicy(c.Member.File, c.Name)...)
	}
	return all
}

func ofService(s *config.Scenario, v *config.Service) (all []Assumption) {
	add := func(key, value, text string) {
		all = append(all, Assumption{"services." + v.Name + "." + key, value, text})
	}
	if v.Workers > 0 {
		add("queue", queueInWords(&v.Queue), waits(&v.Queue))
		if v.Queue.Rule != config.Refuse {
			add("queue.drop-expired", yes(v.Queue.DropExpired), either(v.Queue.DropExpired,
				"who no longer waits is not served", "who no longer waits is served all the same"))
		}
		if retries(v.Policy) {
			add("release-while-waiting", yes(v.ReleaseWhileWaiting), either(v.ReleaseWhileWaiting,
				"a worker is free while a retry waits", "a retry's wait holds the worker"))
		}
	}
	if v.Capacity.Rate > 0 {
		over := either(v.Capacity.Over == config.Hang, "hang", "refuse")
		add("capacity", fmt.Sprintf("{rate: %s, over: %s}", PerSecond.Text(v.Capacity.Rate), over),
			either(v.Capacity.Over == config.Hang, "what is above it is never answered",
				"what is above it is refused at once"))
	}
	if v.Workers > 0 || calls(v) {
		stops := v.Abandoned == config.Stops
		add("abandoned", either(stops, "stops", "runs-on"), either(stops,
			"work that nobody waits for stops", "work that nobody waits for runs on"))
	}
	if calls(v) {
		add("ignore-deadline", yes(v.IgnoreDeadline), either(v.IgnoreDeadline,
			"the callers' deadlines do not limit its calls", "the callers' deadlines limit its calls"))
	}
	if calls(v) && retries(v.Policy) && retriedAbove(s, v) {
		add("unmarked", yes(v.Unmarked), either(v.Unmarked,
			"its failures do not say that it has retried", "callers do not retry what it has retried"))
	}
	return all
}

func ofPolicy(f *config.File, of string) (all []Assumption) {
	if f == nil {
		return nil
	}
	for _, d := range f.Dependencies {
		b := d.Call.Breaker
		if b == nil || d.Call.Retry == nil || d.Call.Retry.Attempts < 2 {
			continue
		}
		attempts := b.Counts == breaker.Attempts
		all = append(all, Assumption{of + ":dependencies." + d.Name + ".breaker.counts",
			b.Counts.String(), either(attempts, "the breaker counts each attempt",
				"the breaker counts a call with its retries once")})
	}
	return all
}

func calls(v *config.Service) bool {
	for _, r := range v.Routes {
		if len(r.Calls) > 0 {
			return true
		}
	}
	return false
}

// retries reports whether a policy makes any.
func retries(f *config.File) bool {
	if f == nil {
		return false
	}
	for _, d := range f.Dependencies {
		if r := d.Call.Retry; r != nil && r.Attempts > 1 {
			return true
		}
	}
	return false
}

// retriedAbove reports whether somebody who calls v retries.
func retriedAbove(s *config.Scenario, v *config.Service) bool {
	for _, c := range s.Clients {
		if c.To == v.Name && retries(c.Member.File) {
			return true
		}
	}
	for _, o := range s.Services {
		for _, r := range o.Routes {
			for _, step := range r.Calls {
				if step.To == v.Name && retries(o.Policy) {
					return true
				}
			}
		}
	}
	return false
}

func queueInWords(q *config.Queue) string {
	name := [...]string{"refuse", "fifo", "lifo", "codel"}[q.Rule]
	switch {
	case q.Rule == config.Refuse:
		return name
	case q.Length == 0:
		return "{rule: " + name + "}"
	}
	return fmt.Sprintf("{rule: %s, length: %d}", name, q.Length)
}

func waits(q *config.Queue) string {
	room := "as many wait as come"
	if q.Length > 0 {
		room = fmt.Sprintf("up to %d wait", q.Length)
	}
	switch q.Rule {
	case config.FIFO:
		return room + ", the first is next"
	case config.LIFO:
		return room + ", the last is next"
	case config.CoDel:
		return fmt.Sprintf("%s, dropped while the wait stays above %v", room, q.Target)
	}
	return "nobody waits for a worker"
}

func yes(b bool) string { return either(b, "true", "false") }

func either(b bool, a, other string) string {
	if b {
		return a
	}
	return other
}
