package simulate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seakeep/seakeep/sim/study"
)

var doorColumns = []column{{"offered/s", study.Offered, false}, {"let in/s", study.Admitted, false},
	{"refused/s", study.Refused, false}, {"left/s", study.Left, true},
	{"answered in time/s", study.Useful, false}}

// refusalColumns are those of the reasons for which doors refuse.
func refusalColumns() (all []column) {
	for _, r := range study.DoorReasons {
		all = append(all, column{r.String(), r.String(), true})
	}
	return all
}

// offered are the rows of the classes that there were requests of.
func offered(all []study.Row) (some []study.Row) {
	for i := range all {
		if all[i].Figure(study.Offered).Mean > 0 {
			some = append(some, all[i])
		}
	}
	return some
}

// jsonDoor is what the doors of a service did, in requests a second: the means
// of the runs. Their intervals are among the figures.
type jsonDoor struct {
	Service string        `json:"service"`
	Classes []jsonClass   `json:"classes"` // the most important first
	Refused []jsonRefusal `json:"refused"` // the most frequent reason first
}

type jsonClass struct {
	Class    string `json:"class"`
	Offered  digits `json:"offered"`
	Admitted digits `json:"admitted"`
	Refused  digits `json:"refused"`
	Left     digits `json:"left"`
	Useful   digits `json:"useful"`
}

type jsonRefusal struct {
	Reason string `json:"reason"`
	Rate   digits `json:"rate"`
}

// doors gives what the doors did, service by service.
func (r *Report) doors() (all []jsonDoor) {
	s := r.Summary
	for i := range s.Refusals {
		d := jsonDoor{Service: s.Refusals[i].Name, Refused: []jsonRefusal{}}
		for k := range s.Doors {
			row := &s.Doors[k]
			class, ours := strings.CutPrefix(row.Name, d.Service+" ")
			if !ours {
				continue
			}
			mean := func(name string) digits { return digits(row.Figure(name).Mean) }
			d.Classes = append(d.Classes, jsonClass{class, mean(study.Offered), mean(study.Admitted),
				mean(study.Refused), mean(study.Left), mean(study.Useful)})
		}
		for _, f := range s.Refusals[i].Figures {
			if f.Mean > 0 {
				d.Refused = append(d.Refused, jsonRefusal{f.Name, digits(f.Mean)})
			}
		}
		slices.SortStableFunc(d.Refused, func(a, b jsonRefusal) int {
			return cmp.Compare(b.Rate, a.Rate)
		})
		all = append(all, d)
	}
	return all
}
