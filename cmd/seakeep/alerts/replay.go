package alerts

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/promrules"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/slo"
)

// How a Prometheus looks at a service in a replay.
const (
	scrape = 15 * time.Second
	// Step is how often rules are evaluated.
	Step = 30 * time.Second
	// coarseUntil is up to when, before the incident, a scrape a minute will do.
	coarseUntil = time.Hour + 5*time.Minute
)

// Incident is what happens to an objective in a replay, after a whole period
// without a bad event and before quiet.
type Incident struct {
	Rate float64       // events a second before and after
	For  time.Duration // how long it lasts
	// Counted returns what was counted since it began. It is asked for times
	// from 0 to For.
	Counted func(since time.Duration) slo.Counts
}

// Steady is an incident in which a share of the events is bad.
func Steady(rate, share float64, length time.Duration) Incident {
	return Incident{Rate: rate, For: length, Counted: func(since time.Duration) slo.Counts {
		n := rate * since.Seconds()
		return slo.Counts{Bad: uint64(math.Floor(n*share + 1e-9)), Total: uint64(math.Floor(n + 1e-9))}
	}}
}

// Fired is an alert in a replay.
type Fired struct {
	Alert    string
	Severity string
	Window   string
	After    time.Duration // since the incident began
	Clears   time.Duration // since the incident began; -1: not in the replay
	Spent    float64       // share of the period's budget when it fires
}

// Replay is what an incident did to an objective.
type Replay struct {
	Objective string
	Goal      float64
	Period    time.Duration
	For       time.Duration
	Events    uint64 // of the incident
	Bad       uint64
	Fired     []Fired
	Spent     float64       // share of the budget, by the counts
	Left      float64       // share of the budget, by the rules at the end
	Lasted    time.Duration // how much was replayed
}

// MarshalJSON writes times in seconds; one that clears after the replay is left
// out.
func (f Fired) MarshalJSON() ([]byte, error) {
	type plain struct {
		Alert    string   `json:"alert"`
		Severity string   `json:"severity"`
		Window   string   `json:"window,omitempty"`
		After    float64  `json:"after_s"`
		Clears   *float64 `json:"clears_s,omitempty"`
		Spent    float64  `json:"spent"`
	}
	p := plain{f.Alert, f.Severity, f.Window, f.After.Seconds(), nil, f.Spent}
	if f.Clears >= 0 {
		clears := f.Clears.Seconds()
		p.Clears = &clears
	}
	return json.Marshal(p)
}

// MarshalJSON writes times in seconds.
func (r Replay) MarshalJSON() ([]byte, error) {
	fired := r.Fired
	if fired == nil {
		fired = []Fired{}
	}
	return json.Marshal(map[string]any{"objective": r.Objective, "goal": r.Goal,
		"period_s": r.Period.Seconds(), "allowed_s": Allowed(r.Goal, r.Period).Seconds(),
		"for_s": r.For.Seconds(), "events": r.Events, "bad": r.Bad, "fired": fired, "spent": r.Spent,
		"left": r.Left, "lasted_s": r.Lasted.Seconds()})
}

// replaying is a replay under way.
type replaying struct {
	o        objective
	incident Incident
	series   promrules.Series
	player   *promrules.Player
	begin    time.Time
	at       time.Duration // scraped up to
	out      Replay
}

// epoch is when incidents in replays begin: on the grid of every group.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Run plays an incident to the rules of one objective of a file, until all
// alerts are clear again, but at most for a day after it.
func Run(f *config.File, name string, in Incident) (*Replay, error) {
	o := objective{Options{}, f.Service, f.SLO.Objective(name)}
	if o.Objective == nil {
		return nil, fmt.Errorf("there is no objective %s", name)
	}
	file := File{Groups: o.groups()}
	rules, err := promrules.Parse([]byte(file.String()))
	if err != nil {
		return nil, err
	}
	r := &replaying{o: o, incident: in, begin: epoch}
	r.player = promrules.NewPlayer(rules, &r.series)
	defer r.player.Close()
	total := in.Counted(in.For)
	r.out = Replay{Objective: name, Goal: o.Config.Objective, Period: o.Window.Length(), For: in.For,
		Events: total.Total, Bad: total.Bad, Spent: r.spent(in.For)}
	r.history()
	if err := r.play(); err != nil {
		return nil, err
	}
	return &r.out, nil
}

// history is what was there before: counters since the longest alert's window,
// and the recorded counts of the period.
func (r *replaying) history() {
	longest := time.Hour
	for _, p := range r.o.Alerts {
		longest = max(longest, p.Long)
	}
	// A counter that rises evenly has the same increase by fewer scrapes, and the
	// long windows are read for every half a minute of the replay.
	r.at = -(longest + 5*time.Minute).Round(time.Minute)
	for ; r.at < -coarseUntil; r.at += time.Minute {
		r.scrape()
	}
	for ; r.at <= 0; r.at += scrape {
		r.scrape()
	}
	with := map[string]string{"service": r.o.service, "slo": r.o.Name}
	const five = 5 * time.Minute
	for at := -r.o.Window.Length().Round(five); at < 0; at += five {
		r.series.Add(eventsRecord+"5m", with, r.begin.Add(at), r.incident.Rate*five.Seconds())
		r.series.Add(badRecord+"5m", with, r.begin.Add(at), 0)
	}
}

// scrape adds what the counters show at r.at.
func (r *replaying) scrape() {
	c := r.counted(r.at)
	with := map[string]string{"slo": r.o.Name}
	at := r.begin.Add(r.at)
	r.series.Add(EventsMetric, with, at, c.events)
	r.series.Add(BadMetric, with, at, c.bad)
}

// shown is what the counters show.
type shown struct{ events, bad float64 }

// counted is what the counters show at a time, with a start long before.
func (r *replaying) counted(at time.Duration) shown {
	const before = 100 * 24 * time.Hour
	out := shown{events: r.incident.Rate * (before + min(at, 0)).Seconds()}
	if at > 0 {
		c := r.incident.Counted(min(at, r.incident.For))
		out.events += float64(c.Total) + r.incident.Rate*max(0, at-r.incident.For).Seconds()
		out.bad = float64(c.Bad)
	}
	return out
}

// spent is the share of the period's budget that is spent at a time.
func (r *replaying) spent(at time.Duration) float64 {
	c := r.incident.Counted(min(max(at, 0), r.incident.For))
	all := r.incident.Rate*(r.o.Window.Length()-min(at, r.incident.For)).Seconds() + float64(c.Total)
	if all <= 0 {
		return 0
	}
	return float64(c.Bad) / all / r.o.Budget()
}

func (r *replaying) play() error {
	firing := 0
	end := r.incident.For + 24*time.Hour
	for at := time.Duration(0); at <= end; at += Step {
		for ; r.at <= at; r.at += scrape {
			r.scrape()
		}
		changes, err := r.player.Eval(r.begin.Add(at))
		if err != nil {
			return err
		}
		for _, c := range changes {
			if c.Firing {
				firing++
				r.out.Fired = append(r.out.Fired, Fired{Alert: c.Alert, Severity: c.Labels["severity"],
					Window: c.Labels["window"], After: at, Clears: -1, Spent: r.spent(at)})
				continue
			}
			firing--
			r.clear(c, at)
		}
		r.out.Lasted = at
		// Five minutes more, so that the period has seen the last of it.
		if firing == 0 && at >= r.incident.For+10*time.Minute && at%(5*time.Minute) == 0 {
			break
		}
	}
	slices.SortStableFunc(r.out.Fired, func(a, b Fired) int { return int(a.After - b.After) })
	left, err := r.player.Query(r.o.made(leftRecord), r.begin.Add(r.out.Lasted))
	if err == nil && len(left) == 1 {
		r.out.Left = left[0].Value
	}
	return err
}

// clear notes when the alert of a change, which fires, no longer does.
func (r *replaying) clear(c promrules.Change, at time.Duration) {
	for i := range r.out.Fired {
		f := &r.out.Fired[i]
		if f.Alert == c.Alert && f.Window == c.Labels["window"] && f.Clears < 0 {
			f.Clears = at
		}
	}
}
