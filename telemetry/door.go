package telemetry

import (
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/seakeep/seakeep/core"
)

const classes = core.Criticalities

// door is what is counted of requests that come in.
type door struct {
	hot            []hotDoor
	queued         [classes]atomic.Uint64
	shed, observed table // class, reason
	limit          [2]atomic.Uint64
	shedMoves      atomic.Uint64
	recovery       [2]atomic.Uint64
	degrade        table // direction, by whom
	deadline       [3]atomic.Uint64
	keys           [12]atomic.Uint64
	fine           *[classes][outcomes]fineCounts
	examples       [classes]examples
}

// hotDoor is one stripe of what every request touches.
type hotDoor struct {
	admitted, ended atomic.Uint64
	good            [classes]atomic.Uint64
	took            [classes][outcomes]timings
	left            timings
	waited          [classes]timings
}

func (d *door) init(o Options) {
	d.hot = make([]hotDoor, stripes)
	d.shed, d.observed = newTable(classes, reasons), newTable(classes, reasons)
	d.degrade = newTable(len(directions), len(byWhom))
	if o.Native {
		d.fine = new([classes][outcomes]fineCounts)
	}
}

func (d *door) observe(e *core.Event) {
	c := e.Criticality.Index()
	if c < 0 || c >= classes {
		return
	}
	switch e.Kind {
	case core.RequestQueued:
		d.queued[c].Add(1)
	case core.RequestAdmitted:
		h := &d.hot[stripe()]
		h.admitted.Add(1)
		h.waited[c].record(e.Took)
		if e.Left != 0 {
			h.left.record(e.Left)
		}
	case core.RequestRefused:
		d.turnedAway(e, c)
	case core.RequestEnded:
		d.requestEnded(e, c)
	case core.LimitChanged:
		d.limit[direction(e)].Add(1)
	case core.ShedChanged:
		d.shedMoves.Add(1)
	case core.DegradeChanged:
		d.degrade.add(direction(e), by(e))
	case core.RecoveryChanged:
		d.recovery[by(e)].Add(1)
	}
}

func (d *door) requestEnded(e *core.Event, c int) {
	o := int(e.Outcome) % outcomes
	h := &d.hot[stripe()]
	h.ended.Add(1)
	if d.fine != nil {
		d.fine[c][o].record(e.Took)
	}
	h.took[c][o].record(e.Took)
	late := e.Detail != ""
	if !late && (e.Outcome == core.Success || e.Outcome == core.Ignored) {
		h.good[c].Add(1)
	}
	if e.Outcome == core.Timeout || late && e.Outcome != core.Cancelled {
		d.deadline[2].Add(1)
	}
}

func (d *door) turnedAway(e *core.Event, c int) {
	r := int(e.Reason) % reasons
	switch {
	case ofKey(e):
		d.keys[keyResult(e)].Add(1)
		return
	case e.Observed:
		d.observed.add(c, r)
		return
	}
	h := &d.hot[stripe()]
	if e.Left != 0 {
		h.left.record(e.Left)
	}
	d.shed.add(c, r)
	if timeUp(e.Reason) {
		phase := 0
		if e.Took > 0 {
			phase = 1
		}
		d.deadline[phase].Add(1)
	}
}

// ofKey reports whether a request was answered by its idempotency key: it was
// let in before, and ends as others do.
func ofKey(e *core.Event) bool {
	return e.Key != "" || e.Detail != "" ||
		e.Reason >= core.KeyMissing && e.Reason <= core.KeyReplayed
}

func keyResult(e *core.Event) int {
	if e.Reason != core.NoReason {
		return index(keyResults, e.Reason.String())
	}
	return index(keyResults, e.Detail)
}

// direction is 0 for up and 1 for down. The event has numbers as text.
func direction(e *core.Event) int {
	from, _ := strconv.ParseFloat(strings.TrimSuffix(e.From, "%"), 64)
	to, _ := strconv.ParseFloat(strings.TrimSuffix(e.To, "%"), 64)
	if to > from {
		return 0
	}
	return 1
}

func by(e *core.Event) int {
	if e.Reason == core.Operator {
		return 1
	}
	return 0
}
