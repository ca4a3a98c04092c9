package call

import (
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/throttle"
)

// throttles makes the plan's throttle. One that is there already keeps what it
// has counted; Adopt gives it its new settings.
func (p *Plan) throttles(old Plan) (err error) {
	cfg := p.cfg.Throttle
	if cfg == nil {
		return nil
	}
	if p.throttle = old.throttle; p.throttle == nil {
		p.throttle, err = throttle.New(*cfg)
	}
	return err
}

// Throttled reports whether the plan has a throttle, for which a call's Request
// must have a Class and a Draw.
func (p *Plan) Throttled() bool { return p.throttle != nil }

// worthwhile asks the throttle, once for the whole call. The attempts report
// each by itself: the throttle counts what the dependency is asked, and a retry
// is one question more.
func (c *Call) worthwhile(now core.Instant, draw float64) bool {
	t, class := c.plan.throttle, c.req.Class
	if !c.plan.cfg.Observe.Has(RungThrottle) {
		return t.Admit(now, class, draw)
	}
	if !t.Check(now, class, draw) {
		c.observed(now, core.Throttled)
	}
	return true
}
