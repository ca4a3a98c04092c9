package shard

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

func names(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("http://10.0.0.%d:8080", i+1)
	}
	return all
}

func mustNew(t testing.TB, size int, endpoints []string) *Shards {
	t.Helper()
	s, err := New(Config{Size: size}, endpoints)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// members names what serves a key.
func members(s *Shards, endpoints []string, key string) (in []string) {
	for i, name := range endpoints {
		if s.Of(key)>>i&1 != 0 {
			in = append(in, name)
		}
	}
	slices.Sort(in)
	return in
}

// Every pair of eight is as likely as every other (chi squared with 27 degrees
// of freedom is over 55.5 once in a thousand times).
func TestEveryShardIsEquallyLikely(t *testing.T) {
	s, counts := mustNew(t, 2, names(8)), map[uint64]int{}
	const each = 1000
	for i := range 28 * each {
		counts[s.Of("tenant-"+strconv.Itoa(i))]++
	}
	if len(counts) != 28 {
		t.Fatalf("%d shards of 28 are used", len(counts))
	}
	chi := 0.0
	for _, n := range counts {
		chi += float64(n-each) * float64(n-each) / each
	}
	if chi > 55.5 {
		t.Errorf("chi squared is %v", chi)
	}
	t.Logf("chi squared is %.1f of 27", chi)
}

// Keys that differ in one letter have nothing to do with each other.
func TestOverlapsAreAsCalculated(t *testing.T) {
	for _, c := range [][2]int{{8, 2}, {16, 4}, {10, 3}, {64, 5}} {
		n, k := c[0], c[1]
		s, met := mustNew(t, k, names(n)), make([]int, k+1)
		const pairs = 40_000
		for i := range pairs {
			a, b := s.Of("t"+strconv.Itoa(i)), s.Of("t"+strconv.Itoa(i+1))
			met[bits.OnesCount64(a&b)]++
		}
		for j, n := range met {
			p := Sharing(c[0], k, j)
			if got := float64(n) / pairs; math.Abs(got-p) > 5*math.Sqrt(p*(1-p)/pairs)+1e-4 {
				t.Errorf("%v: %d in common in %.4f of pairs, %.4f expected", c, j, got, p)
			}
		}
	}
}

// One endpoint that comes or goes changes one place of those shards that it is
// in, and nothing else: k of n+1 shards.
func TestFewTenantsMove(t *testing.T) {
	for _, c := range [][2]int{{8, 2}, {20, 4}, {3, 1}} {
		n, k := c[0], c[1]
		few, more := names(n), names(n+1)
		a, b, moved := mustNew(t, k, few), mustNew(t, k, more), 0
		const keys = 20_000
		for i := range keys {
			key := strconv.Itoa(i)
			before, after := a.Of(key), b.Of(key)
			if before == after {
				continue
			}
			moved++
			if after>>n == 0 || bits.OnesCount64(before&after) != k-1 {
				t.Fatalf("%s: %b became %b when endpoint %d came", key, before, after, n)
			}
		}
		p := float64(k) / float64(n+1)
		if got := float64(moved) / keys; math.Abs(got-p) > 5*math.Sqrt(p*(1-p)/keys) {
			t.Errorf("%v: %.4f of shards changed, %.4f expected", c, got, p)
		}
	}
}

func TestTheOrderOfEndpointsDoesNotMatter(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	list := names(12)
	other := slices.Clone(list)
	random.Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
	a, b := mustNew(t, 3, list), mustNew(t, 3, other)
	for i := range 1000 {
		key := strconv.Itoa(i)
		if !slices.Equal(members(a, list, key), members(b, other, key)) {
			t.Fatalf("%s: %v or %v", key, members(a, list, key), members(b, other, key))
		}
	}
}

// The size is kept, whatever the key; without enough endpoints all serve.
func TestSizes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for n := 0; n <= MaxEndpoints; n++ {
		for _, k := range []int{1, 2, 3, 7, 63, 64} {
			s := mustNew(t, k, names(n))
			for range 20 {
				key := strconv.FormatUint(random.Uint64(), 36)
				if got := s.Of(key); bits.OnesCount64(got) != min(k, n) || got&^s.all != 0 ||
					got != s.Of(key) {
					t.Fatalf("%d of %d: %b", k, n, got)
				}
			}
			if bits.OnesCount64(s.Of("")) != min(k, n) {
				t.Fatalf("%d of %d: %b serve requests without a key", k, n, s.Of(""))
			}
		}
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		c    Config
		want string
	}{
		{Config{Size: 2}, ""},
		{Config{Size: 64, Anonymous: AllEndpoints}, ""},
		{Config{}, "Size: is 0; give how many endpoints serve one key, such as 2, from 1 to 64"},
		{Config{Size: 65}, "Size: is 65; give how many endpoints serve one key, such as 2, from 1 to 64"},
		{Config{Size: 1, Anonymous: 2}, "Anonymous: is unknown; give OneShard or AllEndpoints"},
	} {
		got := ""
		if err := c.c.Validate(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.c, got, c.want)
		}
	}
	for _, list := range [][]string{{"a", "b", "a"}, names(65)} {
		if _, err := New(Config{Size: 1}, list); err == nil {
			t.Errorf("%d endpoints are accepted", len(list))
		}
	}
	if _, err := New(Config{}, nil); err == nil {
		t.Error("a size of 0 is accepted")
	}
}

// A dumb count of all pairs of shards agrees with the formula.
func TestOddsAgainstACount(t *testing.T) {
	for n := 1; n <= 9; n++ {
		for k := 1; k <= n; k++ {
			met, all, mine := make([]int, k+1), 0, 1<<k-1
			for m := range 1 << n {
				if bits.OnesCount(uint(m)) == k {
					all++
					met[bits.OnesCount(uint(m&mine))]++
				}
			}
			if c, ok := Count(n, k); !ok || c != uint64(all) {
				t.Errorf("Count(%d, %d) is %d, counted %d", n, k, c, all)
			}
			for j, m := range met {
				if p := float64(m) / float64(all); math.Abs(Sharing(n, k, j)-p) > 1e-12 {
					t.Errorf("Sharing(%d, %d, %d) is %v, counted %v", n, k, j, Sharing(n, k, j), p)
				}
			}
			h := Blast(n, k)
			if sum := h.Failed + h.Degraded + h.Untouched; k < n && math.Abs(sum-1) > 1e-12 {
				t.Errorf("Blast(%d, %d) adds up to %v", n, k, sum)
			}
		}
	}
	if Sharing(8, 2, 3) != 0 || Sharing(8, 2, -1) != 0 {
		t.Error("an overlap that cannot be has a probability")
	}
}

// Every count of up to 64 endpoints fits, and the first that does not is told.
func TestCountFits(t *testing.T) {
	for n := range MaxEndpoints + 1 {
		above := uint64(0)
		for k := range n + 1 {
			c, ok := Count(n, k)
			if !ok || n > 0 && k > 0 && k < n && c != pascal(t, n, k) {
				t.Fatalf("Count(%d, %d) is %d, %v", n, k, c, ok)
			}
			above = max(above, c)
		}
	}
	if c, ok := Count(2048, 100); ok {
		t.Errorf("Count(2048, 100) is %d", c)
	}
}

func pascal(t *testing.T, n, k int) uint64 {
	a, ok := Count(n-1, k-1)
	b, ok2 := Count(n-1, k)
	if !ok || !ok2 {
		t.Fatal("a smaller one does not fit")
	}
	return a + b
}

func TestMisusePanics(t *testing.T) {
	for name, f := range map[string]func(){
		"Count":   func() { Count(2, 3) },
		"Sharing": func() { Sharing(2, -1, 0) },
		"Blast":   func() { Blast(2, 0) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); len(text) < 6 || text[:6] != "shard:" {
					t.Errorf("%s panics with %q", name, text)
				}
			}()
			f()
		}()
	}
}

func TestNothingAllocates(t *testing.T) {
	s := mustNew(t, 4, names(20))
	sink := uint64(0)
	if n := testing.AllocsPerRun(1000, func() { sink |= s.Of("tenant-17") }); n != 0 || sink == 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkOf(b *testing.B) {
	for _, c := range [][2]int{{8, 2}, {20, 4}, {64, 4}} {
		b.Run(fmt.Sprintf("%dof%d", c[1], c[0]), func(b *testing.B) {
			s := mustNew(b, c[1], names(c[0]))
			b.ReportAllocs()
			for b.Loop() {
				s.Of("tenant-17")
			}
		})
	}
}
