package demo

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseSlow(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	for text, want := range map[string]Slow{
		"recommendations=2s@3s+12s": {"recommendations", Late, 2 * s, 3 * s, 12 * s},
		"pricing=300ms@0s+1m":       {"pricing", Late, 300 * ms, 0, time.Minute},
		"pricing=5ms@0s+1h":         {"pricing", Late, 5 * ms, 0, time.Hour},
		"inventory=down@1.5s+2s":    {"inventory", Down, 0, 1500 * ms, 2 * s},
		"inventory=none@90m+500ms":  {"inventory", Silent, 0, 90 * time.Minute, 500 * ms},
	} {
		got, err := ParseSlow(text)
		if err != nil || got != want {
			t.Errorf("ParseSlow(%q) = %+v, %v; want %+v", text, got, err, want)
		}
		if again, err := ParseSlow(got.String()); err != nil || again != got {
			t.Errorf("%q is written as %q, which reads as %+v, %v", text, got, again, err)
		}
	}
	for text, problem := range map[string]string{
		"":                        "give NAME=LATENCY@START+LENGTH",
		"pricing":                 "give NAME=LATENCY@START+LENGTH",
		"pricing=2s":              "give NAME=LATENCY@START+LENGTH",
		"pricing=2s@3s":           "give NAME=LATENCY@START+LENGTH",
		"prices=2s@3s+4s":         `no dependency "prices"; give pricing, inventory or recommend`,
		"pricing=2@3s+4s":         `"2" is no latency; give a time such as 2s`,
		"pricing=@3s+4s":          `"" is no latency`,
		"pricing=4ms@3s+4s":       `"4ms" is no latency; give a time such as 2s, from 5ms to 1h`,
		"pricing=-2s@3s+4s":       `"-2s" is no latency`,
		"pricing=2h@3s+4s":        `"2h" is no latency`,
		"pricing=dead@3s+4s":      "or down, or none for no answer",
		"pricing=2s@3+4s":         `"3" is no start; give a time since the run began`,
		"pricing=2s@-3s+4s":       `"-3s" is no start`,
		"pricing=2s@3s+4":         `"4" is no length`,
		"pricing=2s@3s+0s":        `"0s" is no length`,
		"pricing=2s@3s+-4s":       `"-4s" is no length`,
		"pricing=2s@3s+4s+5s":     `"4s+5s" is no length`,
		"pricing=2s@3s+2000h":     `"2000h" is no length; give a time such as 12s, at most 1h`,
		"pricing=99999999h@3s+4s": `"99999999h" is no latency`,
	} {
		_, err := ParseSlow(text)
		if err == nil || !strings.Contains(err.Error(), problem) ||
			!strings.HasPrefix(err.Error(), "--slow ") {
			t.Errorf("ParseSlow(%q): %v; want --slow and %q", text, err, problem)
		}
	}
}

func TestSpansAreTheUnionWithinTheRun(t *testing.T) {
	const s = time.Second
	slow := func(start, length time.Duration) Slow {
		return Slow{Name: "pricing", Start: start * s, Length: length * s}
	}
	for _, tc := range []struct {
		name string
		slow []Slow
		want []span
	}{
		{"none: the whole run", nil, []span{{0, 20 * s}}},
		{"one", []Slow{slow(3, 12)}, []span{{3 * s, 15 * s}}},
		{"beyond the end", []Slow{slow(3, 60)}, []span{{3 * s, 20 * s}}},
		{"after the end: nothing counts", []Slow{slow(20, 1)}, nil},
		{"two, not in order", []Slow{slow(10, 2), slow(1, 2)},
			[]span{{1 * s, 3 * s}, {10 * s, 12 * s}}},
		{"overlapping", []Slow{slow(1, 5), slow(2, 1), slow(4, 6)}, []span{{1 * s, 10 * s}}},
		{"touching", []Slow{slow(1, 1), slow(2, 1)}, []span{{1 * s, 3 * s}}},
	} {
		if got := spans(tc.slow, 20*s); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
	two := []span{{1 * s, 3 * s}, {10 * s, 12 * s}}
	for at, want := range map[time.Duration]bool{0: false, s: true, 3*s - 1: true, 3 * s: false,
		10 * s: true, 12 * s: false} {
		if within(two, at) != want {
			t.Errorf("within at %v is %v", at, !want)
		}
	}
	for end, want := range map[time.Duration]time.Duration{0: 0, 2 * s: s, 5 * s: 2 * s,
		11 * s: 3 * s, 20 * s: 4 * s} {
		if got := length(two, end); got != want {
			t.Errorf("length up to %v is %v, want %v", end, got, want)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, run := range []time.Duration{time.Second, 7 * time.Second, maxRun} {
		if err := Defaults(run).Validate(); err != nil {
			t.Errorf("defaults for %v: %v", run, err)
		}
	}
	if s := Defaults(30 * time.Second).Slow[0].String(); s != "recommendations=2s@5s+15s" {
		t.Errorf("by default %s", s)
	}
	for problem, change := range map[string]func(*Options){
		"--for is 999ms; give a time such as 30s":    func(o *Options) { o.For = 999 * time.Millisecond },
		"--for is 1h0m1s":                            func(o *Options) { o.For = maxRun + time.Second },
		"--rate is 0; give requests a second":        func(o *Options) { o.Rate = 0 },
		"--rate is 5001":                             func(o *Options) { o.Rate = 5001 },
		"--pool is 0; give a number of workers":      func(o *Options) { o.Pool = 0 },
		"--queue is -1; give how many requests may":  func(o *Options) { o.Queue = -1 },
		"begins when the run is over, after 2s":      func(o *Options) { o.For = 2 * time.Second },
		"pricing=down@3s+2s overlap; end one before": func(o *Options) { o.Slow[1].Start = 3 * time.Second },
	} {
		o := Defaults(30 * time.Second)
		o.Slow = []Slow{{"pricing", Late, time.Second, 2 * time.Second, 2 * time.Second},
			{"pricing", Down, 0, 4 * time.Second, 2 * time.Second},
			{"inventory", Down, 0, 3 * time.Second, 2 * time.Second}}
		if err := o.Validate(); err != nil {
			t.Fatal(err)
		}
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%v, want %q", err, problem)
		}
	}
}
