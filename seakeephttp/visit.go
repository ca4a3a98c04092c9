package seakeephttp

import (
	"context"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/balance"
)

// visit is an attempt at an endpoint, from its choice until the endpoint is done
// with it: the end of the answer's body. The zero value is at none.
type visit struct {
	dir   *directory
	to    *endpoint
	began core.Instant
	at    uint8
	stage stage
}

// stage is how far a visit is.
type stage uint8

const (
	away    stage = iota
	waiting       // for an answer
	reading       // its body
)

// choose picks an endpoint. ok is false if there is none that may be used; with
// no directory there is none to choose, and ok is true.
func (v *visit) choose(ctx context.Context, p *pool, c balance.Choice) (ok bool) {
	*v = visit{}
	if p.dir == nil {
		return true
	}
	now := seakeep.Now()
	c.Draw = p.of.family.draws()
	i, ok := p.dir.balancer.Pick(now, c)
	if !ok && p.of.awaitResolved(ctx) {
		now = seakeep.Now()
		i, ok = p.dir.balancer.Pick(now, c)
	}
	if ok {
		*v = visit{dir: p.dir, to: p.dir.at[i].Load(), began: now, at: uint8(i), stage: waiting}
	}
	return ok
}

// bit is the endpoint's in a word of those tried.
func (v *visit) bit() uint64 {
	if v.dir == nil {
		return 0
	}
	return 1 << v.at
}

// ended takes note of how the attempt went. open is whether an answer came,
// whose body is now to be read.
func (v *visit) ended(r core.Result, open bool) {
	if v.stage != waiting {
		return
	}
	now := seakeep.Now()
	s := balance.SampleOf(now.Sub(v.began), r)
	s.Open = open
	v.dir.balancer.Report(now, int(v.at), s)
	v.dir.care.report(now, int(v.at), s.Took, r)
	v.stage = away
	if open {
		v.stage = reading
	}
}

// left takes note that the endpoint is done with the request. An attempt of
// which nobody has said how it ended was given up.
func (v *visit) left() {
	switch v.stage {
	case waiting:
		v.ended(core.Result{Outcome: core.Cancelled}, false)
	case reading:
		v.dir.balancer.Done(int(v.at))
		v.stage = away
	}
}

// elsewhere reports whether another attempt would go to an endpoint that was
// not tried.
func (p *pool) elsewhere(c balance.Choice) bool {
	return p.dir != nil && p.dir.balancer.Elsewhere(seakeep.Now(), c)
}
