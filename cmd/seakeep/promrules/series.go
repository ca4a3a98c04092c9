package promrules

import (
	"context"
	"maps"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// Series are time series in memory. The zero value has none. It is not safe for
// concurrent use.
type Series struct {
	byName map[string]map[uint64]*series
}

type series struct {
	labels  labels.Labels
	samples []sample
}

// sample is a value at a time in Unix milliseconds.
type sample struct {
	t int64
	v float64
}

func (s sample) ST() int64                     { return 0 }
func (s sample) T() int64                      { return s.t }
func (s sample) F() float64                    { return s.v }
func (s sample) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (s sample) H() *histogram.Histogram       { return nil }
func (s sample) FH() *histogram.FloatHistogram { return nil }
func (s sample) Copy() chunks.Sample           { return s }

// Add appends a value to the series of that name and those labels. Values of a
// series come in the order of time; one that does not is left out.
func (s *Series) Add(name string, with map[string]string, at time.Time, v float64) {
	all := maps.Clone(with)
	if all == nil {
		all = map[string]string{}
	}
	all[model.MetricNameLabel] = name
	s.add(labels.FromMap(all), at.UnixMilli(), v)
}

func (s *Series) add(with labels.Labels, t int64, v float64) {
	if s.byName == nil {
		s.byName = map[string]map[uint64]*series{}
	}
	name := with.Get(model.MetricNameLabel)
	if s.byName[name] == nil {
		s.byName[name] = map[uint64]*series{}
	}
	one := s.byName[name][with.Hash()]
	if one == nil {
		one = &series{labels: with}
		s.byName[name][with.Hash()] = one
	}
	if n := len(one.samples); n == 0 || one.samples[n-1].t < t {
		one.samples = append(one.samples, sample{t, v})
	}
}

// Each visits every value, series by series, in no particular order of series.
func (s *Series) Each(visit func(with map[string]string, at time.Time, v float64)) {
	for _, group := range s.byName {
		for _, one := range group {
			with := one.labels.Map()
			for _, p := range one.samples {
				if !value.IsStaleNaN(p.v) {
					visit(with, time.UnixMilli(p.t), p.v)
				}
			}
		}
	}
}

// stale is the value that marks the end of a series.
var stale = math.Float64frombits(value.StaleNaN)

// Querier implements storage.Queryable.
func (s *Series) Querier(mint, maxt int64) (storage.Querier, error) {
	return &querier{s, mint, maxt}, nil
}

type querier struct {
	all        *Series
	mint, maxt int64
}

// Select returns the series that match, cut to the querier's time.
func (q *querier) Select(_ context.Context, sorted bool, hints *storage.SelectHints,
	match ...*labels.Matcher) storage.SeriesSet {
	mint, maxt := q.mint, q.maxt
	if hints != nil {
		mint, maxt = hints.Start, hints.End
	}
	set := &found{at: -1}
	for _, group := range q.groups(match) {
		for _, one := range group {
			if matches(one.labels, match) {
				if cut := one.between(mint, maxt); len(cut) > 0 {
					set.series = append(set.series, storageSeries{one.labels, cut})
				}
			}
		}
	}
	if sorted {
		sort.Slice(set.series, func(i, j int) bool {
			return labels.Compare(set.series[i].labels, set.series[j].labels) < 0
		})
	}
	return set
}

// groups are the series by name, only the one if the name is known.
func (q *querier) groups(match []*labels.Matcher) map[string]map[uint64]*series {
	for _, m := range match {
		if m.Name == model.MetricNameLabel && m.Type == labels.MatchEqual {
			return map[string]map[uint64]*series{m.Value: q.all.byName[m.Value]}
		}
	}
	return q.all.byName
}

func matches(l labels.Labels, match []*labels.Matcher) bool {
	for _, m := range match {
		if !m.Matches(l.Get(m.Name)) {
			return false
		}
	}
	return true
}

// between returns the samples from mint to maxt, both included.
func (s *series) between(mint, maxt int64) []sample {
	byTime := func(p sample, t int64) int {
		if p.t < t {
			return -1
		}
		return 1
	}
	from, _ := slices.BinarySearchFunc(s.samples, mint, byTime)
	to, _ := slices.BinarySearchFunc(s.samples, maxt+1, byTime)
	return s.samples[from:to]
}

// LabelValues is for the API of Prometheus, and not for rules.
func (q *querier) LabelValues(context.Context, string, *storage.LabelHints, ...*labels.Matcher) (
	[]string, annotations.Annotations, error) {
	return nil, nil, nil
}

// LabelNames is for the API of Prometheus, and not for rules.
func (q *querier) LabelNames(context.Context, *storage.LabelHints, ...*labels.Matcher) (
	[]string, annotations.Annotations, error) {
	return nil, nil, nil
}

// Close has nothing to free.
func (q *querier) Close() error { return nil }

// found is a set of series.
type found struct {
	series []storageSeries
	at     int
}

func (f *found) Next() bool                        { f.at++; return f.at < len(f.series) }
func (f *found) At() storage.Series                { return f.series[f.at] }
func (f *found) Err() error                        { return nil }
func (f *found) Warnings() annotations.Annotations { return nil }

type storageSeries struct {
	labels  labels.Labels
	samples []sample
}

func (s storageSeries) Labels() labels.Labels { return s.labels }

// Iterator implements storage.Series.
func (s storageSeries) Iterator(chunkenc.Iterator) chunkenc.Iterator {
	return storage.NewListSeriesIterator(samples(s.samples))
}

type samples []sample

func (s samples) Get(i int) chunks.Sample { return s[i] }
func (s samples) Len() int                { return len(s) }
