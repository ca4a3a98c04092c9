package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/alerts"
	"github.com/seakeep/seakeep/cmd/seakeep/proxy"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/slo"
)

// promise is an objective as the file has it.
type promise struct {
	Name      string          `json:"name"`
	Place     string          `json:"place"`
	Objective float64         `json:"objective"`
	Window    string          `json:"window"`
	Allowed   float64         `json:"allowed_s"` // how long nothing may work
	Alerts    []promisedAlert `json:"alerts"`
	what      string
}

type promisedAlert struct {
	Window string  `json:"window"`
	Factor float64 `json:"factor"`
	Page   bool    `json:"page"`
	After  float64 `json:"after_s"` // with nothing but errors
}

func promisesOf(file *config.File) (all []promise) {
	for i := range file.SLO.Objectives {
		o := &file.SLO.Objectives[i]
		p := promise{Name: o.Name, Place: o.Place.String(), Objective: o.Config.Objective,
			Window:  alerts.Window(o.Window.Length()),
			Allowed: alerts.Allowed(o.Config.Objective, o.Window.Length()).Seconds(),
			what:    goodIs(o), Alerts: []promisedAlert{}}
		if o.Window.Calendar != slo.Rolling {
			p.Window = "a " + o.Window.Calendar.String()
		}
		for _, a := range o.Alerts {
			after := time.Duration(float64(a.Long) * o.Factor(a) * o.Budget()).Round(time.Second)
			p.Alerts = append(p.Alerts, promisedAlert{alerts.Window(a.Long), o.Factor(a), a.Page, after.Seconds()})
		}
		all = append(all, p)
	}
	return all
}

// goodIs says what a good event is.
func goodIs(o *config.Objective) string {
	what := map[config.Place]string{config.PlaceServe: "answers at the door", config.PlaceBeacon: "what clients tell",
		config.PlaceCalls: "calls of " + o.Dependency}[o.Place]
	if o.Latency > 0 {
		what += ", within " + o.Latency.String()
	}
	if o.Freshness > 0 {
		what += ", at most " + o.Freshness.String() + " old"
	}
	return what
}

// writePromises prints what a file promises.
func writePromises(w io.Writer, file *config.File) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "objective\tgood\tover\tmay fail\talerts: fire after, with nothing but errors\tof")
	for _, p := range promisesOf(file) {
		var fires []string
		for _, a := range p.Alerts {
			fires = append(fires, fmt.Sprintf("%s %v", a.Window, seconds(a.After)))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", p.Name, alerts.Goal(p.Objective), p.Window,
			alerts.Minutes(seconds(p.Allowed)), orDash(strings.Join(fires, ", ")), p.what)
	}
	return t.Flush()
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// writeSLO prints how it goes.
func writeSLO(w io.Writer, v *proxy.SLOView) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "objective\tgoal\tgood\tbad\tratio\tleft\tof the period\tburns\talerts\tsteps")
	for i := range v.Objectives {
		o := &v.Objectives[i]
		ratio := "-"
		if o.Ratio != nil {
			ratio = alerts.Goal(*o.Ratio)
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%d\n", o.Name, alerts.Goal(o.Objective), o.Good,
			o.Bad, ratio, alerts.Percent(o.Left), alerts.Percent(o.OfPeriod), burnsOf(o), firingOf(o), o.Steps)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if v.Retries < 1 || v.Degrade > 0 || v.Frozen != "" {
		verb := "is done"
		if v.Observe {
			verb = "would be done"
		}
		fmt.Fprintf(w, "\nthis %s: retries and hedges have %s of their budgets; at least %d features are off",
			verb, alerts.Percent(v.Retries), v.Degrade)
		if v.Frozen != "" {
			fmt.Fprintf(w, "; %s", v.Frozen)
		}
		fmt.Fprintln(w)
	}
	for i := range v.Objectives {
		writeCurve(w, &v.Objectives[i], v.At)
	}
	return nil
}

// burnsOf lists how fast the budget burns over the long windows.
func burnsOf(o *proxy.ObjectiveView) string {
	var all []string
	for _, a := range o.Alerts {
		all = append(all, fmt.Sprintf("%s %.3g", windowOf(a.WindowS), a.Burn))
	}
	return orDash(strings.Join(all, ", "))
}

func firingOf(o *proxy.ObjectiveView) string {
	var all []string
	for _, a := range o.Alerts {
		if a.Firing {
			kind := "ticket"
			if a.Page {
				kind = "page"
			}
			all = append(all, kind+" "+windowOf(a.WindowS))
		}
	}
	return orDash(strings.Join(all, ", "))
}

func windowOf(s float64) string {
	return alerts.Window(seconds(s))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// The size of a curve in characters.
const (
	curveWide = 60
	curveHigh = 6
)

// writeCurve draws how a budget was spent. The axis goes down to what is left, or
// to nothing.
func writeCurve(w io.Writer, o *proxy.ObjectiveView, now time.Time) {
	if len(o.Curve) == 0 || o.Good+o.Bad == 0 {
		return
	}
	low := 0.0
	for _, v := range o.Curve {
		low = min(low, v)
	}
	low = max(low, -10) // beyond that it is all the same
	fmt.Fprintf(w, "\n%s: what is left of the budget, since %s\n", o.Name,
		o.CurveBegin.Format("2006-01-02 15:04 MST"))
	for row := range curveHigh {
		top := 1 - (1-low)*float64(row)/curveHigh
		bottom := 1 - (1-low)*float64(row+1)/curveHigh
		line := make([]rune, curveWide)
		for x := range line {
			at := o.Curve[x*(len(o.Curve)-1)/(curveWide-1)]
			line[x] = block((at - bottom) / (top - bottom))
		}
		fmt.Fprintf(w, "%7s |%s\n", fmt.Sprintf("%.0f %%", 100*top), strings.TrimRight(string(line), " "))
	}
	fmt.Fprintf(w, "%7s +%s %s\n", fmt.Sprintf("%.0f %%", 100*low), strings.Repeat("-", curveWide),
		now.Format("2006-01-02 15:04"))
}

// block is a character that is filled to this share.
func block(share float64) rune {
	blocks := []rune(" ▁▂▃▄▅▆▇█")
	return blocks[int(math.Round(min(max(share, 0), 1)*float64(len(blocks)-1)))]
}
