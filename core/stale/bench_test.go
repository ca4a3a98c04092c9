package stale

import (
	"strconv"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

func BenchmarkLookup(b *testing.B) {
	x := must(Config{Stale: time.Hour})
	x.Store(0, "k", "v", 1)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		x.Lookup(core.Instant(n), "k")
	}
}

func BenchmarkStoreAgain(b *testing.B) {
	x := must(Config{Stale: time.Hour})
	keys := make([]string, 512)
	for i := range keys {
		keys[i] = "GET /price/" + strconv.Itoa(i)
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		x.Store(core.Instant(n), keys[n%len(keys)], "v", 1)
	}
}

func must(c Config) *Cache {
	x, err := New(c)
	if err != nil {
		panic(err)
	}
	return x
}
