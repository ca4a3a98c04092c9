package slo

import (
	"time"

	"github.com/seakeep/seakeep/core"
)

// machine is the objective without its lock. It never reads a clock; now may
// repeat but, seen from here, never goes back, because SLO clamps it.
type machine struct {
	cfg   Config // filled
	rings [rings]ring
	open  slice        // the finest slice of now, which no ring has yet
	until core.Instant // its end

	begin    core.Instant // calendar: of the window of now
	end      core.Instant
	calendar Counts // in that window

	since    core.Instant // when counting began
	excluded uint64       // events in maintenance
	firing   []bool       // of each alert
	level    int          // steps of the policy that are taken
	seq      uint64       // changes
}

func newMachine(now core.Instant, c Config) machine {
	m := machine{since: now}
	m.configure(c)
	m.open.number = never
	m.turn(now)
	return m
}

// configure takes over settings. The ring of another period gets what the old
// one has.
func (m *machine) configure(c Config) {
	m.cfg = c.Filled()
	for i, w := range widths {
		if m.rings[i].width == 0 {
			m.rings[i] = newRing(w, slices)
		}
	}
	if w := widthFor(m.cfg.Window.Length()); m.rings[rings-1].width != w {
		old := m.rings[rings-1]
		m.rings[rings-1] = newRing(w, slices)
		old.each(func(s slice) { m.rings[rings-1].add(old.begins(s), s.Counts) })
	}
	m.firing = make([]bool, len(m.cfg.Alerts))
	m.level = min(m.level, len(m.cfg.Policy.Steps))
}

// reconfigure changes the settings of an objective in use. A calendar window
// that was none begins with what the ring has of it.
func (m *machine) reconfigure(now core.Instant, c Config) {
	m.turn(now)
	m.put()
	old := m.cfg.Window
	m.configure(c)
	w := m.cfg.Window
	if w.Calendar == Rolling || w.Calendar == old.Calendar && zoneName(w) == zoneName(old) {
		return
	}
	m.begin, m.end = w.Bounds(now)
	m.calendar = m.rings[rings-1].sum(m.begin.Add(-1), now)
}

// widthFor is a 720th of the period, rounded up to whole finest slices.
func widthFor(period time.Duration) time.Duration {
	w := period / slices
	if over := w % finest; over > 0 {
		w += finest - over
	}
	return max(w, finest)
}

// turn puts what was open away once its time is over, and begins a calendar
// window anew.
func (m *machine) turn(now core.Instant) {
	if now >= m.until || m.open.number == never {
		m.put()
		m.open = slice{number: numberOf(now, finest)}
		m.until = core.Instant((m.open.number + 1) * int64(finest))
	}
	if m.cfg.Window.Calendar != Rolling && now >= m.end {
		m.begin, m.end = m.cfg.Window.Bounds(now)
		m.calendar = Counts{}
	}
}

// put moves what is open into the rings.
func (m *machine) put() {
	if m.open.Total == 0 {
		return
	}
	for i := range m.rings {
		m.rings[i].add(core.Instant(m.open.number*int64(finest)), m.open.Counts)
	}
	m.open.Counts = Counts{}
}

// add counts events of now.
func (m *machine) add(now core.Instant, c Counts) {
	m.turn(now)
	for _, s := range m.cfg.Maintenance {
		if now >= s.From && now < s.To {
			m.excluded += c.Total
			return
		}
	}
	m.open.add(c)
	if m.cfg.Window.Calendar != Rolling {
		m.calendar.add(c)
	}
}

// over returns what happened in the last d.
func (m *machine) over(now core.Instant, d time.Duration) Counts {
	m.turn(now)
	r := &m.rings[rings-1]
	for i := range m.rings {
		if len(m.rings[i].slices)*int(m.rings[i].width) >= int(d) {
			r = &m.rings[i]
			break
		}
	}
	c := r.sum(now.Add(-d), now)
	c.add(m.open.Counts)
	return c
}

// period returns what the budget is measured by.
func (m *machine) period(now core.Instant) Counts {
	m.turn(now)
	if m.cfg.Window.Calendar != Rolling {
		return m.calendar
	}
	return m.over(now, m.cfg.Window.Length())
}

// burn is how many times too fast the budget is spent. Without events it is 0.
func (m *machine) burn(c Counts) float64 {
	ratio, _ := c.Ratio()
	return ratio / m.cfg.Budget()
}

// left returns what is left of the budget: by the events that were, and by
// those that a whole period will have had.
func (m *machine) left(now core.Instant, c Counts) (byEvents, ofPeriod float64) {
	if c.Total == 0 {
		return 1, 1
	}
	used := m.burn(c)
	begin, length := max(m.since, now.Add(-m.cfg.Window.Length())), m.cfg.Window.Length()
	if m.cfg.Window.Calendar != Rolling {
		begin, length = max(m.since, m.begin), m.end.Sub(m.begin)
	}
	// With less than a slice there is no rate to go by.
	seen := min(max(now.Sub(begin), finest), length)
	return 1 - used, 1 - used*float64(seen)/float64(length)
}

// judge returns the burn of a pair's windows, and whether its alert fires.
func (m *machine) judge(now core.Instant, p Pair) Burn {
	b := Burn{Pair: p, Factor: m.cfg.Factor(p), LongCounts: m.over(now, p.Long),
		ShortCounts: m.over(now, p.Short)}
	b.Long, b.Short = m.burn(b.LongCounts), m.burn(b.ShortCounts)
	enough := b.LongCounts.Total >= m.cfg.Guard.Events && b.LongCounts.Bad >= m.cfg.Guard.Bad
	b.Firing = enough && b.Long > b.Factor && b.Short > b.Factor
	return b
}

// sweep looks at what time and events have changed.
func (m *machine) sweep(now core.Instant) (changes []Change) {
	for i, p := range m.cfg.Alerts {
		b := m.judge(now, p)
		if b.Firing == m.firing[i] {
			continue
		}
		m.firing[i] = b.Firing
		changes = append(changes, m.change(Change{Alert: true, Burn: b}))
	}
	_, left := m.left(now, m.period(now))
	level := m.levelAt(left)
	if level != m.level {
		ch := Change{From: m.level, To: level, Left: left}
		m.level = level
		changes = append(changes, m.change(ch))
	}
	return changes
}

func (m *machine) change(ch Change) Change {
	m.seq++
	ch.Seq = m.seq
	return ch
}

// levelAt is how many steps are taken with so much left. One that is taken is
// given back only clearly above where it begins.
func (m *machine) levelAt(left float64) int {
	level := 0
	for i, s := range m.cfg.Policy.Steps {
		if left <= s.Left || i < m.level && left < s.Left+m.cfg.Policy.Back {
			level = i + 1
		}
	}
	return level
}

// acts returns what the steps taken ask for together.
func (m *machine) acts() (s Step) {
	s.Spare = 1
	for _, step := range m.cfg.Policy.Steps[:m.level] {
		s.Left = step.Left
		s.Freeze = s.Freeze || step.Freeze
		s.Level = max(s.Level, step.Level)
		if step.Spare > 0 {
			s.Spare = min(s.Spare, step.Spare)
		}
	}
	return s
}

// curve is what was left at so many times since the window, or the counting,
// began.
func (m *machine) curve(now core.Instant, points int) (begin core.Instant, left []float64) {
	total := m.period(now)
	r := &m.rings[rings-1]
	begin, _ = m.cfg.Window.Bounds(now)
	from := begin // its slice has left the window, or belongs to it
	if m.since >= begin || m.cfg.Window.Calendar != Rolling {
		begin = max(begin, m.since)
		from = begin.Add(-r.width)
	}
	left = make([]float64, points)
	for i := range left {
		part := float64(i) / float64(points-1)
		c := r.sum(from, begin.Add(time.Duration(float64(now.Sub(begin))*part)))
		left[i] = 1 - m.burn(Counts{min(c.Bad, total.Bad), total.Total})
	}
	left[0] = 1
	left[points-1], _ = m.left(now, total)
	return begin, left
}
