package top

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
)

// order is what the wall is sorted by.
type order int

const (
	byWorst order = iota
	byRate
	bySuccess
	byLatency
	byName
	orders
)

func (o order) String() string {
	return [...]string{"worst first", "rate", "success", "p99", "name"}[o]
}

const noConnection = "NO CONNECTION"

// keptEvents is how many of the latest changes are shown at most.
const keptEvents = 8

// screen is what is shown.
type screen struct {
	base     string
	snapshot *schema.Snapshot // nil: none has come yet
	events   []schema.Event
	lost     error // nil: connected
	lostAt   time.Time
	order    order
	filter   string
	typing   bool // of the filter
	color    bool
}

// hear takes what the stream says.
func (s *screen) hear(n news, now time.Time) {
	switch {
	case n.lost != nil:
		if s.lost == nil {
			s.lostAt = now
		}
		s.lost = n.lost
	case n.snapshot != nil:
		s.snapshot, s.lost = n.snapshot, nil
	case n.event != nil:
		s.events = append(s.events, *n.event)
		if len(s.events) > keptEvents {
			s.events = s.events[1:]
		}
	}
}

// press takes a key, and reports false if it ends the program.
func (s *screen) press(key rune) bool {
	const backspace, del, escape, enter, newline, interrupt = 8, 127, 27, '\r', '\n', 3
	if key == interrupt {
		return false
	}
	if s.typing {
		switch key {
		case escape:
			s.filter, s.typing = "", false
		case enter, newline:
			s.typing = false
		case backspace, del:
			if _, size := utf8.DecodeLastRuneInString(s.filter); size > 0 {
				s.filter = s.filter[:len(s.filter)-size]
			}
		default:
			if unicode.IsPrint(key) && len(s.filter) < 63 {
				s.filter += string(key)
			}
		}
		return true
	}
	switch key {
	case 'q', 'Q':
		return false
	case 's':
		s.order = (s.order + 1) % orders
	case 'S':
		s.order = (s.order + orders - 1) % orders
	case '/':
		s.typing, s.filter = true, ""
	case escape:
		s.filter = ""
	}
	return true
}

// chosen are the dependencies that the filter leaves, in order. Those without the
// figure that they are sorted by come last.
func (s *screen) chosen() []schema.Dependency {
	var all []schema.Dependency
	for _, d := range s.snapshot.Dependencies {
		if strings.Contains(strings.ToLower(d.Name), strings.ToLower(s.filter)) {
			all = append(all, d)
		}
	}
	schema.WorstFirst(all)
	key := func(d *schema.Dependency) float64 {
		switch s.order {
		case byRate:
			return -d.Rate
		case bySuccess:
			if d.Success == nil {
				return 2
			}
			return *d.Success
		case byLatency:
			if d.Latency != nil {
				return -d.Latency.P99MS
			}
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b schema.Dependency) int {
		if s.order == byName {
			return cmp.Compare(a.Name, b.Name)
		}
		return cmp.Compare(key(&a), key(&b))
	})
	return all
}

// wall is the table of dependencies.
func (s *screen) wall() []string {
	all := s.chosen()
	rows := [][]string{headings}
	for i := range all {
		rows = append(rows, cells(&all[i]))
	}
	return table(rows)
}

// lines draws the whole screen for a terminal of a size.
func (s *screen) lines(width, height int, now time.Time) []string {
	head := s.base
	if s.snapshot != nil {
		head = clean(s.snapshot.Service) + " at " + s.base
		if !s.snapshot.Ready {
			head += ", draining"
		}
	}
	all := []string{head}
	switch {
	case s.lost != nil:
		all = append(all, fmt.Sprintf("%s for %v, trying again: %s", noConnection,
			now.Sub(s.lostAt).Round(time.Second), clean(s.lost.Error())))
	case s.snapshot == nil:
		all = append(all, "connecting")
	default:
		all = append(all, fmt.Sprintf("the last %s; %s", schema.MS(s.snapshot.WindowMS), s.order))
	}
	foot := []string{"q quit   s sort   / filter"}
	if s.typing || s.filter != "" {
		foot[0] += "   filter: " + s.filter
	}
	if s.snapshot == nil {
		return fit(append(all, foot...), width)
	}
	if s.snapshot.Serve != nil {
		all = append(all, door(s.snapshot.Serve))
	}
	wall := s.wall()
	if room := max(height-len(all)-len(foot)-min(len(s.events), 3)-2, 2); len(wall) > room {
		more := len(wall) - room + 1
		wall = append(wall[:room-1], fmt.Sprintf("and %d more", more))
	}
	all = append(append(append(all, ""), wall...), "")
	for i := max(0, len(s.events)-max(height-len(all)-len(foot), 0)); i < len(s.events); i++ {
		all = append(all, sentence(&s.events[i]))
	}
	all = fit(append(all, foot...), width)
	for i, line := range all {
		switch {
		case strings.HasPrefix(line, "! "):
			all[i] = s.paint("1;31", line)
		case i == 1 && s.lost != nil:
			all[i] = s.paint("7", line)
		}
	}
	return all
}

func (s *screen) paint(how, text string) string {
	if !s.color {
		return text
	}
	return "\x1b[" + how + "m" + text + "\x1b[0m"
}

// fit cuts lines that are too wide.
func fit(lines []string, width int) []string {
	for i, line := range lines {
		if width > 0 && utf8.RuneCountInString(line) > width {
			lines[i] = string([]rune(line)[:width])
		}
	}
	return lines
}
