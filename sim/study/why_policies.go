package study

import (
	"fmt"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/call"
)

// policies tells what policies decided at known moments.
func (t *tale) policies() {
	for _, d := range t.log.of {
		t.counted(d, Full, func(b *bin) (uint64, time.Duration) { return b.full, b.fullAt },
			func(s bin) string {
				limit := "all slots taken"
				if c := t.policy(d); c.Bulkhead != nil {
					limit = fmt.Sprintf("%d calls under way", c.Bulkhead.Limit)
				}
				return fmt.Sprintf("the bulkhead for %s is full: %s, %s of the calls refused",
					t.label(d), limit, percent(s.full, s.calls))
			})
		t.counted(d, Held, func(b *bin) (uint64, time.Duration) { return b.held, b.heldAt },
			func(s bin) string {
				return fmt.Sprintf("the throttle for %s holds back %s of the calls",
					t.label(d), percent(s.held, s.calls))
			})
		t.counted(d, Spent, func(b *bin) (uint64, time.Duration) { return b.denied, b.deniedAt },
			func(s bin) string {
				return fmt.Sprintf("the retry budget for %s is spent: %s of the retries denied",
					t.label(d), percent(s.denied, s.denied+s.retries))
			})
		t.breakers(d)
	}
}

// counted tells where a count is above zero.
func (t *tale) counted(d *decisions, kind Kind, of func(*bin) (uint64, time.Duration),
	text func(sum bin) string) {
	all := spells(len(d.bins), pause*finer, func(k int) bool {
		n, _ := of(&d.bins[k])
		return n > 0
	})
	for n, s := range all {
		if n == most {
			break
		}
		_, at := of(&d.bins[s.from])
		t.add(at, kind, d.by+" > "+d.name, text(d.sum(s.from, s.to))+t.until((s.to+finer-1)/finer))
	}
}

// label names a dependency, and who calls it if that is not plain.
func (t *tale) label(d *decisions) string {
	for _, o := range t.log.of {
		if o != d && o.name == d.name {
			return d.name + " (of " + d.by + ")"
		}
	}
	return d.name
}

// policy returns the settings of a dependency.
func (t *tale) policy(d *decisions) call.Config { return policyOf(t.scenario, d.by, d.name) }

// policyOf returns what the policy of a service or client says of a dependency.
func policyOf(s *config.Scenario, by, name string) call.Config {
	var f *config.File
	if v := s.Service(by); v != nil {
		f = v.Policy
	} else if c := s.Client(by); c != nil {
		f = c.Member.File
	}
	if c := settings(f, name); c != nil {
		return c.Call
	}
	return call.Config{}
}

// patience is how long the callers of a service wait for an answer: the
// shortest limit of a client, or of a service that calls it. 0: for ever.
func (t *tale) patience(service string) (least time.Duration) {
	take := func(d time.Duration) {
		if d > 0 && (least == 0 || d < least) {
			least = d
		}
	}
	for _, c := range t.scenario.Clients {
		if c.To == service {
			take(c.Patience)
			if s := settings(c.Member.File, c.Member.Dependency); s != nil {
				take(s.Call.Timeout.Request)
			}
		}
	}
	for _, v := range t.scenario.Services {
		for _, r := range v.Routes {
			for _, step := range r.Calls {
				if step.To == service {
					take(policyOf(t.scenario, v.Name, step.Dependency).Timeout.Request)
				}
			}
		}
	}
	return least
}

// timeouts tells where attempts run into their limit. Users without one give
// up, which is told of their endpoints.
func (t *tale) timeouts(d *decisions) {
	if t.scenario.Client(d.by) != nil && t.policy(d).Timeout.Request == 0 {
		return
	}
	t.often(d, Late, func(s bin) (uint64, uint64) {
		if 20*s.attempts < s.calls {
			return 0, 0 // the trials of an open breaker
		}
		return s.timeouts, s.attempts
	},
		func(s bin) string {
			own := t.policy(d).Timeout.Request
			limit := fmt.Sprintf("their limit of %v", own)
			if mean := s.waited / time.Duration(s.timeouts); own == 0 || mean < own-own/50 {
				limit = fmt.Sprintf("a limit, their callers' deadline too, after %s on average",
					Seconds.Text(mean.Seconds()))
			}
			return fmt.Sprintf("%s of the calls of %s to %s run into %s",
				percent(s.timeouts, max(s.attempts, s.timeouts)), d.by, d.name, limit)
		})
}

func (t *tale) retries(d *decisions) {
	t.often(d, Retrying, func(s bin) (uint64, uint64) { return s.retries, s.calls },
		func(s bin) string {
			return fmt.Sprintf("%s retries %s: %d retries for 100 calls", d.by, d.name,
				int(100*float64(s.retries)/float64(max(s.calls, 1))+0.5))
		})
}

// often tells where something happens for more than a tenth of all.
func (t *tale) often(d *decisions, kind Kind, of func(bin) (some, all uint64),
	text func(sum bin) string) {
	n := (len(d.bins) + finer - 1) / finer
	above := func(part uint64) func(k int) bool {
		return func(k int) bool {
			some, all := of(d.sum(k*finer, (k+1)*finer))
			return some >= 3 && part*some > all
		}
	}
	for i, s := range stretches(n, pause, above(10), above(20)) {
		if i == most {
			break
		}
		sum := d.sum(s.from*finer, s.to*finer)
		at := t.after(t.start(s.from), t.run.Slice)
		t.add(at, kind, d.by+" > "+d.name, text(sum)+t.until(s.to))
	}
}
