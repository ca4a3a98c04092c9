package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

const (
	day       = 24 * time.Hour
	maxPoints = 1000
	maxParts  = 20
)

// span are the limits of a modelled time.
func span(low time.Duration, like string) limits[time.Duration] { return within(low, day, like) }

const latencyFix = "a time such as 20ms, or a section such as {floor: 5ms, mean: 20ms}, " +
	"{median: 4ms, sigma: 1.2}, {uniform: [1ms, 6ms]}, {points: {50%: 4ms, 99%: 40ms}} " +
	"or {mix: [...]}"

// latency reads a distribution of times into l, which holds its default, a
// constant: a bare time, or a section.
func (o *object) latency(key string, l *Latency) {
	if f := o.find(key); f != nil {
		o.latencyAt(key, f, l)
		return
	}
	o.note(key, nil, showDuration(l.Floor))
}

// latencyAt reads a distribution of times that stands in f.
func (o *object) latencyAt(key string, f *field, l *Latency) {
	switch f.node.Kind {
	case yaml.MappingNode:
		s := objectOf(f, latencyFix)
		defer s.close()
		*l = Latency{}
		s.shape(l, shapeKeys)
		s.stall(l)
	case yaml.ScalarNode:
		if d, ok := scalarOf(f, durations, span(0, "20ms")); ok {
			*l = Latency{Floor: d}
			o.note(key, f, showDuration(d))
		}
	default:
		f.fail(describe(f.node)+" where a time should be", "give "+latencyFix)
	}
}

// shapeKeys are the keys of each form of a distribution. Those of two forms do
// not go together.
var shapeKeys = [][]string{{"floor", "mean"}, {"median", "sigma"}, {"uniform"}, {"points"}, {"mix"}}

// shape reads the one form that a section has, out of those allowed.
func (o *object) shape(l *Latency, forms [][]string) {
	first, form := "", -1
	clash := false
	for i, keys := range forms {
		for _, key := range keys {
			f := o.find(key)
			switch {
			case f == nil:
			case form < 0:
				first, form = key, i
			case form != i:
				f.failKey(key+" means nothing beside "+first, "remove one of them")
				clash = true
			}
		}
	}
	switch {
	case o.broken || clash:
	case form < 0:
		all := slices.Concat(forms...)
		o.d.failAt(o.at.Line, o.at.Column, o.path, "says no time", "give "+either(all))
	case forms[form][0] == "floor":
		o.exponential(l)
	case forms[form][0] == "median":
		o.lognormal(l)
	case forms[form][0] == "uniform":
		o.uniform(l)
	case forms[form][0] == "points":
		o.points(l)
	default:
		o.mix(l)
	}
}

// exponential reads a floor with an exponential above it. A floor alone is a
// constant.
func (o *object) exponential(l *Latency) {
	o.duration("floor", &l.Floor, span(0, "5ms"))
	mean := o.find("mean")
	if mean == nil {
		o.note("mean", nil, showDuration(l.Floor))
		return
	}
	l.Shape = Exponential
	o.duration("mean", &l.Mean, span(time.Nanosecond, "20ms"))
	if l.Mean != 0 && l.Mean <= l.Floor {
		mean.fail(showDuration(l.Mean)+" is not above floor, "+showDuration(l.Floor),
			"give more, or floor alone for a time that is always the same")
	}
}

func (o *object) lognormal(l *Latency) {
	l.Shape = LogNormal
	o.require("median", "the time that half of them stay below, such as 4ms")
	o.duration("median", &l.Median, span(time.Nanosecond, "4ms"))
	o.require("sigma", "the spread of the logarithm, such as 1.2")
	o.factor("sigma", &l.Sigma, within(0.01, 5, "1.2"))
}

// uniform reads a list of two times.
func (o *object) uniform(l *Latency) {
	const want = "two times such as [1ms, 6ms]"
	l.Shape = Uniform
	f := o.find("uniform")
	items := f.items(want)
	if n := len(items); n != 2 {
		if n > 0 {
			f.fail(fmt.Sprintf("lists %d times", n), "give "+want)
		}
		return
	}
	low, ok := scalarOf(items[0], durations, span(0, "1ms"))
	high, ok2 := scalarOf(items[1], durations, span(time.Nanosecond, "6ms"))
	if !ok || !ok2 {
		return
	}
	if high <= low {
		items[1].fail(showDuration(high)+" is not above "+showDuration(low), "give "+want)
		return
	}
	// Two whole numbers stand for three: the upper end is 2*Mean-Floor. An odd
	// sum loses half a nanosecond of the mean.
	l.Floor, l.Mean = low, low+(high-low)/2
	o.note("uniform", f, "["+showDuration(low)+", "+showDuration(high)+"]")
}

// points reads quantiles with their times, both rising.
func (o *object) points(l *Latency) {
	const want = "quantiles with their times, such as {50%: 4ms, 99%: 40ms}"
	l.Shape = Empirical
	s := o.section("points", want)
	f := o.find("points")
	fields := s.each()
	if !s.broken && len(fields) < 2 || len(fields) > maxPoints {
		f.fail(fmt.Sprintf("has %d points", len(fields)),
			fmt.Sprintf("give from 2 to %d: %s", maxPoints, want))
		return
	}
	var texts []string
	for _, p := range fields {
		q, problem := parseShare(p.key.Value)
		if problem != "" {
			p.failKey(quote(p.key)+" "+problem, "give quantiles such as 99%")
			continue
		}
		v, ok := scalarOf(p, durations, span(0, "40ms"))
		if !ok {
			continue
		}
		if n := len(l.Points); n > 0 {
			last := l.Points[n-1]
			switch {
			case q <= last.Quantile:
				p.failKey(showShare(q)+" is not above "+showShare(last.Quantile),
					"give the quantiles in rising order")
				continue
			case v < last.Value:
				p.fail(showDuration(v)+" is less than at "+showShare(last.Quantile)+", "+
					showDuration(last.Value), "give times that do not fall")
				continue
			}
		}
		l.Points = append(l.Points, Point{q, v})
		texts = append(texts, showShare(q)+": "+showDuration(v))
	}
	o.note("points", f, "{"+strings.Join(texts, ", ")+"}")
}

// mix reads distributions with their shares, which come to 100%.
func (o *object) mix(l *Latency) {
	const want = "parts such as [{share: 93%, uniform: [1ms, 6ms]}, {share: 7%, mean: 50ms}]"
	l.Shape = Mixture
	f := o.find("mix")
	items := f.items(want)
	if len(items) > maxParts {
		f.fail(fmt.Sprintf("has %d parts", len(items)), fmt.Sprintf("give up to %d", maxParts))
		return
	}
	sum := 0.0
	for _, item := range items {
		s := objectOf(item, "a part such as {share: 7%, mean: 50ms}")
		var p Part
		s.require("share", "what share of the times are of this part, such as 7%")
		s.share("share", &p.Share, some("7%"))
		s.shape(&p.Latency, shapeKeys[:len(shapeKeys)-1])
		s.close()
		sum += p.Share
		l.Parts = append(l.Parts, p)
	}
	// People round: three parts of 33.3% are a whole.
	if o.d.failures == o.clean && (sum < 0.995 || sum > 1.005) {
		f.fail("the shares come to "+showShare(sum), "let them come to 100%")
		return
	}
	for i := range l.Parts {
		l.Parts[i].Share /= sum
	}
	o.note("mix", f, fmt.Sprintf("%d parts", len(l.Parts)))
}

// stall reads what is added now and then.
func (o *object) stall(l *Latency) {
	f := o.find("stall")
	if f == nil {
		o.note("stall", nil, "off")
		return
	}
	s := o.section("stall", "a section such as {share: 1%, time: 1s}")
	defer s.close()
	s.require("share", "what share of the times have it, such as 1%")
	s.share("share", &l.StallShare, some("1%"))
	long, mean := s.find("time"), s.find("mean")
	switch {
	case long != nil && mean != nil:
		mean.failKey("mean means nothing beside time", "remove one of them")
	case mean != nil:
		l.StallsExpo = true
		s.duration("mean", &l.Stall, span(time.Nanosecond, "1s"))
	case long != nil:
		s.duration("time", &l.Stall, span(time.Nanosecond, "1s"))
	case !s.broken:
		s.missing("time", "how long it is, such as 1s, or mean for one that varies")
	}
}

// zero reports whether it never takes any time.
func (l *Latency) zero() bool {
	if l.StallShare > 0 {
		return false
	}
	switch l.Shape {
	case Constant:
		return l.Floor == 0
	case Empirical:
		return len(l.Points) == 0 || l.Points[len(l.Points)-1].Value == 0
	case Mixture:
		for i := range l.Parts {
			if !l.Parts[i].Latency.zero() {
				return false
			}
		}
		return true
	}
	return false
}
