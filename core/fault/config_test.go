package fault

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestValidate(t *testing.T) {
	good := refused("x", 0.1)
	with := func(change func(r *Rule)) Config {
		r := good
		change(&r)
		return Config{Rules: []Rule{r}}
	}
	hurt := func(h Hurt) Config { return with(func(r *Rule) { r.Hurt = h }) }
	for _, row := range []struct {
		c     Config
		field string
	}{
		{Config{Share: -0.1}, "Share"}, {Config{Share: 1.1}, "Share"}, {Config{Share: math.NaN()}, "Share"},
		{Config{Concurrent: -1}, "Concurrent"}, {Config{Concurrent: 1_000_001}, "Concurrent"},
		{Config{Abort: Abort{Success: 2}}, "Abort.Success"}, {Config{Abort: Abort{Success: math.NaN()}}, "Abort.Success"},
		{Config{Abort: Abort{Window: 1}}, "Abort.Window"}, {Config{Abort: Abort{Window: 2 * time.Hour}}, "Abort.Window"},
		{Config{Abort: Abort{Minimum: -1}}, "Abort.Minimum"},
		{Config{Rules: []Rule{refused("a", 0.2), refused("b", 0.1)}}, "Share"},
		{Config{Rules: []Rule{good, good}}, "Rules"}, {Config{Share: 1, Rules: make([]Rule, maxRules+1)}, "Rules"},
		{with(func(r *Rule) { r.Name = "" }), "Name"}, {with(func(r *Rule) { r.Name = "a b" }), "Name"},
		{with(func(r *Rule) { r.Name = strings.Repeat("x", 64) }), "Name"},
		{with(func(r *Rule) { r.Name = "-x" }), "Name"}, {with(func(r *Rule) { r.Name = "a,b" }), "Name"},
		{with(func(r *Rule) { r.Share = 0 }), "Share"}, {with(func(r *Rule) { r.Share = math.NaN() }), "Share"},
		{with(func(r *Rule) { r.For = MaxFor + 1 }), "For"}, {with(func(r *Rule) { r.For = -1 }), "For"},
		{with(func(r *Rule) { r.Scope.Path = "x" }), "Path"}, {with(func(r *Rule) { r.Scope.Path = "/a*b" }), "Path"},
		{with(func(r *Rule) { r.Scope.Method = strings.Repeat("x", 1025) }), "Method"},
		{hurt(Hurt{}), "Kind"}, {hurt(Hurt{Kind: Bandwidth + 1}), "Kind"},
		{hurt(Hurt{Kind: Latency}), "Delay"}, {hurt(Hurt{Kind: Latency, Delay: 2 * time.Hour}), "Delay"},
		{hurt(Hurt{Kind: Error, Status: 500, Delay: 1}), "Delay"}, {hurt(Hurt{Kind: SlowBody, Bytes: 1}), "Delay"},
		{hurt(Hurt{Kind: Reset, Jitter: 1}), "Jitter"}, {hurt(Hurt{Kind: Latency, Delay: 1, Normal: true}), "Normal"},
		{hurt(Hurt{Kind: Error}), "Status"}, {hurt(Hurt{Kind: Error, Status: 200}), "Status"},
		{hurt(Hurt{Kind: Error, Status: 500, GRPC: 1}), "Status"}, {hurt(Hurt{Kind: Reset, Status: 500}), "Status"},
		{hurt(Hurt{Kind: Error, GRPC: 17}), "GRPC"}, {hurt(Hurt{Kind: Reset, GRPC: 1}), "GRPC"},
		{hurt(Hurt{Kind: Bandwidth}), "Bytes"}, {hurt(Hurt{Kind: Refused, Bytes: 1}), "Bytes"},
		{hurt(Hurt{Kind: Bandwidth, Bytes: -1}), "Bytes"},
	} {
		err := row.c.Validate()
		if err == nil || !strings.Contains(err.Error(), row.field+": ") || !strings.Contains(err.Error(), "; give ") {
			t.Errorf("%+v: %v", row.c, err)
		}
		if j, err := New(0, row.c, 1, nil); err == nil || j != nil {
			t.Errorf("%+v is put to use", row.c)
		}
	}
	for _, c := range []Config{{}, {Rules: []Rule{good}}, Config{Rules: []Rule{good}}.Filled(), open,
		hurt(Hurt{Kind: Reset}), hurt(Hurt{Kind: Latency, Jitter: 1}), hurt(Hurt{Kind: Error, GRPC: 16}),
		with(func(r *Rule) { r.Share, r.Scope.Marked = 1, true }), {Share: 0.3, Rules: []Rule{refused("a", 0.1),
			refused("b", 0.1), refused("c", 0.1)}}} {
		if err := c.Validate(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestMisusePanics(t *testing.T) {
	defer func() {
		if r := recover(); r != "fault: Release without Admit" {
			t.Errorf("it panics with %v", r)
		}
	}()
	mustNew(t, open, 1).Release(Injury{By: "x"})
}

func TestKindNames(t *testing.T) {
	seen := map[string]bool{}
	for k := Latency; k <= Bandwidth; k++ {
		if name := k.String(); seen[name] || name == "invalid" {
			t.Errorf("%d is called %s", k, name)
		}
		seen[k.String()] = true
	}
	if Kind(200).String() != "invalid" || (Bandwidth+1).String() != "invalid" {
		t.Error("an unknown kind has a name")
	}
}
