package main

import (
	"regexp"
	"slices"
	"sync/atomic"
	"testing"
)

// TestVariants runs every variant, alone and on two goroutines; each checks by
// itself that its calls pass or are refused as its row says.
func TestVariants(t *testing.T) {
	for _, r := range rows() {
		for _, v := range r.variants {
			t.Run(r.id+"/"+v.name, func(t *testing.T) {
				for _, procs := range []int{1, 2} {
					spread(v.make(), procs, 1000)
				}
			})
		}
	}
}

// TestChecksCatch shows that a variant which does not do its work stops the run.
func TestChecksCatch(t *testing.T) {
	for name, broken := range map[string]func(){
		"a refusal where calls pass":        func() { mustPass(0, errFailed) },
		"a wrong answer":                    func() { mustPass(2, nil) },
		"a call that passed an open rung":   func() { mustRefuse(1, nil) },
		"a policy that does not know a row": func() { doRefuses(ourPolicy(ourStack(limit)))(1) },
		"an open breaker that should pass":  func() { doPasses(background, ourOpen(ourStack(limit)), empty)(1) },
	} {
		if !panics(broken) {
			t.Errorf("%s goes unnoticed", name)
		}
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

// TestRowsFitTogether finds names that nothing has.
func TestRowsFitTogether(t *testing.T) {
	var ids []string
	for _, r := range rows() {
		if slices.Contains(ids, r.id) {
			t.Errorf("two rows are called %s", r.id)
		}
		ids = append(ids, r.id)
		if r.base != "" && r.index(r.base) < 0 {
			t.Errorf("row %s has no base %q", r.id, r.base)
		}
		for i, v := range r.variants {
			if r.index(v.name) != i {
				t.Errorf("row %s has two variants %q", r.id, v.name)
			}
			if v.ours == nil {
				continue
			}
			for _, peer := range v.ours.peers {
				if j := r.index(peer); j < 0 || r.variants[j].ours != nil {
					t.Errorf("row %s, %s: %q is no peer of it", r.id, v.name, peer)
				}
			}
		}
	}
	for _, want := range targets() {
		find(t, want.row, want.variant)
	}
}

func TestSpreadMakesAllCalls(t *testing.T) {
	for _, procs := range []int{1, 2, 3} {
		var calls, goroutines atomic.Int64
		spread(func(n int) { calls.Add(int64(n)); goroutines.Add(1) }, procs, 1001)
		if calls.Load() != 1001 || goroutines.Load() != int64(procs) {
			t.Errorf("%d procs: %d calls on %d goroutines", procs, calls.Load(), goroutines.Load())
		}
	}
}

func TestChoose(t *testing.T) {
	chosen, err := choose("^f")
	if err != nil || len(chosen) != 2 || chosen[0].id != "f" || chosen[1].id != "f2" {
		t.Errorf("^f chose %v, %v", chosen, err)
	}
	if chosen, err := choose("RoundTripper"); err != nil || len(chosen) != 1 {
		t.Errorf("a title chose %v, %v", chosen, err)
	}
	for _, only := range []string{"no such row", "("} {
		if _, err := choose(only); err == nil {
			t.Errorf("%q is accepted", only)
		}
	}
	if _, err := choose(regexp.QuoteMeta("a ")); err != nil {
		t.Error(err)
	}
}
