package review

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/config"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

func parse(t *testing.T, name string, data []byte) *config.File {
	t.Helper()
	f, err := config.Parse(name, data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Each file of testdata, and the example that the documents point to, with the
// page that it comes to.
func TestPagesGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range append(files, "../../../examples/checkout/seakeep.yaml") {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		if name == "seakeep" {
			name = "checkout"
		}
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := New(parse(t, "seakeep.yaml", data), "seakeep.yaml").Write(&b); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || b.String() != string(want) {
				t.Errorf("%v; differs from %s, which -update rewrites:\n%s", err, golden, b.String())
			}
			for line := range strings.Lines(b.String()) {
				if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width &&
					!strings.Contains(line, "warning") && strings.Contains(strings.TrimSpace(line), " ") {
					t.Errorf("a line has %d columns: %s", n, line)
				}
			}
		})
	}
}

// told is what the JSON of a sheet tells, as a program reads it.
type told struct {
	Dependencies []struct {
		Off    []string
		Worst  struct{ MS float64 }
		Load   map[string]any
		Slots  map[string]float64
		Shards struct {
			Shards, Size, Endpoints     int
			Failed, Degraded, Untouched float64
			Sharing                     []Share
		}
		Failover struct {
			To     string
			BackMS float64 `json:"back_ms"`
		}
		Rungs []Rung
	}
}

// What is in a page is in the JSON, as numbers.
func TestJSON(t *testing.T) {
	const text = `version: 1
service: s
dependencies:
  a:
    endpoints: [http://a1, http://a2, http://a3, http://a4, http://a5, http://a6, http://a7, http://a8]
    measured: {rate: 100/s, p50: 20ms, p99: 80ms}
    timeout: {request: 200ms, total: 500ms}
    retry: {attempts: 3, backoff: {base: 50ms, jitter: none}, budget: {ratio: 20%, floor: 10/s}}
    bulkhead: {limit: 20}
    shards: {size: 2, key: X-Tenant}
    failover: {to: b, back: {after: 10s, begin: 50%, step: 1s}}
  b: {endpoints: [http://b]}
`
	data, err := json.Marshal(New(parse(t, "f", []byte(text)), "f"))
	if err != nil {
		t.Fatal(err)
	}
	var got told
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	a, b := got.Dependencies[0], got.Dependencies[1]
	if a.Worst.MS != 500 || b.Worst.MS != 0 {
		t.Errorf("worst: %v and %v ms", a.Worst.MS, b.Worst.MS)
	}
	if a.Load["most_per_call"] != 3.0 || a.Load["lasting_per_call"] != 1.3 {
		t.Errorf("load: %v", a.Load)
	}
	if a.Slots["at_p50"] != 2 || a.Slots["at_p99"] != 8 || a.Slots["when_it_hangs"] != 50 ||
		a.Slots["full_after_ms"] != 200 {
		t.Errorf("slots: %v", a.Slots)
	}
	if s := a.Shards; s.Shards != 28 || s.Size != 2 || s.Endpoints != 8 || s.Failed != 1.0/28 ||
		s.Untouched < 0.5357 || len(s.Sharing) != 3 {
		t.Errorf("shards: %+v", s)
	}
	if a.Failover.To != "b" || a.Failover.BackMS != 11_000 {
		t.Errorf("failover: %+v", a.Failover)
	}
	if !strings.Contains(strings.Join(b.Off, " "), "breaker") || len(a.Rungs) == 0 {
		t.Errorf("off: %v", b.Off)
	}
}

// The longest that a call may take, and what one call may become, by settings.
func TestWorstAndLoad(t *testing.T) {
	for _, c := range []struct {
		settings string
		ms       float64
		most     int
		lasting  float64
	}{
		{"{}", 0, 1, 1},
		{"{timeout: {total: 1s}}", 1000, 1, 1},
		{"{timeout: {request: 200ms}}", 200, 1, 1},
		{"{timeout: {request: 200ms, mode: observe}}", 0, 1, 1},
		{"{timeout: {request: 100ms}, retry: {attempts: 3, backoff: {base: 10ms}}}", 330, 3, 0},
		{"{timeout: {request: 100ms}, retry: {attempts: 3, backoff: {base: 10ms, cap: 15ms}}}", 325, 3, 0},
		{"{timeout: {request: 100ms}, retry: {attempts: 3, backoff: {base: 10ms, jitter: decorrelated}}}", 420, 3, 0},
		{"{timeout: {request: 100ms}, retry: {attempts: 3, mode: observe}}", 100, 1, 1},
		{"{timeout: {request: 100ms, acquire: 50ms}, bulkhead: {limit: 5, queue: 5}}", 150, 1, 1},
		{"{timeout: {request: 100ms, acquire: 50ms}, bulkhead: {limit: 5}}", 100, 1, 1},
		{"{timeout: {total: 1s}, retry: {attempts: 4, budget: none}}", 1000, 4, 4},
		{"{timeout: {total: 1s}, retry: {attempts: 2, budget: {ratio: 100%, floor: 3/s}}, measured: {rate: 1/s}}", 1000, 2, 2},
		{"{timeout: {total: 1s}, retry: {attempts: 2, budget: {ratio: 20%, floor: 0/s}}}", 1000, 2, 1.2},
		{"{timeout: {total: 1s}, retry: {attempts: 2, budget: {tokens: 10}}}", 1000, 2, 1},
		{"{timeout: {total: 1s}, retry: {attempts: 2, budget: {concurrent: 20%}}}", 1000, 2, 0},
		{"{timeout: {total: 1s}, hedge: {copies: 2, budget: 5%}}", 1000, 3, 1.05},
		{"{timeout: {total: 1s}, hedge: {copies: 2, budget: 5%}, retry: {attempts: 3, budget: none}}", 1000, 3, 3.05},
		{"{timeout: {total: 1s}, hedge: {copies: 2, mode: observe}}", 1000, 1, 1},
	} {
		f := parse(t, "f", []byte("version: 1\nservice: s\ndependencies:\n  a: "+c.settings+"\n"))
		d := New(f, "f").Dependencies[0]
		if d.Worst.MS != c.ms || d.Load.Most != c.most || d.Load.Lasting != c.lasting {
			t.Errorf("%s: worst %v ms (%s), %d and %v requests a call (%s)", c.settings, d.Worst.MS, d.Worst.How,
				d.Load.Most, d.Load.Lasting, d.Load.How)
		}
	}
}
