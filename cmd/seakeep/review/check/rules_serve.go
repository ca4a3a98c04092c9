package check

import (
	"fmt"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/queue"
	"github.com/seakeep/seakeep/core/serve"
)

var serveRules = []*Rule{
	{ID: "deadline-missing", Severity: Warning, Title: "requests have no deadline",
		Why: "Nobody waits for ever, but without serve.deadline nobody here knows: work goes on for " +
			"users who have left, and the calls that it makes have no end of their own.",
		Number: "time that a request may take, beside what a user waits",
		Fix:    "serve.deadline: {default: 1s}",
		Bites:  "an overload",
		file:   deadlineMissing},
	{ID: "door-without-limit", Severity: Warning, Title: "the service takes whatever comes",
		Why: "Past its capacity a service without a limit serves everybody too late, which is nobody. " +
			"With one it serves as many as it can and refuses the rest at once.",
		Number: "requests under way when each takes ten times as long, beside usual ones",
		Fix:    "serve.concurrency, with a short queue",
		Bites:  "more requests come than it can serve",
		file:   doorUnlimited},
	{ID: "concurrency-too-small", Severity: Warning, Title: "the door refuses usual traffic",
		Why:    "By Little's law rate x latency requests are under way, and the limit is below that.",
		Number: "requests at once, beside rate x p99",
		Fix:    "serve.concurrency.max above rate x p99",
		Bites:  "latency rises a little, as at a peak",
		file:   concurrencySmall},
	{ID: "queue-too-long", Severity: Warning, Title: "the queue is longer than patience",
		Why: "Who waits behind more requests than are served before the deadline is served too late, or " +
			"refused late instead of at once. First come, first served, with no shorter wait than the " +
			"deadline, a full queue makes everybody too late and useful work is none: then it is an error.",
		Number: "places, beside throughput x patience",
		Fix:    "a shorter serve.queue.length",
		Bites:  "more requests come than it can serve",
		file:   queueLong},
	{ID: "queue-wait-over-deadline", Severity: Error, Title: "requests may wait until nobody wants the answer",
		Why: "Waiting may take all of the time that a request has. Those that come to their turn then " +
			"are served for nobody.",
		Number: "longest wait, beside what the deadline leaves",
		Fix:    "serve.queue.wait of half of the deadline at most",
		Bites:  "more requests come than it can serve",
		file:   queueWait},
	{ID: "tenants-missing", Severity: Warning, Title: "one tenant may fill the service",
		Why: "Dependencies keep tenants apart by shards, but at the door one tenant may still take all " +
			"slots from the others.",
		Number: "share of the slots that one tenant may hold, beside a quarter",
		Fix:    "serve.tenants with a limit",
		Bites:  "one tenant sends far more than usual",
		file:   tenantsMissing},
	{ID: "tenant-takes-all", Severity: Warning, Title: "the limit of a tenant is no limit",
		Why: "One tenant may hold more than half of what the door serves at once, so that one is enough " +
			"to push out the others.",
		Number: "slots of one tenant, beside half of the door's",
		Fix:    "serve.tenants.limit of a quarter of the door's",
		Bites:  "one tenant sends far more than usual",
		file:   tenantTakesAll},
	{ID: "probes-refused", Severity: Warning, Title: "health checks of the service wait in line with users",
		Why: "serve.health is none, so that under an overload probes are refused or late. An orchestrator " +
			"then takes away what was healthy, and the others get its load.",
		Number: "paths that are never refused, beside one",
		Fix:    "leave out serve.health, or name the paths that probes ask",
		Bites:  "more requests come than it can serve",
		file:   probesRefused},
	{ID: "idempotency-forgets", Severity: Info, Title: "a restart forgets which writes were made",
		Why: "Keys are kept in memory. A client that retries a write across a restart makes it a second " +
			"time.",
		Number: "time that keys outlive a restart, beside ttl",
		Fix:    "serve.idempotency.store: a file",
		Bites:  "the service restarts between a write and its retry",
		file:   idempotencyForgets},
}

// door is the door, or nil.
func (s *subject) door() *serve.Config {
	if s.Serve == nil {
		return nil
	}
	return &s.Serve.Door
}

func deadlineMissing(s *subject) {
	if s.door() == nil || s.deadline() > 0 {
		return
	}
	good := s.enough()
	var changes []Change
	if s.door().Observe.Has(serve.RungDeadline) {
		changes = []Change{{"serve.deadline.mode", "enforce"}}
	}
	if t := s.door().Timeout.Total; t > 0 {
		good = t // which only has to be in effect
	} else {
		changes = append(changes, Change{"serve.deadline.default", span(good)})
	}
	s.report(found{keys: []string{"serve.deadline", "serve"},
		why:     "a request has no end but its caller's own deadline, if it brings one",
		number:  Number{"time that a request may take", inMillis(365 * 24 * time.Hour), inMillis(good), "ms"},
		fix:     s.told(changes),
		changes: changes})
}

// enough is a deadline within which the calls can be made, those that every
// request needs one after the other; at least a second.
func (s *subject) enough() time.Duration {
	var row, most time.Duration
	for _, d := range s.Dependencies {
		v := s.of(d, s.rule)
		_, total := v.times()
		takes := v.worst(0.5)
		if total > 0 {
			takes = min(takes, total)
		}
		if d.Kind == config.Critical {
			row += takes
		} else if d.Kind == config.Optional {
			most = max(most, takes)
		}
	}
	return roundUp(max(row, most, time.Second))
}

func doorUnlimited(s *subject) {
	if s.door() == nil || s.door().Slots != nil {
		return
	}
	m := s.Serve.Measured
	usual := max(1, m.Rate*latency(m, 0.01).Seconds())
	most := max(ceil(4*usual), 20)
	optional := 0
	for _, d := range s.Dependencies {
		b := s.of(d, s.rule).slots()
		if b == nil {
			continue
		}
		most = max(most, 2*b.Limit)
		if d.Kind == config.Optional {
			optional += b.Limit
		}
	}
	most = max(most, 2*optional) // so that bulkheads are smaller than what they are in
	s.report(found{keys: []string{"serve.concurrency", "serve"},
		why:     "nothing bounds how many requests are served at once",
		number:  Number{"requests under way when each takes ten times as long", 10 * usual, usual, "requests"},
		fix:     fmt.Sprintf("set serve.concurrency to {max: %d}", most),
		changes: []Change{{"serve.concurrency", fmt.Sprintf("{max: %d}", most)}}})
}

func concurrencySmall(s *subject) {
	if s.served() == 0 {
		return
	}
	m, have := s.Serve.Measured, s.served()
	need := m.Rate * latency(m, 0.01).Seconds()
	if need == 0 || float64(have) >= need {
		return
	}
	key := s.limitKey()
	s.report(found{keys: []string{key},
		why: fmt.Sprintf("%s/s that take %s are %s requests at once, and the door serves %d",
			figure(m.Rate, 4), span(latency(m, 0.01)), figure(need, 3), have),
		number:  Number{"requests at once", float64(have), need, "requests"},
		fix:     fmt.Sprintf("set %s to %d", key, ceil(2*need)),
		changes: []Change{{key, fmt.Sprint(ceil(2 * need))}}})
}

// limitKey is what bounds how many requests are served at once.
func (s *subject) limitKey() string {
	if s.door().Slots.Limit.Max == 0 {
		return "serve.concurrency.limit"
	}
	return "serve.concurrency.max"
}

// patience is how long a request may wait and be served in time; 0: unknown.
func (s *subject) patience() time.Duration {
	if s.deadline() == 0 {
		return 0
	}
	return max(0, s.deadline()-s.Serve.Measured.P50)
}

func queueLong(s *subject) {
	have, patience := s.served(), s.patience()
	if have == 0 || patience == 0 || s.Serve.Measured.P50 == 0 || s.door().Slots.Queue.Queue == 0 {
		return
	}
	length := s.door().Slots.Queue.Queue
	throughput := float64(have) / s.Serve.Measured.P50.Seconds()
	places := throughput * patience.Seconds()
	if float64(length) <= places {
		return
	}
	good := max(1, int(places/2))
	f := found{keys: []string{"serve.queue.length"},
		why: fmt.Sprintf("%d may wait, and %s a second are served: the last of them waits %s of %s",
			length, figure(throughput, 4), span(time.Duration(float64(length)/throughput*float64(time.Second))),
			span(s.deadline())),
		number:  Number{"places", float64(length), places, "places"},
		fix:     fmt.Sprintf("set serve.queue.length to %d", good),
		changes: []Change{{"serve.queue.length", fmt.Sprint(good)}}}
	if q := s.door().Slots.Queue; q.Line.Order == queue.FIFO && q.Wait >= patience {
		f.severity = Error
	}
	s.report(f)
}

func queueWait(s *subject) {
	patience := s.patience()
	if patience == 0 || s.door().Slots == nil || s.door().Slots.Queue.Queue == 0 {
		return
	}
	wait := s.door().Slots.Queue.Wait
	if wait < patience {
		return
	}
	good := roundDown(s.deadline() / 2)
	s.report(found{keys: []string{"serve.queue.wait", "serve.queue"},
		why: fmt.Sprintf("a request may wait %s of the %s that it has", span(wait),
			span(s.deadline())),
		number:  Number{"longest wait", inMillis(wait), inMillis(patience), "ms"},
		fix:     "set serve.queue.wait to " + span(good),
		changes: []Change{{"serve.queue.wait", span(good)}}})
}

func tenantsMissing(s *subject) {
	if s.door() == nil || s.door().Slots == nil || s.door().Tenants != nil {
		return
	}
	for _, d := range s.Dependencies {
		if d.Shards == nil {
			continue
		}
		limit := max(1, s.served()/4)
		if s.served() == 0 {
			limit = 20
		}
		value := fmt.Sprintf("{header: %s, limit: %d}", d.Shards.Key, limit)
		s.report(found{keys: []string{"serve.tenants", "serve"},
			why: fmt.Sprintf("%s tells tenants apart by %s, and the door lets one of them have every slot",
				d.Name, d.Shards.Key),
			number:  Number{"slots that one tenant may hold", 100, 25, "%"},
			fix:     "set serve.tenants to " + value,
			changes: []Change{{"serve.tenants", value}}})
		return
	}
}

func tenantTakesAll(s *subject) {
	if s.served() == 0 || s.door().Tenants == nil || 2*s.door().Tenants.Slots <= s.served() {
		return
	}
	have, limit := s.served(), s.door().Tenants.Slots
	good := max(1, have/4)
	s.report(found{keys: []string{"serve.tenants.limit"},
		why: fmt.Sprintf("one tenant may have %d of the %d requests that are served at once", limit,
			have),
		number:  Number{"slots of one tenant", float64(limit), float64(have) / 2, "slots"},
		fix:     fmt.Sprintf("set serve.tenants.limit to %d", good),
		changes: []Change{{"serve.tenants.limit", fmt.Sprint(good)}}})
}

func idempotencyForgets(s *subject) {
	if s.Serve == nil || s.Serve.Idempotency == nil || s.Serve.Idempotency.Store != config.InMemory {
		return
	}
	s.report(found{keys: []string{"serve.idempotency.store", "serve.idempotency"},
		why:     "keys of writes are in memory, and a restart forgets them",
		number:  Number{"time that keys outlive a restart", 0, inMillis(24 * time.Hour), "ms"},
		fix:     "set serve.idempotency.store to a file, such as keys.db",
		changes: []Change{{"serve.idempotency.store", "keys.db"}}})
}

func probesRefused(s *subject) {
	if s.door() == nil || s.door().Slots == nil || len(s.Serve.Health) > 0 {
		return
	}
	s.report(found{keys: []string{"serve.health"},
		why:     "no path is for health checks, so that they are refused like everything else",
		number:  Number{"paths that are never refused", 0, 1, "paths"},
		fix:     "remove serve.health, which has the usual paths by default",
		changes: []Change{{"serve.health", ""}}})
}
