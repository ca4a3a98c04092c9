package demo

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/cmd/seakeep/dashboard"
	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/seakeephttp"
	"github.com/seakeep/seakeep/telemetry"
)

// Run runs the demo, shows it on the screen, and returns what was measured. If
// ctx ends it stops early: users under way still get their answer, and the
// report is about the time until then.
func Run(ctx context.Context, o Options, screen Screen) (*Report, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	s, err := newStage(o)
	defer s.stop()
	if err != nil {
		return nil, err
	}
	return s.play(ctx, screen), nil
}

// play runs it.
func (s *stage) play(ctx context.Context, screen Screen) *Report {
	o := s.options
	s.users.warm()
	s.rec.clock.Start()
	if s.admin != nil {
		defer live.Background(s.remember)()
		s.invite(screen)
	}
	stopShow := show(s, screen)
	ran := s.users.run(ctx, newSchedule(o.Rate, o.Seed), o.end())
	stopShow()
	r := s.report(ran)
	r.Interrupted = ctx.Err() != nil && ran < o.end()
	return r
}

// invite says where to look.
func (s *stage) invite(screen Screen) {
	if want := s.options.Admin; !strings.HasSuffix(want, ":0") && s.admin.URL != "http://"+want {
		fmt.Fprintf(screen.Out, "%s is taken by another program; this is at another port\n", want)
	}
	wall := s.admin.URL + "/"
	fmt.Fprintf(screen.Out, "the wall is at %s\n", wall)
	pages := []string{wall}
	if _, err := fs.Stat(dashboard.Assets(), tryPage); err == nil {
		fmt.Fprintf(screen.Out, "Try it is at %s%s\n", wall, tryPage)
		pages = []string{wall + tryPage, wall} // the wall last, so that it is in front
	} else {
		fmt.Fprintln(screen.Out, "Try it is not here: this program was built without Node.js; "+
			"see make build")
	}
	if screen.Open != nil {
		screen.Open(pages)
	}
}

// tryPage is where the page "Try it" is, beside the wall.
const tryPage = "try.html"

// remember keeps each second's figures.
func (s *stage) remember(ctx context.Context) error {
	worked, at := s.checkout.pool.time(), s.rec.clock.Now()
	for k := 0; live.Pause(ctx, time.Duration(k+1)*time.Second-s.rec.clock.Now()); k++ {
		now, sum := s.rec.clock.Now(), s.checkout.pool.time()
		s.rec.past.close(k, float64(sum-worked)/float64(max(now-at, 1)))
		worked, at = sum, now
	}
	return nil
}

// stage is everything that takes part.
type stage struct {
	options  Options
	file     *config.File
	set      *seakeep.Set
	rec      *recorder
	servers  [len(names)]*live.Server
	checkout *checkout
	front    *live.Server // of checkout
	admin    *live.Server // its dashboard and metrics; nil: nobody asked for them
	wall     *dashboard.Dashboard
	stopWall func()
	began    time.Time
	orders   orders // of the wall

	dependencies [len(names)]*dependency
	users        *users
	end          context.CancelFunc
}

// newStage starts the servers. Its result must be stopped even with an error.
func newStage(o Options) (*stage, error) {
	life, end := context.WithCancel(context.Background())
	s := &stage{options: o, end: end, began: time.Now()}
	s.rec = newRecorder(spans(o.Slow, o.end()))
	var err error
	if s.file, err = policy(o.Protect); err != nil {
		return s, err
	}
	metrics := telemetry.New(telemetry.Options{})
	var observer core.Observer = s.rec
	if o.Admin != "" {
		if s.wall, err = dashboard.New(o.Dashboard); err != nil {
			return s, err
		}
		s.rec.past = &past{}
		observer = telemetry.Tee(s.rec, metrics, s.wall)
	}
	if s.set, err = seakeep.NewSet(s.file, seakeep.Options{Observer: observer}); err != nil {
		return s, err
	}
	s.checkout = &checkout{life: life, heeds: o.Protect.has(Timeout),
		pool: newPool(o.Pool, o.Queue)}
	for i, name := range names {
		s.dependencies[i] = newDependency(i, o, s.rec)
		if s.servers[i], err = live.Serve(s.dependencies[i]); err != nil {
			return s, err
		}
		t, err := seakeephttp.NewTransport(s.set, name, nil)
		if err != nil {
			return s, err
		}
		s.checkout.to[i] = &upstream{url: s.servers[i].URL + "/", transport: t}
	}
	if err = s.offer(metrics); err != nil {
		return s, err
	}
	if s.front, err = live.Serve(s.checkout.handler()); err != nil {
		return s, err
	}
	s.users = newUsers(s.front.URL, s.rec)
	return s, nil
}

// stop ends everything, from the users towards the dependencies. Calls that
// nobody limits end here.
func (s *stage) stop() {
	s.end()
	for _, srv := range []*live.Server{s.front, s.admin} {
		if srv != nil {
			srv.Stop()
		}
	}
	switch {
	case s.stopWall != nil:
		s.stopWall()
	case s.wall != nil:
		s.wall.Close()
	}
	for i, srv := range s.servers {
		if srv == nil {
			continue
		}
		if up := s.checkout.to[i]; up != nil {
			up.transport.CloseIdleConnections()
		}
		srv.Stop()
	}
}

// breakerOf returns the state of a dependency's breaker; ok is false if the
// rung is off.
func (s *stage) breakerOf(dependency string) (b breaker.Snapshot, ok bool) {
	now := seakeep.Now()
	running := s.set.MustPolicy(dependency).Plan().Breaker(now, "")
	if running == nil {
		return b, false
	}
	return running.Snapshot(now), true
}
