package curves

import (
	"slices"
	"time"
)

// Tally is what became of the requests of one endpoint in one step.
type Tally struct {
	sent, answered, fellBack, ended int
	took                            []float32 // of answers, in milliseconds
}

// Row is a tally in figures. Only Sent is known while requests are under way.
type Row struct{ Sent, Success, Fallback, P50MS, P99MS *float64 }

// Sent notes that a request was made.
func (t *Tally) Sent(n int) { t.sent += n }

// AllEnded says that no request is under way any more: those that have ended are
// all that were made.
func (t *Tally) AllEnded() { t.sent = t.ended }

// Ended notes how a request ended: whether its user got an answer, whether that
// was a fallback's, and how long after the request was meant.
func (t *Tally) Ended(answered, fallback bool, took time.Duration) {
	t.ended++
	if !answered {
		return
	}
	t.answered++
	if fallback {
		t.fellBack++
	}
	t.took = append(t.took, float32(took)/float32(time.Millisecond))
}

// Row returns the figures of a step.
func (t *Tally) Row(step time.Duration) Row {
	r := Row{Sent: Value(float64(t.sent) / step.Seconds())}
	if t.ended < t.sent || t.ended == 0 {
		return r
	}
	r.Success = Value(float64(t.answered) / float64(t.ended))
	r.Fallback = Value(float64(t.fellBack) / float64(t.ended))
	if len(t.took) > 0 {
		slices.Sort(t.took)
		r.P50MS, r.P99MS = t.quantile(0.5), t.quantile(0.99)
	}
	return r
}

// quantile returns the answer that a share p of all are faster than.
func (t *Tally) quantile(p float64) *float64 {
	at := int(p * float64(len(t.took)))
	return Value(float64(t.took[min(at, len(t.took)-1)]))
}

// Change is a moment from which on something holds, or does not.
type Change struct {
	At time.Duration
	On bool
}

// Shares returns for how much of each step something held. Changes are in their
// order; before the first it did not.
func Shares(changes []Change, steps int, step time.Duration) []*float64 {
	held := make([]time.Duration, steps)
	add := func(from, to time.Duration) {
		for k := max(int(from/step), 0); k < steps && time.Duration(k)*step < to; k++ {
			begin := time.Duration(k) * step
			held[k] += min(to, begin+step) - max(from, begin)
		}
	}
	since, on := time.Duration(0), false
	for _, c := range changes {
		if on {
			add(since, max(c.At, 0))
		}
		since, on = max(c.At, 0), c.On
	}
	if on {
		add(since, time.Duration(steps)*step)
	}
	shares := make([]*float64, steps)
	for k := range held {
		shares[k] = Value(held[k].Seconds() / step.Seconds())
	}
	return shares
}

// Level is a number that changes now and then, and its mean over each step.
type Level struct {
	Step  time.Duration
	since time.Duration
	now   float64
	area  []float64 // by step, in seconds
}

// Set says what the number is from a moment on. Moments do not go back.
func (l *Level) Set(at time.Duration, to float64) {
	for from := l.since; from < at; {
		k := int(from / l.Step)
		end := min(at, time.Duration(k+1)*l.Step)
		for len(l.area) <= k {
			l.area = append(l.area, 0)
		}
		l.area[k] += l.now * (end - from).Seconds()
		from = end
	}
	l.since, l.now = max(at, l.since), to
}

// Add changes the number by some.
func (l *Level) Add(at time.Duration, some float64) { l.Set(at, l.now+some) }

// Means returns the means of so many steps.
func (l *Level) Means(steps int) []*float64 {
	l.Set(time.Duration(steps)*l.Step, l.now)
	means := make([]*float64, steps)
	for k := range means {
		means[k] = Value(l.area[k] / l.Step.Seconds())
	}
	return means
}
