package study

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/seakeep/seakeep/core"
)

// doorLog is what the doors of one service decided, all instances together.
type doorLog struct {
	by      string
	refused [][]reasonCount // by slice of time
	steps   []core.Event    // of the features that are left out, and of the way back
}

type reasonCount struct {
	reason core.Reason
	n      uint64
}

// observeDoor takes a decision if it is a door's.
func (l *Log) observeDoor(e core.Event) bool {
	switch e.Kind {
	case core.RequestRefused, core.DegradeChanged, core.RecoveryChanged:
	default:
		return e.Kind >= core.RequestQueued && e.Kind <= core.RecoveryChanged
	}
	if e.Observed || e.Reason == core.CallerCancelled || e.Reason == core.Operator {
		return true
	}
	who, _, _ := strings.Cut(e.Policy, ">")
	d := l.door(who[:max(strings.LastIndexByte(who, '['), 0)])
	if e.Kind == core.RequestRefused {
		d.refuse(int(time.Duration(e.At)/l.width), e.Reason)
	} else {
		d.steps = append(d.steps, e)
	}
	return true
}

// door returns the decisions of a service's doors.
func (l *Log) door(by string) *doorLog {
	for _, d := range l.doors {
		if d.by == by {
			return d
		}
	}
	d := &doorLog{by: by}
	l.doors = append(l.doors, d)
	return d
}

func (d *doorLog) refuse(k int, r core.Reason) {
	for len(d.refused) <= k {
		d.refused = append(d.refused, nil)
	}
	add(&d.refused[k], reasonCount{r, 1})
}

func add(all *[]reasonCount, c reasonCount) {
	for i := range *all {
		if x := &(*all)[i]; x.reason == c.reason {
			x.n += c.n
			return
		}
	}
	*all = append(*all, c)
}

// reasons adds up the refusals for want of room from one slice to another, that
// one left out: the most frequent reason first.
func (d *doorLog) reasons(from, to int) (all []reasonCount) {
	for k := max(from, 0); k < min(to, len(d.refused)); k++ {
		for _, c := range d.refused[k] {
			if c.reason != core.DeadlineExceeded {
				add(&all, c)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b reasonCount) int {
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.reason, b.reason))
	})
	return all
}
