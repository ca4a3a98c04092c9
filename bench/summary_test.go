package main

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		values []float64
		q      float64
		want   float64
	}{
		{[]float64{3, 1, 2}, 0.5, 2},
		{[]float64{4, 1, 2, 3}, 0.5, 2.5},
		{[]float64{5, 1, 2, 3, 4}, 0.25, 2},
		{[]float64{5, 1, 2, 3, 4}, 0.75, 4},
		{[]float64{7}, 0.75, 7},
	} {
		if got := quantile(c.values, c.q); got != c.want {
			t.Errorf("quantile(%v, %v) = %v, want %v", c.values, c.q, got, c.want)
		}
	}
	if !math.IsNaN(quantile(nil, 0.5)) {
		t.Error("nothing has a median")
	}
}

// three is a row of ours, a peer and what both add to.
var three = row{id: "x", base: "none", variants: []variant{
	{name: "none"}, {name: "ours", ours: &ours{peers: []string{"peer"}}}, {name: "peer"}}}

func times(cpu ...float64) (out []sample) {
	for _, c := range cpu {
		out = append(out, sample{cpu: c, wall: 2 * c})
	}
	return out
}

// One round in three was disturbed on both sides alike: the ratio does not see
// it, and the median leaves it out.
func TestSummarizeTakesRatiosRoundByRound(t *testing.T) {
	r := three
	r.base = ""
	got := summarize(r, 1, [][]sample{times(1, 1, 1), times(10, 50, 10), times(40, 200, 40)}, nil)
	ours := got[1]
	if ours.CPU != 10 || ours.Wall != 20 || ours.Adds != nil {
		t.Errorf("ours: %+v", ours)
	}
	if len(ours.Ratios) != 1 || ours.Ratios[0].CPU != 0.25 || ours.Ratios[0].High != 0.25 ||
		ours.Ratios[0].Wall != 0.25 {
		t.Errorf("ratios: %+v", ours.Ratios)
	}
}

func TestSummarizeTakesTheBaseOff(t *testing.T) {
	got := summarize(three, 2, [][]sample{times(100, 100), times(150, 150), times(300, 300)},
		[]float64{1.8, 2})
	if got[0].Adds != nil || *got[1].Adds != 50 || *got[2].Adds != 200 {
		t.Errorf("adds: %v %v %v", got[0].Adds, got[1].Adds, got[2].Adds)
	}
	if got[1].Ratios[0].CPU != 0.25 {
		t.Errorf("ratio of what they add: %v", got[1].Ratios[0])
	}
	if got[1].Lent != 1.9 {
		t.Errorf("lent: %v", got[1].Lent)
	}
}

func TestJudge(t *testing.T) {
	measured := func(procs int, ratioTo float64) result {
		return result{Row: "f", Variant: stackTotal, Procs: procs, Allocs: 1.004,
			Ratios: []ratio{{Peer: outermost, CPU: ratioTo}}}
	}
	verdicts := func(results ...result) map[string]verdict {
		out := map[string]verdict{}
		for _, v := range judge(results) {
			out[v.What] = v
		}
		return out
	}
	const speed = "full stack: at most 1/8 of failsafe-go's time"
	const allocs = "full stack: at most 1 allocation with a timeout"
	all := verdicts(measured(1, 0.125), measured(2, 0.1))
	if v := all[speed]; !v.Reached || v.Values[1] != 0.125 || v.Values[2] != 0.1 {
		t.Errorf("just reached: %+v", v)
	}
	if v := all[allocs]; !v.Reached || v.Values[1] != 1 {
		t.Errorf("allocations of the measuring count: %+v", v)
	}
	if len(all) != 2 {
		t.Errorf("what was not measured is judged: %v", all)
	}
	if verdicts(measured(1, 0.1), measured(2, 0.13))[speed].Reached {
		t.Error("missed with 2 procs is reached")
	}
}

func TestJudgeUnder(t *testing.T) {
	at := func(r float64) bool {
		return judge([]result{{Row: "b", Variant: "seakeep, now given", Procs: 1,
			Ratios: []ratio{{Peer: gobreakerName, CPU: r}}}})[0].Reached
	}
	if !at(0.33) || at(1./3) {
		t.Error("under 1/3 does not mean less than 1/3")
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{share(0.125), "1/8.0"}, {share(1.25), "1.2x"}, {share(1), "1.0x"},
		{number(0.01), "0"}, {number(2.34), "2.3"}, {number(3.01), "3"}, {number(1234.5), "1234"},
		{number(-120), "-120"}, {plural(1, "proc"), "1 proc"}, {plural(2, "proc"), "2 procs"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestRunPrintsATable(t *testing.T) {
	var out bytes.Buffer
	if err := run([]string{"-rounds", "1", "-time", "1ms", "-run", "^(b|h1) "}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"b  open breaker: refuse, 2 procs", "gobreaker Execute", "cpu ns/op",
		"seakeep Do, breaker alone takes ", "adds ns", "Targets", "open breaker, whole Do: no alloc"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, &out)
		}
	}
}

func TestRunPrintsJSON(t *testing.T) {
	var out bytes.Buffer
	if err := run([]string{"-rounds", "1", "-time", "1ms", "-run", "^d ", "-json"}, &out); err != nil {
		t.Fatal(err)
	}
	var got report
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if n := 2 * len(bulkheadRow().variants); len(got.Results) != n || got.Results[0].CPU <= 0 {
		t.Errorf("%d results, want %d: %+v", len(got.Results), n, got.Results)
	}
}

func TestRunPrintsMarkdown(t *testing.T) {
	var out bytes.Buffer
	args := []string{"-rounds", "1", "-time", "1ms", "-run", "^(b|h1) ", "-markdown"}
	if err := run(args, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| | 1 proc | 2 procs | B | allocs |", "| **b** open breaker",
		"| **seakeep, now given** | ", "| gobreaker Execute | ", "(+", "failsafehttp: "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, &out)
		}
	}
}

func TestBusyMachineIsTold(t *testing.T) {
	if got := shortOf(result{Procs: 2, Lent: 1.1}); !strings.Contains(got, "lent 1.1 processors") {
		t.Errorf("%q", got)
	}
	for _, quiet := range []result{{Procs: 2, Lent: 1.9}, {Procs: 1}} {
		if got := shortOf(quiet); got != "" {
			t.Errorf("%+v: %q", quiet, got)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"-time", "0s"}, {"more"}, {"-run", "nothing"},
		{"-unknown"}} {
		if err := run(args, new(bytes.Buffer)); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}
