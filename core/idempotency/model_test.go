package idempotency

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/seakeep/seakeep/core"
)

// model is the store as one would write it with all the time in the world: a
// list, looked through from front to back, everything brought up to date before
// every step.
type model struct {
	conf    Config
	records []modelRecord
}

type modelRecord struct {
	key, request, owner, answer string
	state                       State
	until                       core.Instant
}

func (m *model) cost() (sum int64) {
	for _, r := range m.records {
		sum += r.cost()
	}
	return sum
}

func (r modelRecord) cost() int64 { return int64(256 + len(r.key) + len(r.owner) + len(r.answer)) }

func (m *model) doubt() core.Instant {
	if m.conf.RunAgainAfter > 0 {
		return core.Instant(m.conf.RunAgainAfter)
	}
	return core.Instant(m.conf.TTL)
}

func (m *model) pass(now core.Instant) {
	var left []modelRecord
	for _, r := range m.records {
		if r.state == Running && r.until <= now {
			r.state = Unknown
			r.until += m.doubt()
		}
		if r.state == Running || r.until > now {
			left = append(left, r)
		}
	}
	m.records = left
}

func (m *model) find(key string) *modelRecord {
	for i := range m.records {
		if m.records[i].key == key {
			return &m.records[i]
		}
	}
	return nil
}

func (m *model) admit(now core.Instant, key, request, owner, instead string) string {
	m.pass(now)
	r := m.find(key)
	fresh := modelRecord{key, request, owner, "", Running, now + core.Instant(m.conf.Longest)}
	switch {
	case r == nil && len(m.records) >= m.conf.Entries, r == nil && m.cost()+fresh.cost() > m.conf.Bytes:
		return "keys-exhausted"
	case r == nil:
		m.records = append(m.records, fresh)
		return "none"
	case r.request != request:
		return "key-reused"
	case r.state == Running:
		return "key-busy"
	case r.state == Done:
		return "key-replayed " + r.answer
	case r.state == NotStored:
		return "key-not-stored"
	case instead != r.owner:
		return "key-unknown"
	}
	*r = fresh
	return "none"
}

func (m *model) report(now core.Instant, key, owner string, end State, answer string) bool {
	m.pass(now)
	r := m.find(key)
	if r == nil || r.owner != owner || r.state != Running && r.state != Unknown {
		return false
	}
	switch end {
	case Fresh:
		r.state, r.until = Done, now // gone when next looked at
		m.pass(now)
		return true
	case Unknown:
		r.state, r.until = Unknown, now+m.doubt()
		return true
	}
	r.state, r.until = end, now+core.Instant(m.conf.TTL)
	if end == Done {
		r.answer = answer
		if int64(len(answer)) > m.conf.EntryBytes || m.cost() > m.conf.Bytes {
			r.state, r.answer = NotStored, ""
		}
	}
	return r.state == end
}

// pair is the store and its model, fed with the same steps.
type pair struct {
	s   *Memory
	m   model
	now core.Instant
}

func newPair(t testing.TB, c Config) *pair {
	return &pair{s: memory(t, c), m: model{conf: c.WithDefaults()}}
}

func memory(t testing.TB, c Config) *Memory {
	t.Helper()
	s, err := NewMemory(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// op is a step: what, to which key, and a number more.
type op struct{ verb, key, n byte }

var ends = [...]State{Done, Done, NotStored, Unknown, Fresh}

// step returns what differs between store and model, or "".
func (p *pair) step(o op) string {
	key := string('k' + o.key%3)
	request, owner := string('a'+o.n%2), fmt.Sprint("r", o.n%4)
	got, want := "", ""
	switch o.verb % 4 {
	case 0: // time passes, at times back
		p.now += core.Instant(o.n%13) - 1
		if p.now < p.s.latest {
			p.now = p.s.latest
		}
		return p.state()
	case 1, 2:
		c := claim(key, request, owner)
		if o.verb%4 == 2 {
			c.Instead = fmt.Sprint("r", (o.n+1)%4)
		}
		r, reason, _ := p.s.Admit(p.now, c)
		got, want = reason.String(), p.m.admit(p.now, key, request, owner, c.Instead)
		if reason == core.KeyReplayed {
			got += " " + string(r.Answer)
		}
	case 3:
		end, answer := ends[o.n%5], "answer answer"[:o.n%13]
		kept, _ := p.s.Report(p.now, Claim{Key: key, Owner: owner}, Ending{end, []byte(answer)})
		got, want = fmt.Sprint(kept), fmt.Sprint(p.m.report(p.now, key, owner, end, answer))
	}
	if got != want {
		return fmt.Sprintf("%v at %d is %q, the model says %q", o, p.now, got, want)
	}
	return ""
}

func (p *pair) state() string {
	p.m.pass(p.now)
	s := p.s.Snapshot(p.now)
	running, unknown := 0, 0
	for _, r := range p.m.records {
		switch r.state {
		case Running:
			running++
		case Unknown:
			unknown++
		}
	}
	if s.Entries != len(p.m.records) || s.Bytes != p.m.cost() || s.Running != running || s.Unknown != unknown {
		return fmt.Sprintf("at %d %+v, the model has %d records, %d running, %d unknown, %d bytes",
			p.now, s, len(p.m.records), running, unknown, p.m.cost())
	}
	if found := len(p.s.Unsettled(p.now, 99)); found != unknown {
		return fmt.Sprintf("at %d %d records are unsettled, want %d", p.now, found, unknown)
	}
	return ""
}

var sizes = []Config{
	{TTL: 30, Longest: 9, Entries: 2, EntryBytes: 9, Bytes: 525},
	{TTL: 20, Longest: 40, RunAgainAfter: 5, Entries: 3, EntryBytes: 100, Bytes: 540},
	{TTL: 7, Longest: 3},
}

func TestRandomWalksAgreeWithTheModel(t *testing.T) {
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := newPair(t, sizes[seed%3])
		var way []op
		for range 120 {
			o := op{byte(r.UintN(256)), byte(r.UintN(3)), byte(r.UintN(256))}
			way = append(way, o)
			if d := p.step(o); d != "" {
				t.Fatalf("seed %d: %s\nafter %v", seed, d, way)
			}
		}
	}
}

func FuzzStoreAgreesWithTheModel(f *testing.F) {
	f.Add([]byte{0, 1, 0, 0, 3, 0, 0, 0, 0, 5, 1, 0, 0})
	f.Add([]byte{1, 1, 0, 0, 3, 0, 3, 2, 0, 3, 1, 0, 0, 0, 0, 12, 1, 0, 0})
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) == 0 || len(in) > 400 {
			return
		}
		p := newPair(t, sizes[in[0]%3])
		for i := 1; i+2 < len(in); i += 3 {
			if d := p.step(op{in[i], in[i+1], in[i+2]}); d != "" {
				t.Fatal(d)
			}
		}
	})
}

// Every sequence of four steps on one key, out of all kinds of steps, agrees
// with the model.
func TestEverySmallScope(t *testing.T) {
	var steps []op
	for _, n := range []byte{4, 10} {
		steps = append(steps, op{0, 0, n})
	}
	for n := range byte(3) { // two runs of one request, one of another
		steps = append(steps, op{1, 0, n}, op{2, 0, n + 1})
	}
	for n := range byte(5) {
		steps = append(steps, op{3, 0, n}, op{3, 0, n + 20})
	}
	count := 0
	var walk func(way []op)
	walk = func(way []op) {
		if len(way) == 4 {
			p := newPair(t, sizes[0])
			for _, o := range way {
				if d := p.step(o); d != "" {
					t.Fatalf("%s\nafter %v", d, way)
				}
			}
			if d := p.state(); d != "" {
				t.Fatalf("%s\nafter %v", d, way)
			}
			count++
			return
		}
		for _, o := range steps {
			walk(append(way[:len(way):len(way)], o))
		}
	}
	walk(nil)
	if want := 18 * 18 * 18 * 18; count != want {
		t.Errorf("%d ways, want %d", count, want)
	}
}
