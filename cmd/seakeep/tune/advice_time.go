package tune

import (
	"fmt"
	"math"
	"time"
)

const (
	fitsBelow = 0.9 // of what would be proposed: a timeout from there to fitsAbove times it stays
	fitsAbove = 1.5
)

// timeout is the quantile that as many healthy calls exceed as may be cut off,
// with headroom for what was not measured.
func (a *Advice) timeout() {
	t := a.dep.Call.Timeout
	a.limit = t.Request
	share, head := a.accepted()
	q := 1 - share
	v, why, ok := a.quantile(q)
	if !ok {
		a.keep("timeout.request: %s", why)
		return
	}
	a.falseTimeouts()
	digits := 2
	if head == 0 {
		digits = 3
	}
	want := up(v.Value*(1+head), digits)
	about := fmt.Sprintf("%s is %s, %s", quantileName(q), shown(v.Value), sure(v))
	if head > 0 {
		about += fmt.Sprintf("; %s more for what was not measured", percent(head))
	}
	if v.High > 2*max(v.Low, 1e-9) && !math.IsInf(v.High, 1) {
		about += "; the sample or its buckets leave a wide gap"
	}
	if now := t.Request; now > 0 && a.fits(now, want, share, head) {
		a.keep("timeout.request: %s fits: it cuts off %s of healthy calls; %s", span(now),
			percent(a.dist.Beyond(now.Seconds())), about)
		a.total()
		return
	}
	now := ""
	if t.Request > 0 {
		now = span(t.Request)
		about += fmt.Sprintf("; %s cut off %s", now, percent(a.dist.Beyond(t.Request.Seconds())))
	}
	a.propose("timeout.request", now, span(want), "%s; of the calls measured %s would be cut off", about,
		percent(a.dist.Beyond(want.Seconds())))
	a.limit = want
	a.total()
}

// falseTimeouts writes down the share that was asked for, so that the check and
// the next run know it.
func (a *Advice) falseTimeouts() {
	asked, now := a.opts.FalseTimeouts, ""
	if asked == 0 || inFile(asked) == inFile(a.dep.FalseTimeouts) {
		return
	}
	if a.dep.FalseTimeouts > 0 {
		now = inFile(a.dep.FalseTimeouts)
	}
	a.propose("timeout.false-timeouts", now, inFile(asked),
		"%s of healthy calls may be cut off, as asked for; seakeep check and the next run go by it", inFile(asked))
}

// fits reports whether a timeout is near enough to what would be proposed: where
// a share is asked for, by the share that it cuts off.
func (a *Advice) fits(now, want time.Duration, share, head float64) bool {
	if head == 0 {
		cut := a.dist.Beyond(now.Seconds())
		return cut >= share/1.5 && cut <= share*1.5
	}
	r := now.Seconds() / want.Seconds()
	return r >= fitsBelow && r <= fitsAbove
}

// total is what all attempts and their usual waits need.
func (a *Advice) total() {
	t, r := a.dep.Call.Timeout, a.dep.Call.Retry
	if t.Total == 0 || a.limit == 0 {
		return
	}
	attempts := 1
	need := a.limit
	if r != nil {
		attempts = max(r.Attempts, 1)
		need = time.Duration(attempts) * a.limit
		var before time.Duration
		for k := 1; k < attempts; k++ {
			before = r.Backoff.Delay(k, before, 0.5)
			need += before
		}
	}
	if t.Total >= need && t.Total <= 10*need {
		return
	}
	want := up(need.Seconds(), 2)
	a.propose("timeout.total", span(t.Total), span(want), "%d attempts of %s and their usual waits take %s", attempts,
		span(a.limit), span(need))
}

// connect leaves something of an attempt for the answer.
func (a *Advice) connect() {
	c := a.dep.Connect
	if c == 0 || a.limit == 0 || c <= a.limit*3/4 {
		return
	}
	want := min(down(a.limit.Seconds()/2), 100*time.Millisecond)
	a.propose("timeout.connect", span(c), span(want), "an attempt has %s, and connecting is a part of it",
		span(a.limit))
}

// hedge has a copy due when one call in twenty is still under way.
func (a *Advice) hedge() {
	h := a.dep.Call.Hedge
	v, why, ok := a.quantile(0.95)
	switch {
	case !ok:
		if h != nil {
			a.keep("hedge.after: %s", why)
		}
		return
	case h == nil:
		a.keep("hedge: it is off; a copy would be due after the p95, %s, %s", shown(v.Value), sure(v))
		return
	case a.dep.Tied || h.After == 0:
		a.keep("hedge.after: it follows the latency by itself; its p95 is %s", shown(v.Value))
		return
	}
	want := max(up(v.Value, 2), time.Millisecond)
	if r := h.After.Seconds() / want.Seconds(); r >= 0.8 && r <= 1.25 {
		a.keep("hedge.after: %s fits: the p95 is %s", span(h.After), shown(v.Value))
		return
	}
	a.propose("hedge.after", span(h.After), span(want), "the p95 is %s, %s: a copy for one call in twenty",
		shown(v.Value), sure(v))
}
