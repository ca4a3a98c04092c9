package review

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/core/shard"
)

// Row is a dependency in the table that a service is judged by.
type Row struct {
	Dependency   string `json:"dependency"`
	Kind         string `json:"kind"`
	Timeout      string `json:"timeout"`
	Retry        string `json:"retry"`
	Breaker      string `json:"breaker"`
	Bulkhead     string `json:"bulkhead"`
	Hedge        string `json:"hedge"`
	Fallback     string `json:"fallback"`
	Threads      string `json:"threads"`
	Blast        string `json:"blast_radius"`
	Availability string `json:"availability"`
	WhenDown     string `json:"when_down"`
}

// headings are those of Row, in order.
var headings = []string{"dependency", "kind", "timeout", "retry", "breaker", "bulkhead", "hedge",
	"fallback", "threads it can hold", "blast radius", "availability", "when it is down"}

func (r *Row) cells() []string {
	return []string{r.Dependency, r.Kind, r.Timeout, r.Retry, r.Breaker, r.Bulkhead, r.Hedge,
		r.Fallback, r.Threads, r.Blast, r.Availability, r.WhenDown}
}

const off = "OFF"

// rowOf makes the row of a dependency.
func rowOf(d *config.Dependency) Row {
	r := Row{Dependency: d.Name, Kind: d.Kind.String(), Timeout: timeoutCell(&d.Settings),
		Retry: retryCell(&d.Settings), Breaker: breakerCell(d), Bulkhead: off, Hedge: hedgeCell(&d.Settings),
		Fallback: fallbackCell(d), Threads: threadsCell(d), Blast: blastCell(d), Availability: "not said",
		WhenDown: d.WhenDown}
	if b := d.Call.Bulkhead; b != nil {
		r.Bulkhead = watched(&d.Settings, call.RungBulkhead, count(b.Limit, "slot"))
		if b.Queue > 0 {
			r.Bulkhead += fmt.Sprintf(", %d may wait %s", b.Queue, short(b.Wait))
		}
	}
	if d.Availability > 0 {
		r.Availability = exact(d.Availability)
	}
	if r.WhenDown == "" {
		r.WhenDown = whenDown(d)
	}
	return r
}

// watched marks a rung that only watches.
func watched(s *config.Settings, rung call.Rungs, text string) string {
	if s.Call.Observe.Has(rung) {
		return "observes only: " + text
	}
	return text
}

func timeoutCell(s *config.Settings) string {
	request, total := s.Call.Timeout.Request, s.Call.Timeout.Total
	text := off
	switch {
	case request > 0 && total > 0:
		text = fmt.Sprintf("%s, %s in all", short(request), short(total))
	case request > 0:
		text = short(request)
	case total > 0:
		text = short(total) + " in all"
	}
	if s.Connect > 0 {
		text += ", connect " + short(s.Connect)
	}
	return watched(s, call.RungTimeout, text)
}

func retryCell(s *config.Settings) string {
	r := s.Call.Retry
	if r == nil || r.Attempts == 1 {
		return "none"
	}
	text := "1 retry"
	if r.Attempts > 2 {
		text = fmt.Sprintf("%d retries", r.Attempts-1)
	}
	jitter := [...]string{"full jitter", "equal jitter", "decorrelated jitter", "no jitter"}
	text += fmt.Sprintf(" with %s from %s", jitter[r.Backoff.Jitter], short(r.Backoff.Base))
	switch r.Idempotent {
	case retry.ByCall:
		text += "; reads, and writes with a key"
	case retry.Always:
		text += "; writes too"
	case retry.Never:
		text += "; only what was never sent"
	}
	switch b := s.Call.Budget; {
	case b == nil:
		text += "; NO BUDGET"
	case b.Kind == budget.Ratio:
		text += fmt.Sprintf("; at most %s and %g/s", percent(b.Ratio), b.Floor)
	case b.Kind == budget.Tokens:
		text += fmt.Sprintf("; %g tokens", b.MaxTokens)
	default:
		text += fmt.Sprintf("; at most %s of those under way", percent(b.Ratio))
	}
	return watched(s, call.RungRetry, text)
}

func breakerCell(d *config.Dependency) string {
	b := d.Call.Breaker
	if b == nil {
		return off
	}
	var text string
	over := short(b.Window.Over)
	if n := b.Window.Calls; n > 0 {
		over = fmt.Sprintf("%d calls", n)
	}
	if n := b.Window.Consecutive; n > 0 {
		text = fmt.Sprintf("%d failures in a row", n)
	} else if b.Failures > 0 {
		text = fmt.Sprintf("%s of %d or more in %s", percent(b.Failures), b.MinCalls, over)
	}
	if b.Slow.Over > 0 {
		if text != "" {
			text += ", or "
		}
		text += fmt.Sprintf("%s over %s", percent(b.Slow.Share), short(b.Slow.Over))
	}
	text += fmt.Sprintf("; open %s ± %s", short(b.Open.For), percent(b.Open.Jitter))
	for i := range d.Operations {
		if d.Operations[i].Own.Has(call.RungBreaker) {
			text += "; operations have their own"
			break
		}
	}
	if d.Call.Keys > 0 {
		text += "; one for each key"
	}
	return watched(&d.Settings, call.RungBreaker, text)
}

func hedgeCell(s *config.Settings) string {
	h := s.Call.Hedge
	if h == nil {
		return off
	}
	after := short(h.After)
	if h.Quantile > 0 {
		after = "p" + strings.TrimPrefix(fmt.Sprintf("%g", h.Quantile), "0.")
	}
	return watched(s, call.RungHedge, fmt.Sprintf("after %s, at most %s", after, percent(h.Budget)))
}

func fallbackCell(d *config.Dependency) string {
	var parts []string
	for _, a := range d.Fallback.Order {
		switch {
		case a.Cache != nil && a.Cache.Stale > 0:
			parts = append(parts, "an answer of up to "+short(a.Cache.Stale)+" ago")
		case a.Cache != nil:
			parts = append(parts, "an answer of up to "+short(a.Cache.Fresh)+" ago, which saves the call")
		case a.Static != nil:
			parts = append(parts, strings.TrimSpace(fmt.Sprintf("%d %s", a.Static.Status, a.Static.Body)))
		case a.Omit != nil:
			parts = append(parts, "left out")
		default:
			parts = append(parts, "ask "+a.Dependency)
		}
	}
	if f := d.Failover; f != nil {
		parts = append(parts, "calls move to "+f.To)
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, ", else ")
	case d.Kind == config.Async:
		return "the queue keeps it"
	}
	return "none: the error, at once"
}

// held is how many threads it can hold: its slots, or the rate times how long a
// call may take, whichever is less.
func held(d *config.Dependency) float64 {
	limit := math.Inf(1)
	if b := d.Call.Bulkhead; b != nil && !d.Call.Observe.Has(call.RungBulkhead) {
		limit = float64(b.Limit)
	}
	if s := slotsOf(d, worstOf(&d.Settings)); s != nil && s.Hung > 0 {
		limit = min(limit, math.Ceil(s.Hung))
	}
	return limit
}

func threadsCell(d *config.Dependency) string {
	limit, worst, usual := held(d), worstOf(&d.Settings), ""
	if s := slotsOf(d, worst); s != nil && s.Slow > 0 {
		usual = fmt.Sprintf("; %.3g at its p99", s.Slow)
	}
	switch {
	case !math.IsInf(limit, 1):
		return fmt.Sprintf("%g%s", limit, usual)
	case worst.time > 0:
		return fmt.Sprintf("%.3g for each call a second", worst.time.Seconds())
	}
	return "ALL of them" + usual
}

func blastCell(d *config.Dependency) string {
	limit := held(d)
	var text string
	switch {
	case d.Kind == config.Async:
		return "nobody waits for it"
	case math.IsInf(limit, 1):
		text = "EVERY request: nothing bounds its threads"
	case d.Kind == config.Optional && len(d.Fallback.Order) > 0:
		text = fmt.Sprintf("no request fails; at most %s held", count(int(limit), "thread"))
	case len(d.Fallback.Order) > 0 || d.Failover != nil:
		text = fmt.Sprintf("requests that call it, once the fallback cannot answer; at most %s held",
			count(int(limit), "thread"))
	default:
		text = fmt.Sprintf("requests that call it; at most %s held", count(int(limit), "thread"))
	}
	if n := len(d.Endpoints); d.Shards != nil && n > 0 {
		k := min(d.Shards.Size, n)
		sets, _ := shard.Count(n, k)
		text += fmt.Sprintf("; of tenants, a bad one takes 1 in %d along", sets)
	}
	return text
}

// whenDown is what the user sees, as far as the settings tell.
func whenDown(d *config.Dependency) string {
	switch {
	case d.Kind == config.Async:
		return "nothing; it is done later"
	case len(d.Fallback.Order) == 0 && d.Failover == nil:
		return "an error that says when to come back"
	}
	return "what stands in: " + fallbackCell(d)
}

// short writes a time without the parts that are zero.
func short(t time.Duration) string {
	text := t.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if s, ok := strings.CutSuffix(text, zero); ok {
			text = s + zero[:1]
		}
	}
	return text
}

// exact writes a share with all the digits that it has.
func exact(share float64) string {
	return fmt.Sprintf("%.10g %%", math.Round(share*1e12)/1e10)
}
