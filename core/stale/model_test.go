package stale

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// model is what a cache promises, written without any regard to cost: a slice
// in the order of use, searched from end to end.
type model struct {
	cfg     Config
	entries []modelEntry // the first was used last
	count   counters
}

type modelEntry struct {
	key            string
	value          any
	cost           int64
	stored, leased core.Instant
}

func (m *model) life() time.Duration { return max(m.cfg.Fresh, m.cfg.Stale) }

// take removes and returns the key's entry, if there is one.
func (m *model) take(key string) (e modelEntry, ok bool) {
	for i, e := range m.entries {
		if e.key == key {
			m.entries = append(m.entries[:i:i], m.entries[i+1:]...)
			return e, true
		}
	}
	return e, false
}

func (m *model) put(e modelEntry) { m.entries = append([]modelEntry{e}, m.entries...) }

func (m *model) bytes() (n int64) {
	for _, e := range m.entries {
		n += e.cost
	}
	return n
}

func (m *model) evict() {
	for len(m.entries) > m.cfg.Entries || m.bytes() > m.cfg.Bytes {
		m.entries = m.entries[:len(m.entries)-1]
		m.count.evicted++
	}
}

func (m *model) lookup(now core.Instant, key string) (any, time.Duration, Status) {
	e, ok := m.take(key)
	age := now.Sub(e.stored)
	if !ok || age >= m.life() {
		m.count.misses++
		return nil, 0, Miss
	}
	m.put(e)
	if age < m.cfg.Fresh {
		m.count.fresh++
		return e.value, age, Fresh
	}
	m.count.stale++
	return e.value, age, Stale
}

func (m *model) store(now core.Instant, key string, v any, size int64) {
	cost := size + int64(len(key))
	if cost > m.cfg.Bytes {
		m.count.tooLarge++
		return
	}
	m.count.stored++
	old, ok := m.take(key)
	if !ok {
		old.leased = now
	}
	m.put(modelEntry{key, v, cost, now, old.leased})
	m.evict()
	for n := len(m.entries); now.Sub(m.entries[n-1].stored) >= m.life(); n-- {
		m.entries = m.entries[:n-1]
	}
}

func (m *model) lease(now core.Instant, key string) bool {
	for i := range m.entries {
		e := &m.entries[i]
		if e.key != key {
			continue
		}
		age := now.Sub(e.stored)
		if age >= m.life() {
			m.take(key)
			return true
		}
		if age < m.cfg.Fresh || e.leased > now {
			return false
		}
		e.leased = now.Add(leaseFor)
		return true
	}
	return true
}

func (m *model) done(now core.Instant, key string) {
	for i := range m.entries {
		if m.entries[i].key == key {
			m.entries[i].leased = now
		}
	}
}

// pair is a cache and its model, driven together.
type pair struct {
	c     *Cache
	model model
	now   core.Instant
	next  int
}

func newPair(c Config) *pair {
	return &pair{c: must(c), model: model{cfg: c.withDefaults()}}
}

// step does one thing chosen by the two bytes and returns in what the cache
// and the model differ, or "".
func (p *pair) step(kind, arg byte) string {
	m := &p.model
	key := string("kkkkkk"[:arg%6+1])
	switch kind % 8 {
	case 0, 1:
		v, age, s := p.c.Lookup(p.now, key)
		wantV, wantAge, wantS := m.lookup(p.now, key)
		if v != wantV || age != wantAge || s != wantS {
			return fmt.Sprintf("Lookup %s: %v %v %v, want %v %v %v", key, v, age, s, wantV, wantAge, wantS)
		}
	case 2, 3:
		p.next++
		p.c.Store(p.now, key, p.next, int64(arg/6))
		m.store(p.now, key, p.next, int64(arg/6))
	case 4:
		if got, want := p.c.Lease(p.now, key), m.lease(p.now, key); got != want {
			return fmt.Sprintf("Lease %s: %v, want %v", key, got, want)
		}
	case 5:
		p.c.Done(p.now, key)
		m.done(p.now, key)
	case 6:
		p.now = p.now.Add(time.Duration(arg) * 50 * time.Millisecond)
	case 7:
		return p.rare(arg, key)
	}
	return p.compare()
}

func (p *pair) rare(arg byte, key string) string {
	m := &p.model
	if arg%2 == 0 {
		p.c.Remove(key)
		m.take(key)
		return p.compare()
	}
	m.cfg.Stale = m.cfg.Fresh + time.Duration(arg)*100*time.Millisecond
	m.cfg.Entries = 1 + int(arg%5)
	m.evict()
	if err := p.c.Reconfigure(p.now, m.cfg); err != nil {
		return err.Error()
	}
	return p.compare()
}

func (p *pair) compare() string {
	m, real := &p.model, &p.c.m
	if real.count != m.count || real.bytes != m.bytes() || len(real.entries) != len(m.entries) {
		return fmt.Sprintf("%d entries, %d bytes, %+v; want %d, %d, %+v", len(real.entries), real.bytes,
			real.count, len(m.entries), m.bytes(), m.count)
	}
	e := real.used.next
	for i, want := range m.entries {
		if e.key != want.key || e.stored != want.stored || real.entries[e.key] != e {
			return fmt.Sprintf("place %d of the order of use: %q stored at %d, want %q at %d",
				i, e.key, e.stored, want.key, want.stored)
		}
		e = e.next
	}
	if e != &real.used {
		return "the order of use does not close"
	}
	return ""
}

func TestRandomLivesAgreeWithTheModel(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := newPair(Config{
			Fresh:   time.Duration(r.IntN(3)) * time.Second,
			Stale:   time.Duration(2+r.IntN(20)) * time.Second,
			Entries: r.IntN(6), Bytes: int64(r.IntN(90)),
		})
		for i := range 400 {
			if d := p.step(byte(r.IntN(256)), byte(r.IntN(256))); d != "" {
				t.Fatalf("seed %d, step %d: %s", seed, i, d)
			}
		}
	}
}

func FuzzAgainstTheModel(f *testing.F) {
	f.Add([]byte("\x02\x10\x03\x20\x02\x09\x00\x01\x00\x02\x06\xff\x04\x01\x05\x01"))
	f.Add([]byte("\x05\x02\x33\x02\x34\x02\x35\x07\x01\x07\x02\x00\x03"))
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) == 0 || len(in) > 1000 {
			return
		}
		p := newPair(Config{Fresh: time.Second, Stale: 9 * time.Second, Entries: 4, Bytes: int64(in[0])})
		for i := 1; i+1 < len(in); i += 2 {
			if d := p.step(in[i], in[i+1]); d != "" {
				t.Fatalf("step %d: %s", i/2, d)
			}
		}
	})
}
