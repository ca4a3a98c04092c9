package shard

import (
	"fmt"
	"math/bits"
)

// Count returns how many shards of k endpoints there are among n: C(n, k). It
// reports false if the number does not fit in 64 bits, which it does for every
// k of up to 64 endpoints. It panics unless 0 <= k <= n.
func Count(n, k int) (shards uint64, ok bool) {
	check(n, k)
	k = min(k, n-k)
	shards = 1
	for i := 1; i <= k; i++ {
		// The product of i numbers in a row can be divided by i!, so nothing is
		// left over in any step.
		high, low := bits.Mul64(shards, uint64(n-k+i))
		if high >= uint64(i) {
			return 0, false
		}
		shards, _ = bits.Div64(high, low, uint64(i))
	}
	return shards, true
}

// Sharing returns the probability that two keys have exactly j of their k
// endpoints in common, of n. It panics unless 0 <= k <= n.
func Sharing(n, k, j int) float64 {
	check(n, k)
	if j < 0 || j > k || k-j > n-k {
		return 0
	}
	// In any order of j hits and k-j others; how many orders there are comes
	// last, a factor at a time.
	p := 1.0
	for i := range k {
		left := n - k - (i - j) // others
		if i < j {
			left = k - i // hits
		}
		p *= float64(left) / float64(n-i)
	}
	for i := range j {
		p *= float64(k-i) / float64(i+1)
	}
	return p
}

// Harm is what becomes of all other tenants when one takes its whole shard
// down, as shares that add up to 1.
type Harm struct {
	Failed    float64 // it has the same shard
	Degraded  float64 // it shares a part, and goes on with the rest of its own
	Untouched float64 // it shares nothing
}

// Blast returns the harm that one tenant can do to others with shards of k of n
// endpoints, if they try again at another endpoint of their own. It panics
// unless 1 <= k <= n.
func Blast(n, k int) Harm {
	if k < 1 {
		panic(fmt.Sprintf("shard: no shard has %d endpoints", k))
	}
	h := Harm{Failed: Sharing(n, k, k), Untouched: Sharing(n, k, 0)}
	h.Degraded = max(0, 1-h.Failed-h.Untouched)
	return h
}

func check(n, k int) {
	if k < 0 || k > n {
		panic(fmt.Sprintf("shard: %d of %d endpoints", k, n))
	}
}
