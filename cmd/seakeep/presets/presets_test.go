package presets_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/presets"
	"github.com/seakeep/seakeep/cmd/seakeep/review/check"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/internal/race"
)

func write(t *testing.T, p presets.Preset, o presets.Options) (string, *config.File) {
	t.Helper()
	text, err := p.Write(o)
	if err != nil {
		t.Fatal(err)
	}
	file, err := config.Parse(p.Name+".yaml", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return string(text), file
}

// A first file has no mistake, no warning and nothing to find.
func TestPresetsAreClean(t *testing.T) {
	for _, p := range presets.All() {
		text, file := write(t, p, presets.Options{})
		if len(file.Warnings()) > 0 {
			t.Errorf("%s: %v", p.Name, file.Warnings())
		}
		for _, f := range check.Files([]*config.File{file}) {
			t.Errorf("%s:%d: %s: %s", p.Name, f.Line, f.Rule, f.Why)
		}
		for i, line := range strings.Split(text, "\n") {
			if len(line) > 120 || strings.TrimRight(line, " ") != line {
				t.Errorf("%s:%d: too long, or spaces at its end: %s", p.Name, i+1, line)
			}
		}
	}
}

// Whatever was measured, what follows from it fits it. Where a rate or a latency
// was not given check says that it cannot judge, and no more.
func TestPresetsFollowFigures(t *testing.T) {
	race.OneGoroutine(t)
	forms := []struct{ p50, p99, p999 float64 }{ // times the p99, where they are given
		{0.25, 1, 2}, {0, 1, 0}, {0.5, 1, 0}, {0, 1, 1.2}, {1, 1, 1}, {0.05, 1, 15}, {0, 0, 2}, {0.1, 0, 3},
		{0.3, 0, 0}}
	for _, p := range presets.All() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			for _, rate := range []float64{0, 0.02, 5, 333, 8000} {
				if p.Many {
					fits(t, p, presets.Figures{Rate: max(rate, 0.02)})
					continue
				}
				for _, p99 := range []time.Duration{20 * time.Microsecond, 3 * time.Millisecond, 18 * time.Millisecond,
					75 * time.Millisecond, 700 * time.Millisecond, 4 * time.Second, time.Minute} {
					for _, form := range forms {
						times := func(by float64) time.Duration { return time.Duration(by * float64(p99)) }
						f := presets.Figures{Rate: rate, P50: times(form.p50), P99: times(form.p99), P999: times(form.p999)}
						if f.TooMany() == 0 {
							fits(t, p, f)
						}
					}
				}
			}
		})
	}
}

func fits(t *testing.T, p presets.Preset, f presets.Figures) {
	t.Helper()
	text, file := write(t, p, presets.Options{Service: "mine", Figures: &f})
	for _, w := range file.Warnings() {
		t.Errorf("%+v: %v", f, w)
	}
	for _, found := range check.Files([]*config.File{file}) {
		if found.Rule != "measured-missing" || f.Rate > 0 && f.P99+f.P999 > 0 {
			t.Errorf("%+v: line %d: %s: %s\n%s", f, found.Line, found.Rule, found.Why, text)
		}
	}
}

// A limit of a crawler that is long on purpose says so, and only where it must.
func TestLongOnPurpose(t *testing.T) {
	p, _ := presets.Find("crawler")
	for p999, ignored := range map[time.Duration]bool{3 * time.Millisecond: true, 15 * time.Second: false} {
		text, _ := write(t, p, presets.Options{Figures: &presets.Figures{Rate: 10, P999: p999}})
		if !strings.Contains(text, "request: 30s") ||
			strings.Contains(text, "seakeep:ignore timeout-too-long: ") != ignored {
			t.Errorf("%v:\n%s", p999, text)
		}
	}
}

func TestPresetsSettings(t *testing.T) {
	for name, want := range map[string][]string{
		"cache":        {"request: 20ms", "retry: none", "omit: {status: 404}"},
		"rate-limiter": {"request: 5ms", "consecutive: 5", "for: 2s", "per: key"},
		"payments":     {"failover: {to: second-provider", "idempotent: by-call"},
		"notification": {"share: 20%, window: 30s", "jitter: full"},
		"feed-ranker":  {"request: 100ms", "cache: {stale: ", `{"order":"time"}`},
		"proximity":    {"request: 30ms", "cache: {stale: "},
		"ticketing":    {"degrade: ["},
		"crawler":      {"request: 30s", "body: 10MiB"},
		"checkout":     {"request: 150ms", "request: 200ms", "request: 3s", "status: 202"},
	} {
		p, ok := presets.Find(name)
		if !ok {
			t.Fatal(name)
		}
		text, file := write(t, p, presets.Options{})
		if file.Service != name {
			t.Errorf("%s: the service is %s", name, file.Service)
		}
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s has no %q", name, w)
			}
		}
	}
	if _, ok := presets.Find("nothing"); ok {
		t.Error("there is a preset for nothing")
	}
	if len(strings.Split(presets.Names(), ", ")) != len(presets.All()) {
		t.Error(presets.Names())
	}
}

// A limit that healthy calls run into gives way; figures that nobody gave are
// not made up.
func TestFiguresMoveTheNumbers(t *testing.T) {
	cache, _ := presets.Find("cache")
	for _, tc := range []struct {
		figures presets.Figures
		want    string
	}{
		{presets.Figures{P99: 40 * time.Millisecond}, "request: 100ms"},
		{presets.Figures{P99: 40 * time.Millisecond}, "measured: {p99: 40ms}\n"},
		{presets.Figures{}, "# measured: {"},
		{presets.Figures{}, "this is a guess"},
		{presets.Figures{Rate: 333, P99: 75 * time.Millisecond}, "limit: 50}"},
		{presets.Figures{P999: time.Millisecond}, "request: 3ms"},
	} {
		text, _ := write(t, cache, presets.Options{Figures: &tc.figures, Endpoint: "http://10.0.0.7:6379"})
		if !strings.Contains(text, tc.want) || !strings.Contains(text, `["http://10.0.0.7:6379"]`) {
			t.Errorf("%+v: no %q in\n%s", tc.figures, tc.want, text)
		}
	}
}

func ExamplePreset_Write() {
	p, _ := presets.Find("proximity")
	text, err := p.Write(presets.Options{Service: "map"})
	fmt.Println(strings.Contains(string(text), "service: map\n"), err)
	// Output: true <nil>
}
