package config

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/hedge"
)

func (o *object) hedge(s *Settings) {
	h, on := o.rung("hedge", "{after: p95, budget: 5%}")
	if !on {
		return
	}
	defer h.close()
	c := hedge.Config{}
	if s.Tied = h.tied(&c); s.Tied {
		h.note("after", h.find("after"), showDuration(c.After))
	} else {
		h.after(&c)
	}
	c = c.Filled()
	s.Call.Hedge = &c
	if s.Call.Retry == nil {
		s.Replay = replayDefault // a copy needs the body again as a retry does
	}
	h.integer("copies", &c.Copies, within(1, hedge.MaxCopies, "2"))
	h.share("budget", &c.Budget, within(0.001, 1, "5%"))
	h.duration("window", &c.Window, within(time.Second, time.Hour, "1m"))
	h.integer("minimum", &c.Minimum, within[int](1, 1e6, "100"))
	h.share("slow", &c.Slow, within(0.01, 1, "25%"))
	h.boolean("same", &c.Same)
	h.mode(&s.Call, call.RungHedge)
	h.check(c.Validate(), hedgeFields)
}

// hedgeFields are the keys of the hedge's fields.
var hedgeFields = map[string]string{
	"After": "after", "Quantile": "after", "Copies": "copies", "Budget": "budget",
	"Window": "window", "Minimum": "minimum", "Slow": "slow",
}

// quantileForm is a quantile as people say it: p95 is 95 %, p999 is 99.9 %.
var quantileForm = regexp.MustCompile(`^p([5-9][0-9]{1,3})$`)

// after reads when a copy is due: a time, or a quantile of the operation's own
// latency.
func (o *object) after(c *hedge.Config) {
	const want = "a time from 1ms to 1h such as 50ms, or a quantile from p50 to p9999 such as p95"
	f := o.find("after")
	c.Quantile = 0.95
	if f != nil {
		if text, ok := f.scalar("a time or a quantile", "give "+want); ok {
			f.due(text, c, "give "+want)
		}
	}
	shown := showDuration(c.After)
	if c.Quantile > 0 {
		shown = showQuantile(c.Quantile)
	}
	o.note("after", f, shown)
}

// due reads what the text says of when a copy is due.
func (f *field) due(text string, c *hedge.Config, fix string) {
	if m := quantileForm.FindStringSubmatch(text); m != nil {
		c.Quantile, _ = strconv.ParseFloat("0."+m[1], 64)
		return
	}
	d, problem := parseDuration(text)
	switch {
	case strings.HasPrefix(text, "p"):
		problem = "is not a quantile"
	case problem == "" && d < time.Millisecond:
		problem = "is below 1ms"
	case problem == "" && d > time.Hour:
		problem = "is above 1h"
	}
	if problem != "" {
		f.fail(quote(f.node)+" "+problem, fix)
		return
	}
	c.After, c.Quantile = d, 0
}

// showQuantile writes a quantile as people say it.
func showQuantile(q float64) string {
	digits := strings.TrimPrefix(strconv.FormatFloat(q, 'f', -1, 64), "0.")
	if len(digits) == 1 {
		digits += "0"
	}
	return "p" + digits
}

// warnHedge warns of a hedge that never sends a copy.
func (o *object) warnHedge(s *Settings, dep *Dependency) {
	h, m := s.Call.Hedge, dep.Measured
	if h == nil || o.d.failures > 0 {
		return
	}
	if request := s.Call.Timeout.Request; request > 0 && h.After >= request {
		o.warn([]string{"hedge.after", "timeout.request"},
			fmt.Sprintf("no copy is ever due, because request ends the attempt after %s",
				showDuration(request)), "give less than timeout.request")
	}
	if len(dep.Endpoints) == 1 && dep.Resolve == nil && !h.Same {
		o.warn([]string{"hedge"}, "no copy is ever sent, because there is one endpoint",
			"add an endpoint, or say same: true if it is a balancer of many servers")
	}
	if s.Tied && slices.ContainsFunc(dep.Endpoints, func(u *url.URL) bool { return u.Scheme != "http" }) {
		o.warn([]string{"hedge.tied", "endpoints"},
			"some calls have no copy, because doors are told of each other by plain HTTP only",
			"give endpoints that begin with http:, or say tied: "+off)
	}
	if seen := m.Rate * h.Window.Seconds(); h.Quantile > 0 && m.Rate > 0 && seen < float64(h.Minimum) {
		o.warn([]string{"hedge.minimum", "hedge.window"},
			fmt.Sprintf("the quantile is never known: %s for %s is %.3g calls, less than %d",
				showRate(m.Rate), showDuration(h.Window), seen, h.Minimum),
			"give a smaller minimum, a larger window, or a time")
	}
	if r := s.Call.Retry; r != nil && r.Attempts > 1 && r.Attempts <= h.Copies {
		o.warn([]string{"hedge.copies", "retry.attempts"},
			fmt.Sprintf("%d copies do not fit in %d attempts, which count them too", h.Copies, r.Attempts),
			"give fewer copies, or more attempts")
	}
}
