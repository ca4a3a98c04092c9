package sim

import (
	"math/bits"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/balance"
	"github.com/seakeep/seakeep/core/outlier"
)

// lookout is what a member has to find outliers among a service's instances:
// package seakeephttp's, in virtual time. Health checks are not simulated.
type lookout struct {
	world    *World
	detector *outlier.Detector
	balancer *balance.Balancer
	marked   uint64 // as the balancer knows
	observe  bool
	timer    Timer
}

// outliersOf returns what a policy says of outliers among a dependency's
// endpoints, or nil.
func outliersOf(f *config.File, name string) *config.Outlier {
	if d := dependencyOf(f, name); d != nil {
		return d.Outlier
	}
	return nil
}

// lookout returns the one that goes with a balancer of the member's own, or nil
// if its policy has none.
func (m *member) lookout(b *balance.Balancer, instances int) *lookout {
	if m.outliers == nil || !m.balances || b == nil {
		return nil
	}
	for _, l := range m.lookouts {
		if l.balancer == b {
			return l
		}
	}
	d, err := outlier.New(m.outliers.Config)
	if err != nil {
		panic("sim: " + err.Error()) // the readers of files have checked it
	}
	d.Use(m.world.now, uint64(1)<<min(instances, 64)-1) // a shift of 64 gives 0, and so all bits
	l := &lookout{world: m.world, detector: d, balancer: b, observe: m.outliers.Observe}
	m.lookouts = append(m.lookouts, l)
	return l
}

// lookAgain puts what another policy says of outliers to use.
func (m *member) lookAgain(f *config.File) {
	m.outliers = outliersOf(f, m.name)
	for _, l := range m.lookouts {
		if m.outliers == nil {
			l.observe = true // takes all marks back
			l.mark()
			l.world.Cancel(l.timer)
			continue
		}
		_ = l.detector.Reconfigure(m.world.now, m.outliers.Config) // the reader has checked it
		l.observe = m.outliers.Observe
		l.mark()
	}
	if m.outliers == nil {
		m.lookouts = nil
	}
}

// report tells of an attempt.
func (l *lookout) report(v *visit, r core.Result) {
	now := l.world.now
	if l.detector.Report(now, v.at, now.Sub(v.began), r) != 0 {
		l.Fire(0, 0)
	}
}

// Fire implements Actor: a sweep is due.
func (l *lookout) Fire(int, int64) {
	l.world.Cancel(l.timer)
	l.timer = Timer{}
	_, next := l.detector.Sweep(l.world.now)
	l.mark()
	if next != core.Never {
		l.timer = l.world.At(next, Due, l, 0, 0)
	}
}

// mark tells the balancer who is out.
func (l *lookout) mark() {
	want := l.detector.Ejected()
	if l.observe {
		want = 0
	}
	for rest := l.marked ^ want; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		l.balancer.Mark(l.world.now, i, balance.Ejected, want>>i&1 != 0)
	}
	l.marked = want
}
