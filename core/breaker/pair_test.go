package breaker

import (
	"fmt"
	"slices"
	"time"

	"github.com/seakeep/seakeep/core"
)

// pair runs a Breaker and a model side by side.
type pair struct {
	b     *Breaker
	m     model
	now   core.Instant
	given []pairPermit // all that were admitted
	open  []pairPermit // those not yet reported
}

type pairPermit struct {
	p Permit
	q modelPermit
}

func newPair(c Config) *pair {
	b, err := New(c, 1)
	if err != nil {
		panic(err)
	}
	return &pair{b: b, m: model{cfg: c.filled(), era: 1}}
}

// verify compares what both say after a step.
func (w *pair) verify(ch Change, c *modelChange, late bool) error {
	if ch.Happened() != (c != nil) || ch.Late != late {
		return fmt.Errorf("change %+v, model %+v, late %v", ch, c, late)
	}
	if c != nil && (ch.From != c.from || ch.To != c.to || ch.Reason != c.reason ||
		ch.Seq != uint64(w.m.era)) {
		return fmt.Errorf("change %+v, model %+v in era %d", ch, *c, w.m.era)
	}
	m := &w.b.m
	got := [...]int{int(m.state), int(m.mode), m.trials.inFlight(), m.trials.passed,
		m.trials.failed(), int(m.late)}
	want := [...]int{int(w.m.state), int(w.m.mode), w.m.count(isInFlight), w.m.count(isPassed),
		w.m.count(isFailed), w.m.late}
	if got != want {
		return fmt.Errorf("state, mode, in flight, passed, failed, late: %v, model %v", got, want)
	}
	if c, d := m.window.Counts(w.now), w.m.counts(); c != d || m.window.InARow() != w.m.row() {
		return fmt.Errorf("counts %+v in a row %d, model %+v %d", c, m.window.InARow(), d,
			w.m.row())
	}
	if m.state == Open && m.mode == Auto && m.until != w.m.until {
		return fmt.Errorf("until %v, model %v", m.until, w.m.until)
	}
	return nil
}

func (w *pair) admit() error {
	p, ch := w.b.Admit(w.now)
	q, c := w.m.admit(w.now)
	if p.OK() != (q.era != 0) || p.Reason() != q.reason || p.Trial() != (q.trial != nil) {
		return fmt.Errorf("permit ok %v trial %v reason %v, model %+v", p.OK(), p.Trial(),
			p.Reason(), q)
	}
	if p.OK() {
		w.given = append(w.given, pairPermit{p, q})
		w.open = append(w.open, pairPermit{p, q})
	}
	return w.verify(ch, c, false)
}

// report ends the open call at index i, if there is one.
func (w *pair) report(i int, o core.Outcome, took time.Duration) error {
	if i >= len(w.open) {
		return nil
	}
	p := w.open[i]
	w.open = slices.Delete(w.open, i, i+1)
	return w.tell(p, o, took)
}

func (w *pair) tell(p pairPermit, o core.Outcome, took time.Duration) error {
	before := w.b.m.state
	ch := w.b.Report(w.now, p.p, o, took)
	c, late := w.m.report(w.now, p.q, o, took)
	if (ch.Late || o.Neutral()) && (ch.Happened() || w.b.m.state != before) {
		return fmt.Errorf("a late or neutral report changed %v to %v", before, w.b.m.state)
	}
	return w.verify(ch, c, late)
}

func (w *pair) force(to Mode) error {
	return w.verify(w.b.Force(w.now, to), w.m.force(w.now, to), false)
}

func (w *pair) reset() error { return w.verify(w.b.Reset(w.now), w.m.reset(w.now), false) }
