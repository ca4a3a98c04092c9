package slo

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/seakeep/seakeep/core"
)

// stateVersion begins every state, so that another form can be told from this.
const stateVersion = 1

// errState is the error of what is no state, or is cut off.
var errState = errors.New("slo: this is no state of an objective")

// State returns what was counted, for Restore in another process. It is at most
// about 40 KiB, and much less where little happens.
func (s *SLO) State(now core.Instant) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &s.m
	m.turn(s.clamp(now))
	m.put()
	b := []byte{stateVersion}
	for _, v := range []int64{int64(m.since), int64(s.last), int64(m.level), int64(m.begin)} {
		b = binary.AppendVarint(b, v)
	}
	for _, v := range []uint64{m.excluded, m.calendar.Bad, m.calendar.Total} {
		b = binary.AppendUvarint(b, v)
	}
	for i := range m.rings {
		b = m.rings[i].append(b)
	}
	return b
}

// append writes the slices that have something, each by its distance to the one
// before.
func (r *ring) append(b []byte) []byte {
	n := uint64(0)
	r.each(func(slice) { n++ })
	b = binary.AppendUvarint(b, uint64(r.width))
	b = binary.AppendUvarint(b, n)
	last := int64(0)
	r.each(func(s slice) {
		b = binary.AppendVarint(b, s.number-last)
		b = binary.AppendUvarint(b, s.Bad)
		b = binary.AppendUvarint(b, s.Total)
		last = s.number
	})
	return b
}

// Restore adds what State has returned to an objective that was just made, whose
// settings may be others. It changes nothing if it returns an error. A state
// from the future, as after the clock was put back, has its end count as now.
func (s *SLO) Restore(state []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := reader{rest: state}
	if r.byte() != stateVersion {
		return errState
	}
	since, last := core.Instant(r.signed()), core.Instant(r.signed())
	level, begin := r.signed(), core.Instant(r.signed())
	excluded := r.unsigned()
	calendar := Counts{r.unsigned(), r.unsigned()}
	var kept [rings]ring
	for i := range kept {
		kept[i] = r.ring()
	}
	if r.bad || len(r.rest) > 0 || since > last || calendar.Bad > calendar.Total {
		return errState
	}
	m := &s.m
	now := s.clamp(last)
	m.turn(now)
	m.since = min(m.since, since)
	m.level = min(max(int(level), 0), len(m.cfg.Policy.Steps))
	m.excluded += excluded
	for i := range kept {
		kept[i].each(func(s slice) { m.rings[i].add(kept[i].begins(s), s.Counts) })
	}
	switch {
	case m.cfg.Window.Calendar == Rolling:
	case begin == m.begin:
		m.calendar.add(calendar)
	default: // another window since, or another calendar
		m.calendar.add(m.rings[rings-1].sum(m.begin.Add(-1), now))
	}
	return nil
}

// reader takes a state apart. After the first mistake everything is zero.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) byte() byte {
	if len(r.rest) == 0 {
		r.bad = true
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

func (r *reader) signed() int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *reader) unsigned() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// ring reads one, with as many slices as it has room for.
func (r *reader) ring() ring {
	width, n := r.unsigned(), r.unsigned()
	if width == 0 || width > uint64(maxPeriod) || n > slices {
		r.bad, r.rest = true, nil
		return ring{}
	}
	out := newRing(time.Duration(width), slices)
	number := int64(0)
	for range n {
		number += r.signed()
		s := slice{number, Counts{r.unsigned(), r.unsigned()}}
		if r.bad || s.Bad > s.Total || number > int64(core.Never)/int64(width) {
			r.bad, r.rest = true, nil
			return ring{}
		}
		*out.at(number) = s
	}
	return out
}
