package shard

import (
	"fmt"
	"math/bits"
)

// Shards knows which endpoints serve which key. It never changes and is safe
// for use by many goroutines. Make it with New.
type Shards struct {
	size      int
	anonymous uint64
	all       uint64
	ids       []uint64
}

// New returns the shards of endpoints with these names. A name is what an
// endpoint is known by, such as its address: everybody who lists the same
// names, in any order, gets the same shards. With fewer endpoints than the size
// asks for, all of them serve every key.
func New(c Config, endpoints []string) (*Shards, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if len(endpoints) > MaxEndpoints {
		return nil, fmt.Errorf("shard: %d endpoints; give at most %d", len(endpoints), MaxEndpoints)
	}
	s := &Shards{size: min(c.Size, len(endpoints)), all: uint64(1)<<len(endpoints) - 1}
	for i, name := range endpoints {
		id := mix(hash(name))
		for _, other := range s.ids {
			if other == id {
				return nil, fmt.Errorf("shard: endpoint %d, %s, is there twice; give each once",
					i, name)
			}
		}
		s.ids = append(s.ids, id)
	}
	s.anonymous = s.all
	if c.Anonymous == OneShard {
		s.anonymous = s.draw("")
	}
	return s, nil
}

// Of returns the endpoints that serve a key: bit i stands for the endpoint with
// index i. It is 0 only if there are no endpoints.
func (s *Shards) Of(key string) uint64 {
	switch {
	case key == "":
		return s.anonymous
	case s.size == len(s.ids):
		return s.all
	}
	return s.draw(key)
}

// draw chooses the endpoints with the highest numbers, one after the other.
func (s *Shards) draw(key string) (chosen uint64) {
	var numbers [MaxEndpoints]uint64
	h := mix(hash(key))
	for i, id := range s.ids {
		numbers[i] = mix(h ^ id)
	}
	for range s.size {
		best := -1
		for rest := s.all &^ chosen; rest != 0; rest &= rest - 1 {
			// Two are never alike: mix is one to one, and so are the ids.
			if i := bits.TrailingZeros64(rest); best < 0 || numbers[i] > numbers[best] {
				best = i
			}
		}
		chosen |= 1 << best
	}
	return chosen
}

// hash is FNV-1a.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// mix spreads every bit over all others. No two numbers become the same.
func mix(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}
