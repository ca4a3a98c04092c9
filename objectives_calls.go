package seakeep

import (
	"strings"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
)

// listen has the policies whose calls an objective of the file is about tell how
// they ended. The others do not look at the clock for it.
func (s *Set) listen(file *config.File, ready []prepared) {
	if file.SLO == nil {
		return
	}
	for _, p := range ready {
		dependency, _, _ := strings.Cut(p.state.name, "/")
		for i := range file.SLO.Objectives {
			if o := &file.SLO.Objectives[i]; o.Place == config.PlaceCalls && o.Dependency == dependency {
				p.state.promised = func(m Measure) { s.Objectives().called(dependency, m) }
			}
		}
	}
}

// called counts a call of a dependency that has ended.
func (o *Objectives) called(dependency string, m Measure) {
	if o == nil {
		return
	}
	for _, p := range o.byCall[dependency] {
		p.count(m)
	}
	o.look()
}

// begins returns when a call begins, if anybody wants to know.
func (s *state) begins() core.Instant {
	if s.promised == nil {
		return 0
	}
	return Now()
}

// promise tells how a call ended for whoever made it, fallbacks included.
func (s *state) promise(began core.Instant, o core.Outcome, age time.Duration) {
	if s.promised != nil {
		s.promised(Measure{Place: config.PlaceCalls, Outcome: o, Took: Now().Sub(began), Age: age})
	}
}

// outcome is how a call ended for whoever made it, without a fallback.
func (e *Ending) outcome() core.Outcome {
	switch e.Verdict {
	case call.Succeeded:
		return core.Success
	case call.Cancelled:
		return core.Cancelled
	case call.Rejected:
		return core.Failure
	}
	return e.Last.Outcome
}
