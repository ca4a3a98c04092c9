package sim

import (
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
)

// client is a population that calls a service.
type client struct {
	world   *World
	cfg     *config.Client
	index   uint64
	dest    *service
	members []*member
	gaps    *Stream // between arrivals
	tastes  *Stream // which route
	thinks  *Stream
	rate    float64
	next    Timer
	sent    uint64
	here    level
	stayed  int64
	ended   uint64
	routes  []*endpoint
	sum     float64 // of the routes' shares
	free    []*user
}

// endpoint is what users see of one route.
type endpoint struct {
	route *route
	share float64
	stats endpointStats
}

// user is one request of a client, and in a closed loop the person behind it.
type user struct {
	client *client
	at     *endpoint
	began  core.Instant
	id     uint64
	o      *outcall
}

const (
	clientNext = iota // what Fire is told
	clientOnce
	userThought
)

// start begins the client's arrivals.
func (c *client) start() {
	for _, at := range c.cfg.Times {
		c.world.At(core.Instant(at), Begins, c, clientOnce, 0)
	}
	if c.cfg.Users == 0 {
		c.schedule()
		return
	}
	for n := range c.cfg.Users {
		u := &user{client: c}
		s := c.thinks.Of(uint64(n), 0)
		c.world.At(core.Instant(sample(&c.cfg.Think, &s)), Begins, u, userThought, 0)
	}
}

// schedule plans the next open-loop arrival.
func (c *client) schedule() {
	c.world.Cancel(c.next)
	c.next = Timer{}
	if c.rate <= 0 {
		return
	}
	gap := 1e9 / c.rate
	if c.cfg.Arrivals == config.Poisson {
		gap *= c.gaps.Exp()
	}
	c.next = c.world.At(c.world.now.Add(whole(gap)), Begins, c, clientNext, 0)
}

// Fire implements Actor: a user arrives.
func (c *client) Fire(what int, _ int64) {
	if what == clientNext {
		c.next = Timer{}
		c.schedule()
	}
	var u *user
	if n := len(c.free); n > 0 {
		u = c.free[n-1]
		c.free = c.free[:n-1]
	} else {
		u = &user{client: c}
	}
	u.ask()
}

// Fire implements Actor: somebody has thought, and calls.
func (u *user) Fire(int, int64) { u.ask() }

// ask makes the user's call.
func (u *user) ask() {
	c := u.client
	w := c.world
	c.sent++
	u.id = c.index<<40 | c.sent
	u.began = w.now
	u.at = c.taste(u.id)
	c.here.add(w.now, +1)
	u.at.stats.sent(w)
	m := c.members[int(c.sent)%len(c.members)]
	o := w.newCall(m, u)
	o.id, o.part, o.class, o.tenant = u.id, 0, c.cfg.Criticality, c.cfg.Tenant
	o.dest, o.route = c.dest, u.at.route
	u.o = o
	req := call.Request{Deadline: core.Never}
	if c.cfg.Patience > 0 {
		req.Deadline = w.now.Add(c.cfg.Patience)
	}
	o.begin(req)
}

// taste draws which route a request is for.
func (c *client) taste(id uint64) *endpoint {
	if len(c.routes) == 1 {
		return c.routes[0]
	}
	s := c.tastes.Of(id, 0)
	at := s.Float64() * c.sum
	for _, e := range c.routes {
		if at -= e.share; at < 0 {
			return e
		}
	}
	return c.routes[len(c.routes)-1]
}

// called implements owner.
func (u *user) called(o *outcall, v call.Verdict) {
	c := u.client
	w := c.world
	took := w.now.Sub(u.began)
	end := ending{took: took, began: u.began, ok: v == call.Succeeded, fallback: o.degraded}
	if !end.ok {
		if o.wantsFallback(v) {
			end.fallback, _ = o.member.standIn()
			end.ok = end.fallback
		}
		end.why = reasonOf(o, v, u.began, c.cfg.Patience)
	}
	u.at.stats.ended(w, end)
	if w.fate != nil {
		w.fate(Fate{u.id, u.began, took, u.at.route.cfg.Name, end.ok, end.ok && end.fallback})
	}
	c.here.add(w.now, -1)
	c.stayed += int64(took)
	c.ended++
	u.o = nil
	w.freeCall(o)
	if c.cfg.Users == 0 {
		c.free = append(c.free, u)
		return
	}
	s := c.thinks.Of(u.id, 1)
	w.At(w.now.Add(sample(&c.cfg.Think, &s)), Begins, u, userThought, 0)
}

// paused and resumed implement owner: a user has no worker to give back.
func (u *user) paused(*outcall)       {}
func (u *user) resumed(*outcall) bool { return true }

// why a request failed, as its user sees it.
type why uint8

const (
	gaveUp   why = iota // the user's patience ended
	timedOut            // a limit of the policy passed
	refused             // there was no room, or a breaker was open
	errored             // an error came back
	reasons
)

func reasonOf(o *outcall, v call.Verdict, began core.Instant, patience time.Duration) why {
	last := o.call.Last()
	switch {
	case patience > 0 && o.now() >= began.Add(patience):
		return gaveUp
	case v == call.Rejected, last.Outcome == core.Overloaded:
		return refused
	case last.Outcome == core.Timeout:
		return timedOut
	}
	return errored
}
