package lab

import (
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
	"github.com/seakeep/seakeep/cmd/seakeep/simulate"
	"github.com/seakeep/seakeep/core"
)

// mostEvents is how many are told if a question does not say.
const mostEvents = 1000

// events makes the first run of a world and answers its decisions, in the form in
// which a dashboard tells those of a program: changes of states, and those about
// single calls that did not go well if they are wanted.
func events(q *Question) (answer, error) {
	s, err := q.World.parse()
	if err != nil {
		return answer{}, err
	}
	most := q.Most
	if most <= 0 {
		most = mostEvents
	}
	a := answer{Events: []schema.Event{}}
	id := uint64(0) // of "seakeep sim --trace --json", where all are
	err = simulate.TraceOf(s, func(e core.Event) {
		id++
		switch about := schema.AboutOf(&e); {
		case about == schema.OfNothing || about == schema.OfCall && !q.Calls:
		case len(a.Events) >= most:
			a.Missed++
		default:
			v := schema.EventOf(&e, schema.Millis(time.Duration(e.At)))
			v.ID = id
			a.Events = append(a.Events, v)
		}
	})
	return a, err
}
