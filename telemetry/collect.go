package telemetry

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Sample is one series at the moment of a collection.
type Sample struct {
	*Definition
	Values []string // of Definition.Labels, in their order
	Value  float64  // of a counter or gauge
	Timing *Timing  // of a histogram
}

// Timing is what a histogram has counted.
type Timing struct {
	Counts    []uint64 // by bucket, not added up; one more than Bounds has
	Count     uint64
	Sum       float64 // seconds
	Exemplars []Exemplar
	// Fine are the counts by finer buckets, whose upper ends are 2^(key/8)
	// seconds; nil without Options.Native.
	Fine map[int]uint64
}

// Collect reads everything there is, in the order of Definitions within each
// policy, and policies by name.
func (m *Metrics) Collect(emit func(Sample)) {
	c := collection{emit}
	s := m.state()
	known := *m.policies.Load()
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		c.policy(known[name])
	}
	m.states(c, s)
	c.door(&m.door, s.Door != nil)
	if s.Door != nil {
		c.doorState(s.Door)
	}
	m.slo.each(func(kind, direction int, n uint64) {
		c.value(idObjectiveChanges, float64(n), sloKinds[kind], directions[direction])
	})
	for i := range s.Objectives {
		c.objective(&s.Objectives[i])
	}
	for _, result := range sortedKeys(s.Tied) {
		c.value(idTied, float64(s.Tied[result]), result)
	}
	if b := m.options.Build; b != (Build{}) {
		c.value(idBuildInfo, 1, b.Version, b.Revision, b.Go)
	}
	if s.Proxy != nil {
		c.proxy(s.Proxy)
	}
}

// states writes what policies are like. Two sources may tell of the same one, and
// those that are "other" cannot be told apart: of each name the first counts.
func (m *Metrics) states(c collection, s *State) {
	told := map[string]bool{"policy " + other: true, "endpoints " + other: true, "failover " + other: true}
	first := func(what, name string) (*policy, bool) {
		p := m.of(name)
		key := what + p.name
		before := told[key]
		told[key] = true
		return p, !before
	}
	for i := range s.Policies {
		if p, ok := first("policy ", s.Policies[i].Name); ok {
			c.policyState(&s.Policies[i], p)
		}
	}
	for i := range s.Endpoints {
		if _, ok := first("endpoints ", s.Endpoints[i].Dependency); ok {
			c.endpoints(&s.Endpoints[i])
		}
	}
	for i := range s.Failovers {
		if p, ok := first("failover ", s.Failovers[i].Dependency); ok {
			c.failover(&s.Failovers[i], p)
		}
	}
}

// collection is one run of Collect.
type collection struct{ emit func(Sample) }

func (c collection) value(of id, v float64, values ...string) {
	c.emit(Sample{Definition: &definitions[of], Values: values, Value: v})
}

func (c collection) timing(of id, t *Timing, values ...string) {
	c.emit(Sample{Definition: &definitions[of], Values: values, Timing: t})
}

func (c collection) yes(of id, on bool, values ...string) {
	v := 0.0
	if on {
		v = 1
	}
	c.value(of, v, values...)
}

// states writes a gauge for each of the states, 1 for the one that is.
func (c collection) states(of id, words []string, is string, labels ...string) {
	for _, word := range words[:len(words)-1] {
		c.yes(of, word == is, append(slices.Clone(labels), word)...)
	}
}

// spent writes the times in the states.
func (c collection) spent(of id, t *timeline, labels ...string) {
	t.mu.Lock()
	spent := t.spent
	t.mu.Unlock()
	for i, word := range t.words[:len(t.words)-1] {
		c.value(of, spent[i].Seconds(), append(slices.Clone(labels), word)...)
	}
}

// sum adds up the stripes of a histogram.
func sum(n int, at func(i int) *timings) *Timing {
	t := &Timing{Counts: make([]uint64, buckets)}
	total := int64(0)
	for i := range n {
		one := at(i)
		for b := range t.Counts {
			t.Counts[b] += one.counts[b].Load()
		}
		total += one.sum.Load()
	}
	for _, n := range t.Counts {
		t.Count += n
	}
	t.Sum = time.Duration(total).Seconds()
	return t
}

func sortedKeys(m map[string]uint64) (keys []string) {
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// String writes a sample as Prometheus' text format does, for people: without
// its type, and of a histogram its count and sum only.
func (s Sample) String() string {
	var b strings.Builder
	b.WriteString(s.Name)
	sep := "{"
	for i, label := range s.Labels {
		if s.Values[i] != "" {
			b.WriteString(sep + label + "=" + strconv.Quote(s.Values[i]))
			sep = ","
		}
	}
	if sep == "," {
		b.WriteString("}")
	}
	if s.Timing != nil {
		return b.String() + " count " + strconv.FormatUint(s.Timing.Count, 10) + " sum " + number(s.Timing.Sum)
	}
	return b.String() + " " + number(s.Value)
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
