package seakeep

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/fault"
)

const faultFile = `version: 1
service: s
serve: {faults: {allow: true}}
dependencies:
  pricing:
    endpoints: [http://127.0.0.1:1]
    faults:
      share: 100%%
      allow: %v
      rules: [{name: slow, kind: latency, delay: 100ms, share: 50%%, for: 10m, operation: search}]
    operations: [{name: search}, {name: buy}]
  other: {}
`

func faultsFrom(t *testing.T, format string, args ...any) *config.File {
	t.Helper()
	f, err := config.Parse("f", []byte(fmt.Sprintf(format, args...)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The file's rules hold for the operations that they name, and orders for a
// dependency that the file allows them for; both outlive a reload.
func TestFaultsOfAFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set, err := NewSet(faultsFrom(t, faultFile, true), Options{Draw: func() float64 { return 0.5 }})
		if err != nil {
			t.Fatal(err)
		}
		hurt := map[string]int{}
		for _, name := range []string{"pricing", "pricing/search", "pricing/buy", "other"} {
			for range 1000 {
				var report Report
				if _, err := Do(With(t.Context(), Call{Report: &report}), set.MustPolicy(name), ok); err != nil {
					t.Fatal(err)
				}
				if report.Attempts[0].Faults != "" {
					hurt[name]++
				}
			}
		}
		if len(hurt) != 1 || hurt["pricing/search"] < 450 || hurt["pricing/search"] > 550 {
			t.Errorf("%v", hurt)
		}
		f := set.Faults("pricing")
		order := fault.Rule{Name: "mine", Share: 0.1, Hurt: fault.Hurt{Kind: fault.Refused}, For: time.Hour}
		if err := f.Start(order, false); err != nil {
			t.Error(err)
		}
		if set.Faults("other") != nil || set.Faults("nobody") != nil || set.Faults("") == nil {
			t.Error("the wrong ones may be hurt")
		}
		time.Sleep(time.Minute)
		if err := set.Apply(faultsFrom(t, faultFile, true)); err != nil {
			t.Fatal(err)
		}
		if set.Faults("pricing") != f || set.MustPolicy("pricing/buy").Faults() != f {
			t.Error("a reload makes another one")
		}
		s := f.Snapshot()
		if len(s.Rules) != 2 || s.Rules[0].Over != "" || s.Rules[0].Seen != 1000 || s.Rules[1].Left > 59*time.Minute {
			t.Errorf("after the reload: %+v", s.Rules)
		}
		if err := set.Apply(faultsFrom(t, faultFile, false)); err != nil {
			t.Fatal(err)
		}
		if s := f.Snapshot(); s.Rules[1].Over == "" || s.Rules[0].Over != "" {
			t.Errorf("not allowed any more: %+v", s.Rules)
		}
		if err := f.Start(order, true); !errors.Is(err, fault.ErrRefused) {
			t.Errorf("not allowed: %v", err)
		}
		if err := set.Apply(faultsFrom(t, "version: 1\nservice: s\ndependencies: {other: {}}\n")); err != nil {
			t.Fatal(err)
		}
		if !f.Idle() {
			t.Error("a dependency that is gone is still hurt")
		}
	})
}

func TestFaultsOnlyForWhoAsks(t *testing.T) {
	p := hurtable(t, Config{}, nil)
	begin(t, p, fault.Rule{Scope: fault.Scope{Marked: true}, Hurt: fault.Hurt{Kind: fault.Refused}})
	if _, err := Do(t.Context(), p, ok); err != nil {
		t.Error(err)
	}
	if _, err := Do(With(t.Context(), Call{Faults: "g, f"}), p, ok); err == nil {
		t.Error("a call that asks for it is not hurt")
	}
	if _, err := Do(With(t.Context(), Call{Faults: "f", Unhurt: true}), p, ok); err != nil {
		t.Error("a health check is hurt")
	}
	_, err := DoAbandon(With(t.Context(), Call{Faults: "f"}), p, ok)
	if err == nil || !strings.Contains(err.Error(), "fault injected by f: refused") {
		t.Errorf("abandonable: %v", err)
	}
}

// A policy without faults, or with none running, pays nothing for them.
func TestIdleFaultsAllocateNothing(t *testing.T) {
	p := hurtable(t, Config{}, nil)
	if n := testing.AllocsPerRun(100, func() { _, _ = Do(t.Context(), p, ok) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Whether a fault could begin is told without beginning it, a freeze included.
func TestFaultsCheckBeginsNothing(t *testing.T) {
	set, err := NewSet(faultsFrom(t, "version: 1\nservice: s\ndependencies: {d: {faults: {allow: true, "+
		"share: 0.1}}}\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := set.Faults("d")
	small := fault.Rule{Name: "x", Share: 0.1, Hurt: fault.Hurt{Kind: fault.Refused}}
	large := small
	large.Share = 0.2
	if err := f.Check(small, false); err != nil {
		t.Error(err)
	}
	if err := f.Check(large, false); !errors.Is(err, fault.ErrRefused) {
		t.Error(err)
	}
	f.Freeze("the budget is spent")
	if err := f.Check(small, true); !errors.Is(err, fault.ErrRefused) || !strings.Contains(err.Error(), "spent") {
		t.Error(err)
	}
	if !f.Idle() || len(f.Snapshot().Rules) != 0 {
		t.Errorf("something began: %+v", f.Snapshot())
	}
}
