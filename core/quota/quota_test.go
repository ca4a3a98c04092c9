package quota

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

func must(c Config) *Table {
	t, err := New(c)
	if err != nil {
		panic(err)
	}
	return t
}

func TestValidateNamesFieldAndRemedy(t *testing.T) {
	for _, keys := range []int{-1, mostKeys + 1} {
		c := Config{Keys: keys}
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("Keys: is %d; give", keys)) {
			t.Errorf("%d keys: %v", keys, err)
		}
		if table, err := New(c); table != nil || err == nil || !strings.HasPrefix(err.Error(), "quota: ") {
			t.Errorf("New with %d keys is %v, %v", keys, table, err)
		}
		if must(Config{}).Resize(0, c) == nil {
			t.Errorf("Resize to %d keys is accepted", keys)
		}
	}
	if n := must(Config{}).Snapshot(0, 0).Most; n != 10_000 {
		t.Errorf("the default is %d keys", n)
	}
}

func TestMisusePanics(t *testing.T) {
	table := must(Config{Keys: 2})
	a := table.Enter(0, "a")
	table.Leave(0, a)
	for _, flow := range []int{a, 0, Overflow, -1, 99} {
		func() {
			defer func() {
				if got := recover(); got != "quota: Leave without Enter" {
					t.Errorf("flow %d: panic %v", flow, got)
				}
			}()
			table.Leave(0, flow)
		}()
	}
	if table.Enter(0, "a") != a {
		t.Error("misuse took the lock, or the number")
	}
}

func TestAKeyMayBeAPieceOfSomethingLarge(t *testing.T) {
	table := must(Config{Keys: 9})
	if got := table.Enter(0, strings.Repeat("k", longestKey+1)); got != Overflow {
		t.Errorf("an overlong key gets %d", got)
	}
	if got := table.Enter(0, strings.Repeat("k", longestKey)); got < first {
		t.Errorf("the longest key gets %d", got)
	}
}

func TestSnapshotNamesTheBusiest(t *testing.T) {
	table := must(Config{Keys: 100})
	for i := range 20 {
		for range i % 7 {
			table.Enter(core.Instant(i), fmt.Sprint("k", i))
		}
	}
	table.Enter(30, "")
	b := table.Enter(40, "b")
	table.Leave(50, b)
	s := table.Snapshot(60, 3)
	var got []string
	for _, row := range s.Top {
		got = append(got, fmt.Sprint(row.Key, " ", row.Here))
	}
	if want := []string{"k6 6", "k13 6", "k5 5"}; !slices.Equal(got, want) {
		t.Errorf("the busiest are %v, want %v", got, want)
	}
	if s.None.Here != 1 || s.Keys != 18 || s.Overflow.Entered != 0 {
		t.Errorf("%+v", s)
	}
	all := table.Snapshot(60, 1000).Top
	last := all[len(all)-1]
	if len(all) != 18 || last.Key != "b" || last.Entered != 1 || last.Idle != 10*time.Nanosecond {
		t.Errorf("of %d the last is %+v", len(all), last)
	}
}

func TestShare(t *testing.T) {
	for _, c := range []struct {
		limit int
		share float64
		want  int
	}{{100, 0.2, 20}, {4, 0.2, 1}, {1, 1, 1}, {0, 0.5, 1}, {7, 0.5, 3}} {
		if got := Share(c.limit, c.share); got != c.want {
			t.Errorf("%v of %d is %d, want %d", c.share, c.limit, got, c.want)
		}
	}
}

// An attacker who invents a key for every request takes no memory.
func TestInventedKeysTakeNoMemory(t *testing.T) {
	table := must(Config{Keys: 50})
	loyal := table.Enter(0, "loyal")
	for i := range 100_000 {
		table.Leave(core.Instant(i), table.Enter(core.Instant(i), fmt.Sprint("invented ", i)))
	}
	if n, k := len(table.m.rows), len(table.m.numbers); n > 50+first || k > 50 {
		t.Errorf("%d rows and %d keys after a hundred thousand keys", n, k)
	}
	if again := table.Enter(1e6, "loyal"); again != loyal {
		t.Error("a tenant with requests here was forgotten")
	}
}

func TestManyGoroutines(t *testing.T) {
	table := must(Config{Keys: 5})
	var wg sync.WaitGroup
	for id := range uint64(30) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(id, 2))
			for i := range 500 {
				flow := table.Enter(core.Instant(i), fmt.Sprint(r.IntN(9)))
				if table.Here(flow) < 1 {
					t.Error("a request that has entered is not here")
				}
				table.Leave(core.Instant(i), flow)
			}
		})
	}
	wg.Wait()
	s := table.Snapshot(1000, 10)
	for _, row := range s.Top {
		if row.Here != 0 {
			t.Errorf("afterwards %+v", row)
		}
	}
	if s.Overflow.Here != 0 || s.Keys > 5 {
		t.Errorf("afterwards %+v", s)
	}
}

func TestAKnownKeyAllocatesNothing(t *testing.T) {
	table := must(Config{})
	key := strings.Repeat("x", 20)
	table.Leave(0, table.Enter(0, key))
	if n := testing.AllocsPerRun(100, func() { table.Leave(1, table.Enter(1, key)) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkEnterLeave(b *testing.B) {
	table := must(Config{})
	keys := make([]string, 1000)
	for i := range keys {
		keys[i] = fmt.Sprint("tenant-", i)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		table.Leave(core.Instant(i), table.Enter(core.Instant(i), keys[i%1000]))
	}
}
