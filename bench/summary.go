package main

import (
	"math"
	"slices"
)

// result is what the rounds of one variant came to: medians, and the middle
// half of the rounds, which a few disturbed rounds do not move.
type result struct {
	Row     string   `json:"row"`
	Variant string   `json:"variant"`
	Ours    bool     `json:"ours"`
	Procs   int      `json:"procs"`
	Lent    float64  `json:"procs_lent,omitempty"` // by the machine, of more than one
	CPU     float64  `json:"cpu_ns"`
	Low     float64  `json:"cpu_ns_low"`  // first quartile
	High    float64  `json:"cpu_ns_high"` // third quartile
	Wall    float64  `json:"wall_ns"`
	Bytes   float64  `json:"bytes"`
	Allocs  float64  `json:"allocs"`
	Adds    *float64 `json:"adds_ns,omitempty"` // to the row's base, in processor time
	Ratios  []ratio  `json:"ratios,omitempty"`
}

// ratio is our share of a peer's time: below 1 we are faster. In a row with a
// base both sides are what they add to it.
type ratio struct {
	Peer string  `json:"peer"`
	CPU  float64 `json:"cpu"` // medians of each round's ratio
	Low  float64 `json:"cpu_low"`
	High float64 `json:"cpu_high"`
	Wall float64 `json:"wall"`
}

func cpuOf(s sample) float64  { return s.cpu }
func wallOf(s sample) float64 { return s.wall }

func summarize(r row, procs int, samples [][]sample, lent []float64) []result {
	out := make([]result, len(r.variants))
	base := r.index(r.base)
	for i, v := range r.variants {
		cpu := column(samples[i], cpuOf)
		out[i] = result{Row: r.id, Variant: v.name, Ours: v.ours != nil, Procs: procs,
			CPU: quantile(cpu, 0.5), Low: quantile(cpu, 0.25), High: quantile(cpu, 0.75),
			Wall:   quantile(column(samples[i], wallOf), 0.5),
			Bytes:  quantile(column(samples[i], func(s sample) float64 { return s.bytes }), 0.5),
			Allocs: quantile(column(samples[i], func(s sample) float64 { return s.allocs }), 0.5),
		}
		if procs > 1 {
			out[i].Lent = quantile(lent, 0.5)
		}
		if base >= 0 && i != base {
			adds := quantile(added(samples, i, base, cpuOf), 0.5)
			out[i].Adds = &adds
		}
		if v.ours == nil {
			continue
		}
		for _, peer := range v.ours.peers {
			c := compare(samples, peerOf{i, r.index(peer), base, peer})
			out[i].Ratios = append(out[i].Ratios, c)
		}
	}
	return out
}

// peerOf names the variants of one comparison.
type peerOf struct {
	ours, peer, base int // base: -1 for none
	name             string
}

// compare takes the ratio round by round, because both sides of a round were
// measured a moment apart.
func compare(samples [][]sample, p peerOf) ratio {
	shares := func(of func(sample) float64) []float64 {
		ours, theirs := added(samples, p.ours, p.base, of), added(samples, p.peer, p.base, of)
		for i := range ours {
			ours[i] /= theirs[i]
		}
		return ours
	}
	cpu := shares(cpuOf)
	return ratio{Peer: p.name, CPU: quantile(cpu, 0.5), Low: quantile(cpu, 0.25),
		High: quantile(cpu, 0.75), Wall: quantile(shares(wallOf), 0.5)}
}

// added is what a variant costs in each round, less the base's cost, if any.
func added(samples [][]sample, i, base int, of func(sample) float64) []float64 {
	out := column(samples[i], of)
	if base < 0 {
		return out
	}
	for j := range out {
		out[j] -= of(samples[base][j])
	}
	return out
}

func column(samples []sample, of func(sample) float64) []float64 {
	out := make([]float64, len(samples))
	for i, s := range samples {
		out[i] = of(s)
	}
	return out
}

// quantile returns the value that a share q of the values lies below, between
// two values the mean by distance.
func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// index returns where the variant is in the row, or -1.
func (r row) index(name string) int {
	return slices.IndexFunc(r.variants, func(v variant) bool { return v.name == name })
}
