package overload

import "time"

// Of what users ask in a second, so much must be answered.
const (
	collapsed = 0.5  // with less it is down
	well      = 0.95 // with as much it is as it should be
	steadily  = 3    // seconds, one after the other, until it counts as well again
)

// life is when a program went down and came back, in seconds since the run
// began; nil: it never did.
type life struct {
	Collapse *int `json:"collapse_s"`
	Recovery *int `json:"recovery_s"`
}

// lifeOf reads it from what became of the requests of each second. A program
// that went down more than once counts as back when it was for the last time.
func lifeOf(seconds []second) (l life) {
	last := -1
	for i, s := range seconds {
		if s.offered > 0 && float64(s.served) < collapsed*float64(s.offered) {
			if last = i; l.Collapse == nil {
				first := i
				l.Collapse = &first
			}
		}
	}
	if last < 0 {
		return l
	}
	good := 0
	for i := last + 1; i < len(seconds); i++ {
		if s := seconds[i]; s.offered > 0 && float64(s.served) >= well*float64(s.offered) {
			good++
		} else {
			good = 0
		}
		if good == steadily {
			back := i + 1 - steadily
			l.Recovery = &back
			break
		}
	}
	return l
}

// down reports whether the program is down in the end.
func (l life) down() bool { return l.Collapse != nil && l.Recovery == nil }

// goodput returns the answered requests of each second.
func goodput(seconds []second) []uint64 {
	all := make([]uint64, len(seconds))
	for i, s := range seconds {
		all[i] = s.served
	}
	return all
}

// during returns the seconds of a run that was ended after a time.
func during(seconds []second, ran time.Duration) []second {
	return seconds[:min(len(seconds), int(ran/time.Second))]
}
