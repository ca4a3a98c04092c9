package review

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/shard"
)

// Load is how often a dependency is asked.
type Load struct {
	// Most is how many requests one call may become: its attempts, and the
	// copies that a hedge sends.
	Most int `json:"most_per_call"`
	// Lasting is how many requests there are for each call while all of them
	// fail, once the budgets are spent; 0: nobody can tell from the file.
	Lasting float64 `json:"lasting_per_call,omitempty"`
	How     string  `json:"how"`
}

func loadOf(s *config.Settings, m config.Measured) Load {
	attempts := attemptsOf(s)
	l := Load{Most: attempts, Lasting: 1}
	var parts []string
	if attempts > 1 {
		share, told := retriesOf(s, m)
		parts = append(parts, told)
		if l.Lasting += share; share < 0 {
			l.Lasting = 0
		}
		l.Lasting = min(l.Lasting, float64(attempts))
	}
	if h := s.Call.Hedge; h != nil && !s.Call.Observe.Has(call.RungHedge) {
		copied := 1 + h.Copies
		if r := s.Call.Retry; r != nil && r.Attempts > 1 {
			copied = min(copied, r.Attempts) // which counts copies too
		}
		l.Most = max(l.Most, copied)
		parts = append(parts, fmt.Sprintf("copies of slow calls up to %s", percent(h.Budget)))
		if l.Lasting > 0 {
			l.Lasting += h.Budget
		}
	}
	l.How = strings.Join(parts, ", ")
	return l
}

// retriesOf is how many retries there are for each call while all of them fail;
// negative: it depends on what the file does not say.
func retriesOf(s *config.Settings, m config.Measured) (share float64, told string) {
	b := s.Call.Budget
	if b == nil {
		return float64(attemptsOf(s) - 1), "retries without a budget"
	}
	switch b.Kind {
	case budget.Ratio:
		told = fmt.Sprintf("retries up to %s of calls and %g/s", percent(b.Ratio), b.Floor)
		switch {
		case b.Floor == 0:
			return b.Ratio, told
		case m.Rate == 0:
			return -1, told
		}
		return b.Ratio + b.Floor/m.Rate, told
	case budget.Tokens:
		return 0, fmt.Sprintf("retries until %g tokens are half gone", b.MaxTokens)
	}
	return -1, fmt.Sprintf("retries under way up to %s of calls under way, and %g in any case",
		percent(b.Ratio), b.Floor)
}

// Slots is how many calls are under way at a time by Little's law: the rate
// times how long each takes.
type Slots struct {
	Rate    float64 `json:"rate"`
	Typical float64 `json:"at_p50,omitempty"`
	Slow    float64 `json:"at_p99,omitempty"`
	Hung    float64 `json:"when_it_hangs,omitempty"` // 0: without limit
	Given   int     `json:"given,omitempty"`         // 0: there is no bulkhead
	FullMS  float64 `json:"full_after_ms,omitempty"` // when it hangs

	full time.Duration
}

func slotsOf(d *config.Dependency, w Worst) *Slots {
	m := d.Measured
	if m.Rate == 0 {
		return nil
	}
	s := &Slots{Rate: m.Rate, Typical: m.Rate * m.P50.Seconds(), Slow: m.Rate * m.P99.Seconds(),
		Hung: m.Rate * w.time.Seconds()}
	if b := d.Call.Bulkhead; b != nil && !d.Call.Observe.Has(call.RungBulkhead) {
		s.Given = b.Limit
		if s.Hung == 0 || s.Hung > float64(b.Limit) {
			s.full = time.Duration(float64(b.Limit) / m.Rate * float64(time.Second))
			s.FullMS = math.Round(millis(s.full))
		}
	}
	return s
}

// Shards is whom one bad tenant can hurt.
type Shards struct {
	Endpoints int     `json:"endpoints"`
	Size      int     `json:"size"`
	Shards    uint64  `json:"shards"`
	Sharing   []Share `json:"sharing"`
	// What one tenant does to others that takes its whole shard down. Those
	// that are degraded lose some calls, unless these are retried at another
	// endpoint of their own.
	Failed    float64 `json:"failed"`
	Degraded  float64 `json:"degraded"`
	Untouched float64 `json:"untouched"`
	Retries   bool    `json:"retries"`
}

// Share is how likely it is that two tenants have so many endpoints in common.
type Share struct {
	Endpoints   int     `json:"endpoints"`
	Probability float64 `json:"probability"`
}

// shardsOf is nil if there are no shards, or nobody knows of how many endpoints.
func shardsOf(d *config.Dependency) *Shards {
	n := len(d.Endpoints)
	if d.Shards == nil || n == 0 {
		return nil
	}
	k := min(d.Shards.Size, n)
	s := &Shards{Endpoints: n, Size: k, Retries: attemptsOf(&d.Settings) > 1}
	s.Shards, _ = shard.Count(n, k) // it fits for as many endpoints as a file may have
	for j := k; j >= 0; j-- {
		s.Sharing = append(s.Sharing, Share{j, shard.Sharing(n, k, j)})
	}
	h := shard.Blast(n, k)
	s.Failed, s.Degraded, s.Untouched = h.Failed, h.Degraded, h.Untouched
	return s
}

// Second is where calls go while a dependency fails.
type Second struct {
	To     string  `json:"to"`
	Share  float64 `json:"share"`
	Writes string  `json:"writes"`
	BackMS float64 `json:"back_ms"` // from the first provider's recovery to all calls, at best

	window, back time.Duration
	calls        int
}

func secondOf(d *config.Dependency) *Second {
	c := d.Failover
	if c == nil {
		return nil
	}
	s := &Second{To: c.To, Share: c.Share, Writes: "stay", window: c.Window, calls: c.Calls,
		back: c.Back.After}
	if c.Write == config.Keyed {
		s.Writes = "keyed"
	}
	for share := c.Back.Begin; share < 1; share *= 2 {
		s.back += c.Back.Step
	}
	s.BackMS = millis(s.back)
	return s
}

func percent(share float64) string { return fmt.Sprintf("%.4g %%", 100*share) }
