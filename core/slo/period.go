package slo

import (
	"fmt"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Window is the time that an objective holds over. The zero Window is a rolling
// one of 30 days.
type Window struct {
	// Calendar has the window begin anew with each week, month or quarter.
	// Rolling, the zero value, has it end now.
	Calendar Calendar

	// Period is the length of a rolling window, from 1h to 93 days. 0 is 30
	// days, the usual one. It is 0 for a calendar window.
	Period time.Duration

	// Zone is where the calendar hangs; nil is UTC.
	Zone *time.Location
}

// Calendar says when a window begins anew.
type Calendar uint8

const (
	// Rolling windows never begin anew.
	Rolling Calendar = iota
	// Week begins on Mondays.
	Week
	// Month begins on its first day.
	Month
	// Quarter begins in January, April, July and October.
	Quarter
)

var calendarNames = [...]string{"rolling", "week", "month", "quarter"}

// String returns the calendar's name in lower case.
func (c Calendar) String() string {
	if int(c) < len(calendarNames) {
		return calendarNames[c]
	}
	return "invalid"
}

const (
	day           = 24 * time.Hour
	defaultPeriod = 30 * day
)

// lengths are what alerts take a calendar window to last: their factors must not
// change with the month.
var lengths = [...]time.Duration{Week: 7 * day, Month: 30 * day, Quarter: 91 * day}

// Length returns how long the window is; of a calendar window, how long one is
// taken to be: 7, 30 or 91 days.
func (w Window) Length() time.Duration {
	switch {
	case w.Calendar > Rolling && w.Calendar <= Quarter:
		return lengths[w.Calendar]
	case w.Period == 0:
		return defaultPeriod
	}
	return w.Period
}

// usual are the workbook's alerts: 2 % of the budget in an hour and 5 % in six
// page, 10 % in a day and 10 % in three days do not.
var usual = [...]Pair{{Share: 0.02, Long: time.Hour, Page: true},
	{Share: 0.05, Long: 6 * time.Hour, Page: true},
	{Share: 0.1, Long: day}, {Share: 0.1, Long: 3 * day}}

// Pairs returns the usual alerts for an objective over this window, without
// those that would fire although the budget lasts.
func (w Window) Pairs() (pairs []Pair) {
	for _, p := range usual {
		if p.Long <= w.Length() && (Config{Window: w}).Factor(p) >= 1-lasts {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

func (w Window) validate() error {
	switch {
	case w.Calendar > Quarter:
		return fmt.Errorf("Window.Calendar: is %d; give Rolling, Week, Month or Quarter",
			w.Calendar)
	case w.Calendar != Rolling && w.Period != 0 && w.Period != defaultPeriod:
		return fmt.Errorf("Window.Period: a calendar window has none; leave it out")
	case w.Period != 0 && (w.Period < minPeriod || w.Period > maxPeriod):
		return fmt.Errorf("Window.Period: is %v; give a time such as 720h, from %v to %v", w.Period,
			minPeriod, maxPeriod)
	}
	return nil
}

// zoneName is the name of the zone that the calendar hangs in.
func zoneName(w Window) string {
	if w.Zone == nil {
		return time.UTC.String()
	}
	return w.Zone.String()
}

// Bounds returns when the window at now begins and ends. A rolling one ends at
// now.
func (w Window) Bounds(now core.Instant) (begin, end core.Instant) {
	if w.Calendar == Rolling {
		return now.Add(-w.Length()), now
	}
	zone := w.Zone
	if zone == nil {
		zone = time.UTC
	}
	t := time.Unix(0, int64(now)).In(zone)
	year, month, date := t.Date()
	days, months := 0, 0
	switch w.Calendar {
	case Week:
		date -= (int(t.Weekday()) + 6) % 7 // Monday is 0
		days = 7
	case Month:
		date, months = 1, 1
	case Quarter:
		month -= (month - 1) % 3
		date, months = 1, 3
	}
	from := midnight(year, month, date, zone)
	to := midnight(year, month+time.Month(months), date+days, zone)
	return core.Instant(from.UnixNano()), core.Instant(to.UnixNano())
}

// midnight returns when a day begins. Where clocks go forward at midnight it begins
// at one, and time.Date may give eleven on the evening before.
func midnight(year int, month time.Month, date int, zone *time.Location) time.Time {
	t := time.Date(year, month, date, 0, 0, 0, 0, zone)
	if t.Hour() > 12 {
		_, t = t.ZoneBounds()
	}
	return t
}
