package demo

import (
	"strings"
	"testing"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/deadline"
)

func TestParseRungs(t *testing.T) {
	for text, want := range map[string]Rungs{
		"all": All, "none": None, "timeout": Timeout, "retry,timeout": Timeout | Retry,
		"budget, breaker": Budget | Breaker, "retry,retry": Retry,
		"timeout,retry,budget,breaker,bulkhead,fallback": All,
	} {
		got, err := ParseRungs(text)
		if err != nil || got != want {
			t.Errorf("ParseRungs(%q) = %v, %v; want %v", text, got, err, want)
		}
		if again, err := ParseRungs(got.String()); err != nil || again != got {
			t.Errorf("%q is written as %q, which reads as %v, %v", text, got, again, err)
		}
	}
	for text, word := range map[string]string{"": "", "timeouts": "timeouts", "timeout,": "",
		"timeout,none": "none", "all,retry": "all", "Timeout": "Timeout", "timeout;retry": "timeout;retry"} {
		_, err := ParseRungs(text)
		want := `there is no rung "` + word + `"; give all, none, or a list of timeout, retry, ` +
			"budget, breaker, bulkhead or fallback"
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseRungs(%q): %v; want %s", text, err, want)
		}
	}
}

// The rest of the package finds dependencies by their place, and has no
// operations.
func TestPolicyFileIsWhatTheDemoExpects(t *testing.T) {
	file, err := policy(All)
	if err != nil {
		t.Fatal(err)
	}
	if w := file.Warnings(); len(w) > 0 {
		t.Errorf("the policy file has warnings: %v", w)
	}
	if len(file.Dependencies) != len(names) {
		t.Fatalf("%d dependencies", len(file.Dependencies))
	}
	for i, d := range file.Dependencies {
		if d.Name != names[i] || len(d.Operations) > 0 || len(d.Endpoints) > 0 {
			t.Errorf("dependency %d is %s, with operations or endpoints", i, d.Name)
		}
		if on := rungsOf(d); on != All && on != All&^Fallback {
			t.Errorf("%s has only %v", d.Name, on)
		}
	}
	if rungsOf(file.Dependency("recommendations")) != All {
		t.Error("recommendations has no fallback")
	}
}

func TestProtectKeepsOnlyWhatItNames(t *testing.T) {
	for keep := None; keep <= All; keep++ {
		file, err := policy(keep)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Dependencies {
			want := keep
			if d.Kind == config.Critical {
				want &^= Fallback // they have none to begin with
			}
			if !keep.has(Retry) {
				want &^= Budget // there is nothing to limit
			}
			if got := rungsOf(d); got != want {
				t.Errorf("protect %v leaves %s with %v, want %v", keep, d.Name, got, want)
			}
		}
	}
}

// rungsOf reads which rungs are on.
func rungsOf(d *config.Dependency) (on Rungs) {
	c := &d.Call
	for rung, is := range map[Rungs]bool{
		Timeout:  c.Timeout != deadline.Config{} || d.Connect > 0,
		Retry:    c.Retry != nil,
		Budget:   c.Budget != nil,
		Breaker:  c.Breaker != nil,
		Bulkhead: c.Bulkhead != nil,
		Fallback: len(d.Fallback.Order) > 0,
	} {
		if is {
			on |= rung
		}
	}
	return on
}
