package main

import "testing"

// TestAllocations holds every variant of ours to what its row promises. In a
// row with a base it is what the variant adds.
func TestAllocations(t *testing.T) {
	for _, r := range rows() {
		spare := 0.0
		if base := r.index(r.base); base >= 0 {
			spare = allocated(r.variants[base])
		}
		for _, v := range r.variants {
			if v.ours == nil {
				continue
			}
			if got := allocated(v) - spare; got > float64(v.ours.allocs) {
				t.Errorf("%s, %s: %v allocations a call, more than %d", r.id, v.name, got,
					v.ours.allocs)
			}
		}
	}
}

func allocated(v variant) float64 {
	run := v.make()
	run(100) // what is allocated once, such as a breaker's history, is there
	return testing.AllocsPerRun(500, func() { run(1) })
}

// TestAllocationTargets keeps the promises above from being loosened beyond
// the targets.
func TestAllocationTargets(t *testing.T) {
	for _, want := range targets() {
		if want.unit != "allocs" {
			continue
		}
		r, v := find(t, want.row, want.variant)
		if got := float64(v.ours.allocs); got > want.bound {
			t.Errorf("%s, %s: promises %v allocations, but the target is %v", r.id, v.name, got,
				want.bound)
		}
	}
}

func find(t *testing.T, id, name string) (row, variant) {
	t.Helper()
	for _, r := range rows() {
		if r.id != id {
			continue
		}
		if i := r.index(name); i >= 0 {
			return r, r.variants[i]
		}
	}
	t.Fatalf("row %s has no variant %q", id, name)
	return row{}, variant{}
}
