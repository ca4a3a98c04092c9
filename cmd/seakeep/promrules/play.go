package promrules

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
)

// Change is an alert that begins or ends to fire.
type Change struct {
	At     time.Time
	Alert  string
	Labels map[string]string // with those of the rule, without the name
	Firing bool
	Value  float64 // of the expression, when it begins
}

// Player evaluates rules over series. It is not safe for concurrent use.
type Player struct {
	rules  *Rules
	series *Series
	engine *promql.Engine

	before map[*rule]map[uint64]labels.Labels // what a recording rule made last
	alerts map[*rule]map[uint64]*alert
}

// alert is one that is pending or fires.
type alert struct {
	labels labels.Labels
	since  time.Time
	firing bool
	ended  time.Time // since when it is only kept firing
	value  float64
}

// NewPlayer returns a player whose recording rules add to the series.
func NewPlayer(r *Rules, s *Series) *Player {
	return &Player{rules: r, series: s, before: map[*rule]map[uint64]labels.Labels{},
		alerts: map[*rule]map[uint64]*alert{},
		engine: promql.NewEngine(promql.EngineOpts{
			MaxSamples: 50_000_000, Timeout: 2 * time.Minute, LookbackDelta: 5 * time.Minute,
			EnableAtModifier: true, EnableNegativeOffset: true, Parser: language,
			NoStepSubqueryIntervalFn: func(int64) int64 { return time.Minute.Milliseconds() },
		})}
}

// Close frees the engine.
func (p *Player) Close() error { return p.engine.Close() }

// Eval evaluates the groups that are due at a time, in their order, and returns
// what changed. A group without an interval of its own is always due. Times of
// calls rise.
func (p *Player) Eval(at time.Time) (changes []Change, err error) {
	for i := range p.rules.groups {
		g := &p.rules.groups[i]
		if g.interval > 0 && at.UnixNano()%int64(g.interval) != 0 {
			continue
		}
		for j := range g.rules {
			found, err := p.eval(&g.rules[j], at)
			if err != nil {
				return changes, fmt.Errorf("%s: %w", g.name, err)
			}
			changes = append(changes, found...)
		}
	}
	return changes, nil
}

// Query evaluates an expression.
func (p *Player) Query(expr string, at time.Time) (all []Value, err error) {
	v, err := p.query(expr, at)
	for _, s := range v {
		all = append(all, Value{s.Metric.Map(), s.F})
	}
	return all, err
}

// Value is one of the results of a query.
type Value struct {
	Labels map[string]string
	Value  float64
}

func (p *Player) query(expr string, at time.Time) (promql.Vector, error) {
	q, err := p.engine.NewInstantQuery(context.Background(), p.series, nil, expr, at)
	if err != nil {
		return nil, err
	}
	defer q.Close()
	result := q.Exec(context.Background())
	if result.Err != nil {
		return nil, result.Err
	}
	switch v := result.Value.(type) {
	case promql.Vector:
		return append(promql.Vector(nil), v...), nil // the engine uses it again
	case promql.Scalar:
		return promql.Vector{{T: v.T, F: v.V, Metric: labels.EmptyLabels()}}, nil
	}
	return nil, errors.New("is neither a vector nor a number")
}

func (p *Player) eval(r *rule, at time.Time) ([]Change, error) {
	v, err := p.query(r.expr, at)
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", r.record, r.alert, err)
	}
	named := labels.NewBuilder(labels.EmptyLabels())
	results := make(map[uint64]promql.Sample, len(v))
	for _, s := range v {
		named.Reset(s.Metric)
		named.Del(model.MetricNameLabel)
		if r.record != "" {
			named.Set(model.MetricNameLabel, r.record)
		}
		for _, l := range r.labels {
			named.Set(l.Name, l.Value)
		}
		if r.alert != "" {
			named.Set(labels.AlertName, r.alert)
		}
		s.Metric = named.Labels()
		if _, twice := results[s.Metric.Hash()]; twice {
			return nil, fmt.Errorf("%s%s: two results have the same labels, %s", r.record, r.alert, s.Metric)
		}
		results[s.Metric.Hash()] = s
	}
	if r.record != "" {
		p.record(r, results, at)
		return nil, nil
	}
	return p.judge(r, results, at), nil
}

// record keeps what a recording rule made, and marks the end of the series that
// it made before and no longer makes.
func (p *Player) record(r *rule, results map[uint64]promql.Sample, at time.Time) {
	made := make(map[uint64]labels.Labels, len(results))
	for h, s := range results {
		p.series.add(s.Metric, at.UnixMilli(), s.F)
		made[h] = s.Metric
	}
	for h, l := range p.before[r] {
		if _, still := made[h]; !still {
			p.series.add(l, at.UnixMilli(), stale)
		}
	}
	p.before[r] = made
}

// judge moves the alerts of a rule on.
func (p *Player) judge(r *rule, results map[uint64]promql.Sample, at time.Time) (changes []Change) {
	active := p.alerts[r]
	if active == nil {
		active = map[uint64]*alert{}
		p.alerts[r] = active
	}
	for h, s := range results {
		a := active[h]
		if a == nil {
			a = &alert{labels: s.Metric, since: at}
			active[h] = a
		}
		a.value, a.ended = s.F, time.Time{}
		if !a.firing && at.Sub(a.since) >= r.hold {
			a.firing = true
			changes = append(changes, a.change(r, at))
		}
	}
	for h, a := range active {
		if _, there := results[h]; there {
			continue
		}
		if a.firing && r.keep > 0 {
			if a.ended.IsZero() {
				a.ended = at
			}
			if at.Sub(a.ended) < r.keep {
				continue
			}
		}
		if a.firing {
			a.firing = false
			changes = append(changes, a.change(r, at))
		}
		delete(active, h)
	}
	return changes
}

func (a *alert) change(r *rule, at time.Time) Change {
	with := a.labels.Map()
	delete(with, labels.AlertName)
	return Change{At: at, Alert: r.alert, Labels: with, Firing: a.firing, Value: a.value}
}

// Firing returns the alerts that fire now.
func (p *Player) Firing() (all []Change) {
	for i := range p.rules.groups {
		g := &p.rules.groups[i]
		for j := range g.rules {
			r := &g.rules[j]
			for _, a := range p.alerts[r] {
				if a.firing {
					all = append(all, a.change(r, a.since))
				}
			}
		}
	}
	return all
}
