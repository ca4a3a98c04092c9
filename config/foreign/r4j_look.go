package foreign

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// view is an instance as it is in effect: its own settings, and beneath them
// those of the configurations it is based on.
type view []*group

// look returns the view of an instance of a module, or nil if there is none.
func (r *r4j) look(key, name string) view {
	m := r.modules[key]
	if m == nil {
		return nil
	}
	g := m.instances[name]
	if g == nil && len(m.names) == 0 && name == fallbackConfig {
		g = m.configs[fallbackConfig]
	}
	var v view
	for seen := map[*group]bool{}; g != nil; {
		seen[g] = true
		v = append(v, g)
		next := m.base(g, key == "circuitbreaker", len(v) == 1)
		if seen[next] {
			break
		}
		g = next
	}
	return v
}

// base returns what a group is based on: the configuration it names, or else
// the default one. A circuit breaker's shared configuration is based on none
// that it does not name.
func (m *module) base(g *group, breaker, first bool) *group {
	if p := g.props["baseconfig"]; p != nil {
		to := m.configs[p.n.text]
		if to == nil || to == g {
			p.n.drop("there is no such configuration, and Resilience4j does not start")
			return nil
		}
		p.n.note(Mapped, target{}, "its settings are written out where it is used")
		return to
	}
	if breaker && !first {
		return nil
	}
	if direct := m.configs[g.name]; breaker && direct != nil && direct != g {
		return direct
	}
	return m.configs[fallbackConfig]
}

// get returns a setting in effect, or nil.
func (v view) get(key string) *value {
	for _, g := range v {
		if p := g.props[fold(key)]; p != nil && p.n.kind == scalar {
			text, note := fillIn(strings.TrimSpace(p.n.text))
			return &value{n: p.n, text: text, note: note}
		}
	}
	return nil
}

// value is the text of a setting, placeholders filled in.
type value struct {
	n    *node
	text string
	note string
}

var placeholder = regexp.MustCompile(`^\$\{[^:{}]*:([^{}]*)\}$`)

// fillIn replaces a placeholder by its default.
func fillIn(text string) (filled, note string) {
	if m := placeholder.FindStringSubmatch(text); m != nil {
		return m[1], "the placeholder's default"
	}
	return text, ""
}

// origin says where the value comes from, with a difference told or none.
func (v *value) origin(notes ...string) origin {
	o := (origin{n: v.n}).differing(v.note)
	for _, note := range notes {
		o = o.differing(note)
	}
	return o
}

// mark settles a value that is not written by itself. There may be none.
func (v *value) mark(to target, notes ...string) {
	if v != nil {
		v.origin(notes...).marks(to)
	}
}

// bad drops a value that cannot be read.
func (v *value) bad(want string) {
	if strings.Contains(v.text, "${") {
		v.n.drop("a placeholder without a default; fill it in and import again")
		return
	}
	v.n.drop("not " + want)
}

// time returns a setting as a time. Unless it is there and can be read, it is
// the default, and the value nil.
func (v view) time(key string, byDefault time.Duration) (time.Duration, *value) {
	s := v.get(key)
	if s == nil {
		return byDefault, nil
	}
	d, ok := parseSpringTime(s.text)
	if !ok {
		s.bad("a time such as 500ms")
		return byDefault, nil
	}
	return d, s
}

// count is time for a whole number, percent for a number, and flag for a truth.
func (v view) count(key string, byDefault int64) (int64, *value) {
	s := v.get(key)
	if s == nil {
		return byDefault, nil
	}
	n, ok := parseCount(s.text)
	if !ok {
		s.bad("a whole number")
		return byDefault, nil
	}
	return n, s
}

func (v view) number(key string, byDefault float64) (float64, *value) {
	s := v.get(key)
	if s == nil {
		return byDefault, nil
	}
	n, ok := parseNumber(s.text)
	if !ok {
		s.bad("a number")
		return byDefault, nil
	}
	return n, s
}

func (v view) flag(key string) (bool, *value) {
	s := v.get(key)
	if s == nil {
		return false, nil
	}
	on, ok := truth(s.text)
	if !ok {
		s.bad("true or false")
		return false, nil
	}
	return on, s
}

const byDefault = "Resilience4j's default"

// set writes a value that comes from s, or is Resilience4j's default.
func (b *block) set(key, text string, s *value, notes ...string) {
	if s == nil {
		why := byDefault
		for _, note := range notes {
			if note != "" {
				why += "; " + note
			}
		}
		b.fill(key, text, why)
		return
	}
	b.put(key, text, s.origin(notes...))
}

var (
	simpleTime = regexp.MustCompile(`^([0-9]{1,15})(ns|us|ms|s|m|h|d)?$`)
	isoTime    = regexp.MustCompile(`^P(?:([0-9]{1,9})D)?(?:T(?:([0-9]{1,9})H)?` +
		`(?:([0-9]{1,9})M)?(?:([0-9]{1,9})(\.[0-9]{1,9})?S)?)?$`)
)

// parseSpringTime reads a time as Spring Boot does: 500ms, PT0.5S, or a bare
// number of milliseconds. More than a year comes out as somewhat more than a
// year.
func parseSpringTime(text string) (time.Duration, bool) {
	units := map[string]float64{"ns": 1, "us": 1e3, "ms": 1e6, "": 1e6, "s": 1e9, "m": 60e9,
		"h": 3600e9, "d": 86400e9}
	nanos := 0.0
	add := func(number, unit string) {
		if v, err := strconv.ParseFloat(number, 64); err == nil {
			nanos += v * units[unit]
		}
	}
	lower := strings.ToLower(text)
	if m := simpleTime.FindStringSubmatch(lower); m != nil {
		add(m[1], m[2])
	} else if m := isoTime.FindStringSubmatch(strings.ToUpper(text)); m != nil && len(text) > 2 {
		add(m[1], "d")
		add(m[2], "h")
		add(m[3], "m")
		add(m[4]+m[5], "s")
	} else {
		return 0, false
	}
	if nanos > float64(longest) {
		return longest + time.Second, true
	}
	return time.Duration(math.Round(nanos)), true
}
