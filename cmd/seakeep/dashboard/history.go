package dashboard

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
	"github.com/seakeep/seakeep/core"
	corewindow "github.com/seakeep/seakeep/core/window"
)

const (
	mostSteps  = 1500
	usualSteps = 300
)

// mainColumns are those of all dependencies together, unless others are asked for.
var mainColumns = []string{"rate", "success", "p99_ms", "breaker", "fallback_share"}

func (d *Dashboard) history(w http.ResponseWriter, r *http.Request, p *Program) {
	q := r.URL.Query()
	now := time.Now()
	to, err := moment(q.Get("to"), now, now)
	if err != nil {
		fail(w, http.StatusBadRequest, "to: "+err.Error())
		return
	}
	from, err := moment(q.Get("from"), now, to.Add(-keepShort))
	if err != nil {
		fail(w, http.StatusBadRequest, "from: "+err.Error())
		return
	}
	step, err := stepOf(q.Get("step"), to.Sub(from))
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	name := q.Get("dependency")
	if name != "" && p.Set.File().Dependency(name) == nil {
		fail(w, http.StatusNotFound, "the policy file has no such dependency")
		return
	}
	t := &table{from: from.Truncate(step), step: step, name: name, p: p,
		sums: make([]*frame, int((to.Sub(from.Truncate(step))+step-1)/step))}
	if columns := q.Get("columns"); columns != "" {
		t.columns = strings.Split(columns, ",")
	} else if name == "" {
		t.columns = mainColumns
	}
	all, oldest := d.rings.between(t.from, to)
	for _, k := range all {
		t.add(k)
	}
	v := t.view()
	v.OldestMS = unixMS(oldest)
	if oldest.IsZero() {
		v.OldestMS = unixMS(now)
	}
	v.Events = d.hub.between(unixMS(from), unixMS(to), name)
	show(w, v)
}

// moment reads a time: in milliseconds of Unix time, as RFC 3339 has it, or before
// now, such as -15m.
func moment(text string, now, usual time.Time) (time.Time, error) {
	if text == "" {
		return usual, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && strings.HasPrefix(text, "-") {
		return now.Add(ago), nil
	}
	if ms, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(ms) < 1e15 {
		return time.UnixMicro(int64(ms * 1000)), nil
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t, nil
	}
	return now, fmt.Errorf("%q is no time; give milliseconds of Unix time, RFC 3339 or such as -15m",
		schema.Text(text))
}

// stepOf reads how far apart the points are.
func stepOf(text string, whole time.Duration) (step time.Duration, err error) {
	if whole <= 0 || whole > MaxKeep {
		return 0, fmt.Errorf("from must be before to, by %v at most", MaxKeep)
	}
	if step = max((whole / usualSteps).Truncate(time.Second), tick); text == "" {
		if step > tick && step < coarse*tick {
			step = coarse * tick
		}
		return step, nil
	}
	if step, err = time.ParseDuration(text); err != nil || step < tick || step > MaxKeep || step%tick != 0 {
		return 0, fmt.Errorf("step: %q is none; give whole seconds, such as 10s", schema.Text(text))
	}
	if least := (whole/mostSteps + tick).Truncate(tick); whole/step > mostSteps {
		return 0, fmt.Errorf("step: that would be more than %d points; give %v or more", mostSteps, least)
	}
	return step, nil
}

// table is what a history is made in.
type table struct {
	from    time.Time
	step    time.Duration
	name    string   // of the only dependency; empty: all, and the door
	columns []string // nil: all
	p       *Program
	sums    []*frame
}

func (t *table) add(k kept) {
	i := int((k.to.Sub(t.from) - 1) / t.step)
	f, err := decodeFrame(k.text)
	if err != nil || i < 0 || i >= len(t.sums) {
		return
	}
	if t.sums[i] == nil {
		t.sums[i] = &frame{from: f.from, of: map[string]*sample{}}
	}
	t.sums[i].add(f)
	if k.to.Sub(k.from) <= t.step {
		return
	}
	// What is kept of long ago is coarser than the steps asked for: it is what is
	// known of each of them.
	for j := max(int(k.from.Sub(t.from)/t.step), 0); j < i; j++ {
		if t.sums[j] == nil {
			t.sums[j] = t.sums[i]
		}
	}
}

func (t *table) view() *schema.History {
	v := &schema.History{Version: schema.Version, StepMS: schema.Millis(t.step),
		Times: make([]float64, len(t.sums)), Dependencies: []schema.Series{}}
	for i := range v.Times {
		v.Times[i] = unixMS(t.from.Add(time.Duration(i+1) * t.step))
	}
	for _, dep := range t.p.Set.File().Dependencies {
		if t.name != "" && t.name != dep.Name {
			continue
		}
		s := t.series(dep.Name, dependencyColumns)
		if t.name != "" {
			s.Heat = t.heat(dep.Name)
		}
		v.Dependencies = append(v.Dependencies, s)
	}
	if t.name == "" && t.p.Set.Door() != nil {
		serve := *t
		serve.columns = nil
		s := serve.series("", serveColumns)
		v.Serve = &s
	}
	return v
}

// column is one number of a sample over some seconds; nil: there is none.
type column struct {
	name string
	of   func(s *sample, seconds float64) *float64
}

func (t *table) series(name string, columns []column) schema.Series {
	v := schema.Series{Name: name, Columns: map[string][]*float64{}}
	for _, c := range columns {
		if t.columns != nil && !slices.Contains(t.columns, c.name) {
			continue
		}
		values := make([]*float64, len(t.sums))
		for i, f := range t.sums {
			if f == nil || f.of[name] == nil {
				continue
			}
			values[i] = c.of(f.of[name], f.to.Sub(f.from).Seconds())
		}
		v.Columns[c.name] = values
	}
	return v
}

func perSecond(name string, of func(s *sample) uint64) column {
	return column{name, func(s *sample, seconds float64) *float64 {
		v := 0.0
		if seconds > 0 {
			v = digits(float64(of(s)) / seconds)
		}
		return &v
	}}
}

func count(name string, f field) column {
	return perSecond(name, func(s *sample) uint64 { return s.n[f] })
}

func state(name string, f field, unit float64) column {
	return column{name, func(s *sample, _ float64) *float64 {
		v := float64(s.n[f]) * unit
		return &v
	}}
}

func shareOf(name string, some, all func(s *sample) uint64) column {
	return column{name, func(s *sample, _ float64) *float64 { return share(some(s), all(s)) }}
}

func quantile(name string, p float64) column {
	return column{name, func(s *sample, _ float64) *float64 {
		d, ok := quantiles(s.took).Quantile(p)
		if !ok {
			return nil
		}
		ms := schema.Millis(d)
		return &ms
	}}
}

func number(f field) func(*sample) uint64 { return func(s *sample) uint64 { return s.n[f] } }

var dependencyColumns = []column{
	perSecond("rate", (*sample).calls),
	shareOf("success", number(fSuccess), (*sample).telling),
	shareOf("answered", func(s *sample) uint64 { return s.n[fSuccess] + s.n[fFallback] }, (*sample).telling),
	quantile("p50_ms", 0.5), quantile("p99_ms", 0.99), quantile("p999_ms", 0.999),
	count("succeeded", fSuccess), count("failed", fFailure), count("timed_out", fTimeout),
	count("overloaded", fOverloaded), count("cancelled", fCancelled), count("ignored", fIgnored),
	count("rejected", fRejected),
	count("first_attempts", fFirst), count("retries", fRetry), count("hedges", fHedge),
	count("hedge_wins", fHedgeWins), count("budget_denied", fBudgetDenied),
	shareOf("retry_ratio", number(fRetry), (*sample).calls),
	shareOf("hedge_ratio", number(fHedge), (*sample).calls),
	shareOf("fallback_share", number(fFallback), (*sample).calls),
	count("fallback_failed", fNoFallback),
	count("dead_on_arrival", fDead), count("deadline_before", fBefore), count("deadline_attempt", fAttempt),
	count("deadline_retry", fRetryLate), count("deadline_caller", fCaller),
	count("refused_circuit_open", fOpen), count("refused_bulkhead_full", fFull),
	count("refused_throttled", fThrottled), count("refused_deadline", fNoTime),
	count("refused_other", fOtherRefusal),
	state("in_flight", gInFlight, 1), state("slots", gSlots, 1), state("limit", gLimit, 1),
	state("queued", gQueued, 1), state("retry_budget", gBudget, 1), state("breaker", gBreaker, 1),
	state("forced", gForced, 1), state("endpoints", gEndpoints, 1), state("up", gUp, 1),
	state("ejected", gEjected, 1),
}

var serveColumns = func() (all []column) {
	for i := core.Criticalities - 1; i >= 0; i-- {
		class, at := core.CriticalityAt(i).String(), field(i)
		all = append(all, count("offered_"+class, fOffered+at), count("admitted_"+class, fAdmitted+at),
			count("shed_"+class, fShed+at), count("left_"+class, fLeft+at), count("in_time_"+class, fInTime+at),
			state("queued_"+class, gWaiting+at, 1))
	}
	return append(all, quantile("p50_ms", 0.5), quantile("p99_ms", 0.99), quantile("p999_ms", 0.999),
		state("slots", gSlots, 1), state("limit", gLimit, 1), state("queued", gQueued, 1),
		state("degrade", gDegrade, 1), state("admitted_share", gAdmitted, 0.001),
		count("dead_on_arrival", fDead), count("deadline_arrival", fArrival),
		count("deadline_queue", fWaiting), count("deadline_work", fWork))
}()

// heatBounds are the upper ends of the buckets of a heatmap, in milliseconds: four
// for each time ten.
var heatBounds = func() (all []float64) {
	for i := range 21 {
		all = append(all, digits(math.Pow(10, float64(i)/4-1)))
	}
	return all
}()

func (t *table) heat(name string) *schema.Heat {
	h := &schema.Heat{BoundsMS: heatBounds, Counts: make([][]uint64, len(t.sums))}
	for i, f := range t.sums {
		counts := make([]uint64, len(heatBounds)+1)
		if f != nil && f.of[name] != nil {
			for _, b := range f.of[name].took {
				at, _ := slices.BinarySearch(heatBounds, schema.Millis(corewindow.MiddleOf(b.at)))
				counts[at] += b.n
			}
		}
		h.Counts[i] = counts
	}
	return h
}
