package quota

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seakeep/seakeep/core"
)

// model is the table as a list of all tenants, the longest idle first.
type model struct {
	keys      int
	rows      []*row
	forgotten uint64
}

type row struct {
	key        string
	flow, here int
}

func (m *model) find(key string) *row {
	for _, r := range m.rows {
		if r.key == key {
			return r
		}
	}
	return nil
}

// agree reports whether flow is a right answer to Enter, and notes it.
func (m *model) agree(key string, flow int) string {
	r := m.find(key)
	if r == nil {
		if len(m.rows) >= m.keys {
			i := slices.IndexFunc(m.rows, func(r *row) bool { return r.here == 0 })
			if i < 0 {
				if flow != Overflow {
					return "want Overflow"
				}
				return ""
			}
			m.forget(i)
		}
		for _, other := range m.rows {
			if other.flow == flow {
				return "shares the number of " + other.key
			}
		}
		r = &row{key: key, flow: flow}
		m.rows = append(m.rows, r)
	}
	if flow != r.flow || flow < first {
		return fmt.Sprintf("want %d", r.flow)
	}
	r.here++
	return ""
}

func (m *model) leave(flow int) {
	for i, r := range m.rows {
		if r.flow != flow {
			continue
		}
		if r.here--; r.here == 0 { // it is now the one that has been idle for the shortest time
			m.rows = append(slices.Delete(m.rows, i, i+1), r)
			m.shrink()
		}
		return
	}
}

func (m *model) shrink() {
	for len(m.rows) > m.keys {
		i := slices.IndexFunc(m.rows, func(r *row) bool { return r.here == 0 })
		if i < 0 {
			return
		}
		m.forget(i)
	}
}

func (m *model) forget(i int) {
	m.rows = slices.Delete(m.rows, i, i+1)
	m.forgotten++
}

// Random lives of a table agree with the model, never mix up two tenants, never
// forget one that has requests here, and never know more than they may.
func TestRandomLivesAgreeWithTheModel(t *testing.T) {
	shared := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := &model{keys: 1 + r.IntN(5)}
		table := must(Config{Keys: m.keys})
		var here []int
		for i := range 300 {
			now := core.Instant(i)
			switch k := r.IntN(20); {
			case k == 0:
				m.keys = 1 + r.IntN(5)
				m.shrink()
				if err := table.Resize(now, Config{Keys: m.keys}); err != nil {
					t.Fatal(err)
				}
			case k < 9:
				key := string(rune('a' + r.IntN(8)))
				flow := table.Enter(now, key)
				if problem := m.agree(key, flow); problem != "" {
					t.Fatalf("seed %d, step %d: %s gets %d: %s", seed, i, key, flow, problem)
				}
				if here = append(here, flow); flow == Overflow {
					shared++
				}
			case len(here) > 0:
				at := r.IntN(len(here))
				flow := here[at]
				here = slices.Delete(here, at, at+1)
				m.leave(flow)
				table.Leave(now, flow)
			}
			s := table.Snapshot(now, 100)
			if s.Keys != len(m.rows) || s.Forgotten != m.forgotten || len(s.Top) != len(m.rows) {
				t.Fatalf("seed %d, step %d: %+v, want %d keys, %d forgotten", seed, i, s, len(m.rows), m.forgotten)
			}
			sum := s.Overflow.Here
			for _, row := range s.Top {
				if other := m.find(row.Key); other == nil || other.here != row.Here || table.Here(row.Flow) != row.Here {
					t.Fatalf("seed %d, step %d: %+v, want %+v", seed, i, row, other)
				}
				sum += row.Here
			}
			if sum != len(here) {
				t.Fatalf("seed %d, step %d: %d requests here, want %d", seed, i, sum, len(here))
			}
		}
	}
	if shared < 100 {
		t.Errorf("only %d requests had to share a number", shared)
	}
}
