package review

import (
	"fmt"
	"math"
	"strings"

	"github.com/seakeep/seakeep/config"
)

// hours are those of a month, as people who sell availability count them.
const hours = 730

// Series is what the dependencies together leave of availability: when a
// request needs all of them, the shares multiply.
type Series struct {
	All     Product   `json:"all"`     // of those that say what they keep
	Alone   Product   `json:"alone"`   // the least of them
	Needed  Product   `json:"needed"`  // of those for which nothing can stand in
	Unknown []string  `json:"unknown"` // those that do not say
	Above   []Promise `json:"above"`   // objectives that the series does not carry
}

// Product is availability in series.
type Product struct {
	Of           []string `json:"of"`
	Availability float64  `json:"availability"`
	HoursDown    float64  `json:"hours_down_a_month"` // of 730
}

// Promise is an objective of the file.
type Promise struct {
	Name      string  `json:"name"`
	Objective float64 `json:"objective"`
}

// add takes one more dependency into the series.
func (p *Product) add(name string, availability float64) {
	if len(p.Of) == 0 {
		p.Availability = 1
	}
	p.Of = append(p.Of, name)
	p.Availability *= availability
	p.HoursDown = hours * (1 - p.Availability)
}

// seriesOf is nil if no dependency says what it keeps.
func seriesOf(f *config.File) *Series {
	s := &Series{Unknown: []string{}, Above: []Promise{}}
	for _, p := range []*Product{&s.All, &s.Alone, &s.Needed} {
		p.Of = []string{}
		p.Availability = 1
	}
	for _, d := range f.Dependencies {
		switch {
		case d.Kind == config.Async: // nobody waits for it
		case d.Availability == 0:
			s.Unknown = append(s.Unknown, d.Name)
		default:
			s.All.add(d.Name, d.Availability)
			if len(s.Alone.Of) == 0 || d.Availability < s.Alone.Availability {
				s.Alone = Product{}
				s.Alone.add(d.Name, d.Availability)
			}
			if len(d.Fallback.Order) == 0 && d.Failover == nil {
				s.Needed.add(d.Name, d.Availability)
			}
		}
	}
	if len(s.All.Of) == 0 {
		return nil
	}
	if f.SLO != nil {
		for i := range f.SLO.Objectives {
			o := &f.SLO.Objectives[i]
			if o.Place != config.PlaceCalls && o.Objective > s.Needed.Availability {
				s.Above = append(s.Above, Promise{o.Name, o.Objective})
			}
		}
	}
	return s
}

// sentences tell it to people.
func (s *Series) sentences() (all []string) {
	all = append(all, fmt.Sprintf("%s in series, if a request needs all of them: %s, which is %s a month "+
		"(of 730 h) without; %s alone: %s, %s.", strings.Join(s.All.Of, ", "), figure(s.All.Availability),
		down(s.All.HoursDown), s.Alone.Of[0], figure(s.Alone.Availability), down(s.Alone.HoursDown)))
	if n := len(s.Needed.Of); n < len(s.All.Of) {
		text := "As long as every fallback answers, none of them takes anything away."
		if n > 0 {
			text = fmt.Sprintf("As long as every fallback answers, only %s counts: %s, %s a month.",
				strings.Join(s.Needed.Of, ", "), figure(s.Needed.Availability), down(s.Needed.HoursDown))
		}
		all = append(all, text)
	}
	if len(s.Unknown) > 0 {
		all = append(all, "Not counted, because the file does not say what they keep: "+
			strings.Join(s.Unknown, ", ")+".")
	}
	for _, p := range s.Above {
		all = append(all, fmt.Sprintf("The objective %s, %s, is more than these leave: %s.", p.Name,
			exact(p.Objective), figure(s.Needed.Availability)))
	}
	return all
}

// figure writes an availability to the fourth place, which tells 99.6 % of
// four from 99.6 % of one.
func figure(share float64) string {
	if math.Abs(share*1e3-math.Round(share*1e3)) < 1e-9 {
		return exact(share)
	}
	return fmt.Sprintf("%.4f %%", 100*share)
}

// down writes a time in hours, or in minutes if it is short.
func down(hours float64) string {
	if hours < 1 {
		return fmt.Sprintf("%.3g min", 60*hours)
	}
	return fmt.Sprintf("%.3g h", hours)
}

// sentence tells whom one bad tenant can hurt.
func (s *Shards) sentence(name string) string {
	parts := make([]string, 0, len(s.Sharing))
	for _, v := range s.Sharing {
		parts = append(parts, fmt.Sprintf("%d with %.2f %%", v.Endpoints, 100*v.Probability))
	}
	what := fmt.Sprintf("sets of %d", s.Size)
	if s.Size == 2 {
		what = "pairs"
	}
	return fmt.Sprintf("%s has shards of %d of %d endpoints: %d %s, so that a tenant which takes its "+
		"endpoints down takes 1 in %d of the others along. Two tenants share %s.", name, s.Size,
		s.Endpoints, s.Shards, what, s.Shards, strings.Join(parts, ", "))
}
