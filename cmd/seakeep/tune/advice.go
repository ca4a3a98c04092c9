package tune

import (
	"fmt"
	"math"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim/stats"
)

// Options say how to choose.
type Options struct {
	// FalseTimeouts is the share of healthy calls that a timeout may cut off. 0 is
	// what the file says, and if it says nothing 0.1 %, to which Headroom is added.
	FalseTimeouts float64
	// Headroom is what a timeout has above the quantile, as a share of it; below
	// zero: half of it, or none where a share was given, because then the share is
	// what is asked for.
	Headroom float64
}

// accepted is the share of healthy calls that the timeout of the dependency may
// cut off, and what it has above the quantile of that.
func (a *Advice) accepted() (share, headroom float64) {
	share, headroom = config.UsualFalseTimeouts, 0.5
	for _, given := range []float64{a.opts.FalseTimeouts, a.dep.FalseTimeouts} {
		if given > 0 {
			share, headroom = given, 0
			break
		}
	}
	if a.opts.Headroom >= 0 {
		headroom = a.opts.Headroom
	}
	return share, headroom
}

// usual is the share of calls that fail on a usual day: those that did, and those
// that the timeout may cut off from now on, if that is more than the ordinary.
func (a *Advice) usual() float64 {
	share, _ := a.accepted()
	if share <= config.UsualFalseTimeouts || a.limit == 0 || a.Calls == 0 {
		return a.Errors
	}
	return a.Errors + max(0, share-float64(a.sample.Cut)/float64(a.Calls))
}

// Proposal is a change with its reason.
type Proposal struct {
	Path  string `json:"path"`
	Now   string `json:"now"` // empty: not written
	Value string `json:"value"`
	Why   string `json:"why"`
	Left  string `json:"left,omitempty"` // why it was not made after all
}

// Figure is a quantile with the bounds that hold the true one in 95 of 100
// cases, in milliseconds; null: unknown.
type Figure struct {
	Name  string   `json:"name"`
	Value *float64 `json:"value_ms"`
	Low   *float64 `json:"low_ms"`
	High  *float64 `json:"high_ms"`
}

// Advice is what there is to say about one dependency.
type Advice struct {
	Dependency string     `json:"dependency"`
	Calls      int        `json:"calls"`
	Seconds    float64    `json:"seconds,omitempty"`
	Rate       float64    `json:"rate,omitempty"`
	Errors     float64    `json:"errors"`
	CutOff     int        `json:"cut_off"`
	Quantiles  []Figure   `json:"quantiles"`
	Drift      string     `json:"drift"`
	Notes      []string   `json:"notes,omitempty"`
	Proposals  []Proposal `json:"proposals"`
	Kept       []string   `json:"kept"` // what fits, and what could not be said
	Effect     *Effect    `json:"effect,omitempty"`

	dep    *config.Dependency
	sample Sample
	dist   *Dist // that decides
	opts   Options
	limit  time.Duration // timeout.request as it will be; 0: none
	size   int           // bulkhead.limit as it will be; 0: none
}

// advise works out what to change of a dependency.
func advise(dep *config.Dependency, s Sample, o Options) *Advice {
	a := &Advice{Dependency: dep.Name, Calls: s.Calls, Seconds: s.Seconds, Rate: s.Rate, CutOff: s.Cut,
		Notes: s.Notes, Proposals: []Proposal{}, Kept: []string{}, dep: dep, sample: s, dist: s.All, opts: o}
	if s.Calls > 0 {
		a.Errors = float64(s.Failed) / float64(s.Calls)
	}
	a.drift()
	for _, q := range []float64{0.5, 0.95, 0.99, 0.999} {
		a.Quantiles = append(a.Quantiles, figure(q, a.dist.Quantile(q)))
	}
	if len(dep.Operations) > 0 {
		a.Notes = append(a.Notes,
			"the operations' own settings are left alone: what was measured is of all calls together")
	}
	a.measured()
	a.timeout()
	a.connect()
	a.bulkhead()
	a.pool()
	a.breaker()
	a.budget()
	a.hedge()
	return a
}

func figure(q float64, v stats.Quantile) Figure {
	ms := func(x float64) *float64 {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return nil
		}
		x = math.Round(x*1e6) / 1e3
		return &x
	}
	return Figure{quantileName(q), ms(v.Value), ms(v.Low), ms(v.High)}
}

// sure says how far a quantile can be believed.
func sure(v stats.Quantile) string {
	if v.Low == v.High {
		return "exactly"
	}
	return fmt.Sprintf("95%% sure between %s and %s", shown(v.Low), shown(v.High))
}

const (
	driftLevel = 0.999 // of each interval that must not meet the other
	leastHalf  = 200   // calls
)

// drift compares the halves of the time measured. If they differ by more than
// chance allows the slower one decides.
func (a *Advice) drift() {
	first, second := a.sample.Halves[0], a.sample.Halves[1]
	switch {
	case first == nil || second == nil:
		a.Drift = "unknown: the source has no order of time"
		return
	case first.N() < leastHalf || second.N() < leastHalf:
		a.Drift = "unknown: too few calls in each half"
		return
	}
	for _, q := range []float64{0.5, 0.99} {
		x, y := first.level(q), second.level(q)
		if x.High < y.Low || y.High < x.Low {
			slower, name := second, "second"
			if x.Low > y.High {
				slower, name = first, "first"
			}
			a.Drift = fmt.Sprintf("the %s is %s in the first half and %s in the second, more than chance: "+
				"the %s half decides", quantileName(q), shown(x.Value), shown(y.Value), name)
			a.dist = slower
			return
		}
	}
	a.Drift = "none: both halves agree as far as chance allows"
}

// level is a quantile with the wider bounds that a comparison needs.
func (d *Dist) level(q float64) stats.Quantile {
	low, _, high := stats.Ranks(d.N(), q, driftLevel)
	out := d.Quantile(q)
	out.Low, out.High = 0, math.Inf(1)
	if low >= 1 {
		b, _ := d.at(low)
		out.Low = b.low
	}
	if high <= d.N() {
		b, _ := d.at(high)
		out.High = b.high
	}
	return out
}

// quantile is one that can be believed; ok is false and why says why if not.
func (a *Advice) quantile(q float64) (v stats.Quantile, why string, ok bool) {
	need, ok := enough(a.dist.N(), q)
	if !ok {
		return v, fmt.Sprintf("too few: %s calls, and the %s needs %s", thousands(a.dist.N()), quantileName(q),
			thousands(need)), false
	}
	v = a.dist.Quantile(q)
	if math.IsInf(v.Value, 1) {
		return v, fmt.Sprintf("the %s is unknown: %s of the calls were cut off by the timeout there is, or were "+
			"beyond the last bucket; with a longer timeout, or timeout.mode: observe, for a while it can be measured",
			quantileName(q), percent(a.dist.Beyond(math.MaxFloat64))), false
	}
	return v, "", true
}

func (a *Advice) propose(keys, now, value, why string, args ...any) {
	a.Proposals = append(a.Proposals, Proposal{Path: pathOf(a.Dependency, keys), Now: now, Value: value,
		Why: fmt.Sprintf(why, args...)})
}

func (a *Advice) keep(format string, args ...any) {
	a.Kept = append(a.Kept, fmt.Sprintf(format, args...))
}

// measured writes down what was seen, which "seakeep check" goes by.
func (a *Advice) measured() {
	m := a.dep.Measured
	set := func(key, value string) string { return key + ": " + value }
	var parts []string
	add := func(key string, old, fresh string, known bool) {
		if !known {
			fresh = old
		}
		if fresh != "" {
			parts = append(parts, set(key, fresh))
		}
	}
	text := func(d time.Duration) string {
		if d == 0 {
			return ""
		}
		return span(d)
	}
	rate := ""
	if m.Rate > 0 {
		rate = perSecond(m.Rate)
	}
	add("rate", rate, perSecond(max(a.Rate, 0.0001)), a.Rate > 0)
	last := time.Duration(0)
	for _, q := range []struct {
		key string
		q   float64
		old time.Duration
	}{{"p50", 0.5, m.P50}, {"p99", 0.99, m.P99}, {"p999", 0.999, m.P999}} {
		v, _, ok := a.quantile(q.q)
		fresh, old := up(v.Value, 3), max(q.old, last)
		if q.old == 0 {
			old = 0
		}
		if last = old; ok {
			last = fresh
		}
		add(q.key, text(old), text(fresh), ok)
	}
	errors := ""
	if m.Errors > 0 {
		errors = inFile(m.Errors)
	}
	known := a.Calls >= 1000 && a.sample.Failed > 0
	add("errors", errors, inFile(min(a.Errors, 0.99)), known && inFile(a.Errors) != "0%")
	value := "{"
	for i, p := range parts {
		if i > 0 {
			value += ", "
		}
		value += p
	}
	if value += "}"; len(parts) > 0 {
		now := ""
		if !m.Empty() {
			now = "as it was"
		}
		a.propose("measured", now, value, "what was seen in %s calls", thousands(a.Calls))
	}
}
