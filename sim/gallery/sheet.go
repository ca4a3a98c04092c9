package gallery

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seakeep/seakeep/sim/stats"
)

// sheet is a card being filled in.
type sheet struct {
	Options
	Card
	lacks string // the policy that does not exist
	aside string // what a reader of the verdict must know all the same
}

// level is that of every interval in the gallery.
const level = 0.95

// known is a published number with its digits after the point and its unit.
type known struct {
	value  float64
	digits int
	unit   string
}

func (k known) text() string { return number(k.value, k.digits, k.unit) }

// half is half of the last published digit: more than that was not published.
func (k known) half() float64 {
	h := 0.5
	for range k.digits {
		h /= 10
	}
	return h * (1 + 1e-9)
}

// tolerance says how far a simulated figure may be from the published one.
type tolerance func(k known, e stats.Estimate) float64

// rare is how seldom a mean may be beyond its tolerance by chance: as seldom as
// a normal one is beyond three standard errors.
const rare = 0.00135

// wide is three standard errors, or what takes their place where the error was
// estimated from few replications.
func wide(e stats.Estimate, standardError float64) float64 {
	if e.SD == 0 {
		return 0
	}
	return stats.Student(1-rare, e.N-1) * standardError
}

// rate is the tolerance of rates, counts and times.
func rate(k known, e stats.Estimate) float64 {
	return max(wide(e, e.Error()), math.Abs(k.value)/100)
}

// off is a tolerance of a fixed size, in the figure's unit.
func off(by float64) tolerance { return func(known, stats.Estimate) float64 { return by } }

// share is the tolerance of shares in per cent.
func share(known, stats.Estimate) float64 { return 1.5 }

// part is a tolerance relative to the published figure.
func part(of float64) tolerance {
	return func(k known, _ stats.Estimate) float64 { return of * math.Abs(k.value) }
}

// spread is the tolerance beside a published mean over n replications with the
// given standard deviation: both means have an error.
func spread(sd float64, n int) tolerance {
	return func(k known, e stats.Estimate) float64 {
		theirs := sd / math.Sqrt(float64(n))
		return wide(e, math.Sqrt(float64(theirs*theirs)+float64(e.Error()*e.Error()))) + k.half()
	}
}

// few is spread where only n is known, and their standard deviation is taken to
// be ours.
func few(n int) tolerance {
	return func(k known, e stats.Estimate) float64 {
		return max(spread(e.SD, n)(k, e), math.Abs(k.value)/100)
	}
}

// either is the wider of two tolerances.
func either(a, b tolerance) tolerance {
	return func(k known, e stats.Estimate) float64 { return max(a(k, e), b(k, e)) }
}

// add puts a figure on the card.
func (s *sheet) add(f Figure) { s.Figures = append(s.Figures, f) }

// count compares whole numbers exactly.
func (s *sheet) count(name string, want, got int) {
	s.word(name, strconv.Itoa(want), strconv.Itoa(got))
}

// word compares words exactly.
func (s *sheet) word(name, want, got string) {
	s.add(Figure{Name: name, Published: want, Ours: got, Match: want == got})
}

// rounds compares a formula with the digits that were published.
func (s *sheet) rounds(name string, want known, got float64) {
	s.add(Figure{Name: name, Published: want.text(), Ours: number(got, want.digits+1, want.unit),
		Match: math.Abs(got-want.value) <= want.half()})
}

// digit compares a formula with digits that were published, the last of which
// may be off by one: some tables round what was rounded before.
func (s *sheet) digit(name string, want known, got float64) {
	s.rounds(name, want, got)
	s.Figures[len(s.Figures)-1].Match = math.Abs(got-want.value) <= 2*want.half()
}

// equals compares a formula with a number that was published in full.
func (s *sheet) equals(name string, want known, got float64) {
	s.add(Figure{Name: name, Published: want.text(), Ours: number(got, want.digits, want.unit),
		Match: math.Abs(got-want.value) <= 1e-9*math.Abs(want.value)})
}

// mean compares a mean over replications.
func (s *sheet) mean(name string, want known, xs []float64, by tolerance) {
	e := stats.Mean(xs, level)
	s.add(Figure{Name: name, Published: want.text(), Ours: number(e.Mean, want.digits+1, want.unit),
		Interval: plusMinus(e, want.digits+1),
		Match:    math.Abs(e.Mean-want.value) <= max(by(want, e), want.half())})
}

// within compares a published quantile with the interval of ours.
func (s *sheet) within(name string, want known, q stats.Quantile) {
	s.add(Figure{Name: name, Published: want.text(), Ours: number(q.Value, want.digits, want.unit),
		Interval: "[" + number(q.Low, want.digits, "") + ", " + number(q.High, want.digits, "") + "]",
		Match:    q.Low-want.half() <= want.value && want.value <= q.High+want.half()})
}

// quantile compares a published quantile over seeds with ours. Theirs was a
// whole number of a sample as well, so one more than the interval is allowed.
func (s *sheet) quantile(name string, want known, xs []float64, q float64) {
	s.within(name, want, stats.QuantileOf(slices.Sorted(slices.Values(xs)), q, level))
	f := &s.Figures[len(s.Figures)-1]
	r := stats.QuantileOf(slices.Sorted(slices.Values(xs)), q, 1-2*rare)
	f.Match = r.Low-1 <= want.value && want.value <= r.High+1
}

// shown puts a figure of ours on the card that nobody has published.
func (s *sheet) shown(name string, digits int, unit string, xs []float64) {
	e := stats.Mean(xs, level)
	s.add(Figure{Name: name, Ours: number(e.Mean, digits, unit), Interval: plusMinus(e, digits),
		Match: true})
}

// seeds returns the seeds of n replications, or of as many as the options ask
// for: at least two, or there is no interval.
func (s *sheet) seeds(n int) []uint64 {
	if s.Runs > 0 {
		n = max(s.Runs, 2)
	}
	return s.fixed(n)
}

// fixed returns n seeds, whatever the options ask for.
func (s *sheet) fixed(n int) []uint64 {
	from, seeds := stream(s.Seed, s.ID), make([]uint64, n)
	for i := range seeds {
		seeds[i] = from.Uint64()
	}
	return seeds
}

// finish sums the figures up.
func (s *sheet) finish() Card {
	c := &s.Card
	if c.Figures == nil {
		c.Figures = []Figure{}
	}
	c.Published = s.joined(func(f Figure) string { return f.Published })
	c.Ours = s.joined(func(f Figure) string { return f.Ours })
	c.Interval = s.joined(func(f Figure) string { return f.Interval })
	c.Verdict = s.verdict()
	return s.Card
}

func (s *sheet) verdict() string {
	if s.lacks != "" {
		return "missing: " + s.lacks
	}
	if len(s.Figures) == 0 {
		return "missing: the card shows nothing"
	}
	for _, f := range s.Figures {
		if f.Match {
			continue
		}
		return "differs, because " + f.Name + " is " + f.Ours + " and not " + f.Published
	}
	if s.aside != "" {
		return "match; " + s.aside
	}
	return "match"
}

// joined writes one column of the figures as one line.
func (s *sheet) joined(column func(Figure) string) string {
	var parts []string
	for _, f := range s.Figures {
		text := column(f)
		if text == "" {
			continue
		}
		if len(s.Figures) > 1 {
			text = f.Name + " " + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// number writes a number with its unit. A per cent sign stands apart, as other
// units do.
func number(x float64, digits int, unit string) string {
	text := strconv.FormatFloat(x, 'f', digits, 64)
	switch {
	case math.IsInf(x, 1):
		text = "∞"
	case math.IsInf(x, -1):
		text = "-∞"
	}
	if unit == "" {
		return text
	}
	return text + " " + unit
}

func plusMinus(e stats.Estimate, digits int) string {
	if e.SD == 0 && e.N > 1 {
		return "" // the replications agree: nothing in it is random
	}
	return "±" + number(e.Half, digits, "")
}
