package config

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/slo"
)

var (
	periods    = kind[time.Duration]{"a time", parsePeriod, showPeriod, true}
	periodForm = regexp.MustCompile(`^(?:([0-9]+)w)?(?:([0-9]+)d)?(.*)$`)
	zoneForm   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$`)
)

// parsePeriod reads a time that may be in weeks and days: 30d, 4w, 1d12h. Only
// windows have them, because a day of anything else is seldom meant.
func parsePeriod(text string) (time.Duration, string) {
	m := periodForm.FindStringSubmatch(text)
	if m == nil || m[1] == "" && m[2] == "" {
		return parseDuration(text)
	}
	total := time.Duration(0)
	for i, unit := range []time.Duration{7 * day, day} {
		if m[i+1] == "" {
			continue
		}
		n, err := strconv.ParseInt(m[i+1], 10, 32)
		if err != nil || time.Duration(n) > longest/unit {
			return 0, "is longer than a year (" + showDuration(longest) + ")"
		}
		total += time.Duration(n) * unit
	}
	if m[3] != "" {
		rest, problem := parseDuration(m[3])
		if problem != "" {
			return 0, "is not a time"
		}
		total += rest
	}
	return total, ""
}

// showPeriod writes whole days as days.
func showPeriod(d time.Duration) string {
	if d >= day && d%day == 0 {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	return showDuration(d)
}

func (o *object) period(key string, out *time.Duration, l limits[time.Duration]) {
	read(o, key, out, periods, l)
}

// sloWindow reads a bare time for a rolling window, or a section for a calendar.
func (o *object) sloWindow(w *slo.Window) {
	f := o.find("window")
	w.Period = 30 * day
	if f == nil || f.node.Kind != yaml.MappingNode {
		o.period("window", &w.Period, within(time.Hour, 93*day, "30d"))
		return
	}
	w.Period = 0
	s := o.section("window", "a time such as 30d, or a section such as {calendar: month}")
	defer s.close()
	s.require("calendar", "week, month or quarter")
	choose(s, "calendar", &w.Calendar, option[slo.Calendar]{"week", slo.Week},
		option[slo.Calendar]{"month", slo.Month}, option[slo.Calendar]{"quarter", slo.Quarter})
	zone := "UTC"
	at := s.text("zone", &zone, zoneForm, "a time zone such as Europe/Berlin")
	s.note("zone", at, zone)
	loc, err := time.LoadLocation(zone)
	if err != nil || zone == "Local" {
		at.fail(quote(at.node)+" is no time zone that is known here", "give one such as Europe/Berlin")
		return
	}
	if zone != "UTC" {
		w.Zone = loc
	}
}

// sloAlerts reads the pairs of windows that are watched; the usual ones, if the
// file says nothing.
func (o *object) sloAlerts(c *slo.Config) {
	f := o.find("alerts")
	if f.is(off) {
		o.note("alerts", f, "off")
		return
	}
	s := o.section("alerts", "a section such as {min-events: 100}, or "+off)
	defer s.close()
	events, bad := 10, 2
	s.integer("min-events", &events, within(1, 1_000_000_000, "10"))
	s.integer("min-errors", &bad, within(1, 1_000_000_000, "2"))
	c.Guard = slo.Guard{Events: uint64(events), Bad: uint64(bad)}
	list := s.find("pairs")
	if list == nil {
		c.Alerts = c.Window.Pairs()
		s.note("pairs", nil, showPairs(c.Alerts))
		return
	}
	for _, item := range list.items("pairs such as [{share: 2%, window: 1h}]") {
		p := objectOf(item, "a section such as {share: 2%, window: 1h, page: true}")
		var pair slo.Pair
		p.require("share", "the share of the budget that is spent when it fires, such as 2%")
		p.share("share", &pair.Share, some("2%"))
		p.require("window", "the time in which it is spent, such as 1h")
		p.period("window", &pair.Long, within(time.Minute, 93*day, "1h"))
		pair.Short = pair.Long / 12
		p.period("short", &pair.Short, within(5*time.Second, 93*day, "5m"))
		p.boolean("page", &pair.Page)
		p.close()
		c.Alerts = append(c.Alerts, pair)
	}
}

// showPairs lists pairs as their shares and windows.
func showPairs(pairs []slo.Pair) string {
	var all []string
	for _, p := range pairs {
		all = append(all, showShare(p.Share)+" in "+showPeriod(p.Long))
	}
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, ", ")
}

// maintenance reads the times that do not count.
func (o *object) maintenance(c *slo.Config) {
	f := o.find("maintenance")
	if f == nil {
		o.note("maintenance", nil, "none")
		return
	}
	const example = "times such as [{from: 2026-12-24T20:00:00Z, for: 2h}]"
	for _, item := range f.items(example) {
		s := objectOf(item, "a section such as {from: 2026-12-24T20:00:00Z, for: 2h}")
		from, length := "", time.Duration(0)
		at := s.require("from", "a time such as 2026-12-24T20:00:00Z")
		if at != nil {
			from = at.node.Value // which YAML takes for a time, and textOf for no text
		}
		begin, err := time.Parse(time.RFC3339, from)
		if at != nil && (err != nil || begin.Year() < 1970 || begin.Year() > 2200) {
			at.fail(quote(at.node)+" is no time of a day", "give one such as 2026-12-24T20:00:00Z")
		}
		s.note("from", at, from)
		s.require("for", "how long it lasts, such as 2h")
		s.period("for", &length, within(time.Second, 93*day, "2h"))
		s.close()
		start := core.Instant(begin.UnixNano())
		c.Maintenance = append(c.Maintenance, slo.Span{From: start, To: start.Add(length)})
	}
}

// sloPolicy reads what happens as the budget shrinks: a list of steps, or a
// section with the list in it.
func (o *object) sloPolicy(c *slo.Config, file *File) {
	f := o.find("policy")
	if f == nil || f.is(off) {
		o.note("policy", f, "off")
		return
	}
	const example = "steps such as [{left: 20%, freeze-drills: true}]"
	s := o.short("policy", "steps", "a list of "+example+", or a section, or "+off)
	defer s.close()
	c.Policy.Back = 0.05
	s.share("back", &c.Policy.Back, within(0.001, 1, "5%"))
	list := s.require("steps", example)
	if list == nil {
		return
	}
	for _, item := range list.items(example) {
		p := objectOf(item, "a section such as {left: 20%, freeze-drills: true}")
		step := slo.Step{Spare: 1}
		p.require("left", "the share of the budget that is left, such as 20%, or 0% when it is spent")
		p.share("left", &step.Left, within(0, 0.99, "20%"))
		p.boolean("freeze-drills", &step.Freeze)
		p.share("retries", &step.Spare, within(0.001, 1, "50%"))
		p.integer("degrade", &step.Level, within(0, 64, "1"))
		p.close()
		if most := features(file); step.Level > most {
			p.refuse("degrade", strconv.Itoa(step.Level)+" features are more than serve.degrade has, "+
				strconv.Itoa(most), "give fewer, or name more there")
		}
		c.Policy.Steps = append(c.Policy.Steps, step)
	}
}

// features is how many can be left out.
func features(file *File) int {
	if file.Serve == nil || file.Serve.Door.Degrade == nil {
		return 0
	}
	return len(file.Serve.Door.Degrade.Features)
}
