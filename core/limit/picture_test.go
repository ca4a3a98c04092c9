package limit

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/internal/race"
)

const (
	page     = "../../docs/policies/limit.md"
	pictures = "../../docs/policies/limit"
	begins   = "<!-- written by go test ./core/limit -update -->\n"
	ended    = "<!-- end -->"
)

// updating reports whether -update was given, which package golden defines.
func updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

// keep compares a file with what it must be, or writes it.
func keep(t *testing.T, file, want string) {
	t.Helper()
	if updating() {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the simulation says; look at it and run with -update", file)
	}
}

// The page's table holds the figures of every algorithm in every scenario.
func TestTableOnThePage(t *testing.T) {
	race.OneGoroutine(t)
	var b strings.Builder
	b.WriteString("\n| scenario | knee | aimd | vegas | gradient2 | envoy |\n|---|---|---|---|---|---|\n")
	for _, n := range scenarios() {
		fmt.Fprintf(&b, "| **%s**: %s |", n.name, n.about)
		for _, a := range adaptive {
			r := n.results(n.configure(a))
			fmt.Fprintf(&b, " %.0f/s, %.0f ms, %.0f |", r.served, r.p99, r.limit)
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begins)
	_, after, too := strings.Cut(rest, ended)
	if !found || !too {
		t.Fatalf("%s has no place for the table", page)
	}
	keep(t, page, before+begins+b.String()+ended+after)
}

func TestPictures(t *testing.T) {
	race.OneGoroutine(t)
	for _, n := range scenarios() {
		file := map[string]string{"overload": "overload", "wrong start": "wrong-start",
			"slower": "slower", "surge": "surge"}[n.name]
		if file == "" {
			continue
		}
		var lines []series
		for _, a := range adaptive {
			all := play(n.scenario, must(n.configure(a), 1), 1)
			lines = append(lines, seriesOf(a, all))
		}
		keep(t, filepath.Join(pictures, file+".svg"), draw(lines))
	}
}

// series are an algorithm's figures, one for every two seconds.
type series struct {
	name string
	rows [3][]float64 // limit, served a second, p99 in ms
}

func seriesOf(a Algorithm, all []second) series {
	s := series{name: a.String()}
	for i := 0; i+2 <= len(all); i += 2 {
		t := sum(all[i : i+2])
		s.rows[0] = append(s.rows[0], t.limit)
		s.rows[1] = append(s.rows[1], t.served)
		s.rows[2] = append(s.rows[2], t.p99)
	}
	return s
}

// panel is one of a picture's three diagrams.
type panel struct {
	title     string
	low, high float64
	ticks     []float64
	log       bool
}

var panels = [3]panel{
	{"limit", 2, 400, []float64{3, 10, 30, 100, 300}, true},
	{"served a second", 0, 1100, []float64{0, 250, 500, 750, 1000}, false},
	{"p99, ms", 10, 1000, []float64{10, 30, 100, 300, 1000}, true},
}

const (
	left, wide, tall, gap = 44, 660, 130, 34
	top                   = 40
)

// y returns where a value stands in a panel, in whole pixels.
func (p panel) y(v float64) int {
	f := func(x float64) float64 { return x }
	if p.log {
		f = math.Log
	}
	v = min(max(v, p.low), p.high)
	share := (f(v) - f(p.low)) / (f(p.high) - f(p.low))
	return tall - int(math.Round(share*tall))
}

const style = `<style>
text{font:12px sans-serif;fill:#333}.grid{stroke:#ccc;stroke-width:1}
polyline{fill:none;stroke-width:1.4}
.knee{stroke:#c2185b;stroke-width:2.6}.aimd{stroke:#777}.vegas{stroke:#2e7d32}
.gradient2{stroke:#1565c0}.envoy-gradient{stroke:#e08600}
@media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#444}.knee{stroke:#ff5c93}
.aimd{stroke:#aaa}.vegas{stroke:#6fcf73}.gradient2{stroke:#6fb1ff}.envoy-gradient{stroke:#ffb74d}}
</style>
`

// draw returns a picture that can be read on light and on dark ground.
func draw(lines []series) string {
	var b strings.Builder
	high := top + 3*(tall+gap)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">`+"\n", left+wide+20, high)
	fmt.Fprintf(&b, "<title>limit, throughput and latency over time, by algorithm</title>\n%s", style)
	for i, l := range lines {
		x := left + i*128
		fmt.Fprintf(&b, `<polyline class="%s" points="%d,12 %d,12"/><text x="%d" y="16">%s</text>`+"\n",
			l.name, x, x+18, x+23, l.name)
	}
	points := len(lines[0].rows[0])
	for i, p := range panels {
		fmt.Fprintf(&b, `<g transform="translate(%d,%d)"><text x="0" y="-6">%s</text>`+"\n",
			left, top+i*(tall+gap), p.title)
		for _, tick := range p.ticks {
			fmt.Fprintf(&b, `<path class="grid" d="M0 %dH%d"/><text x="-6" y="%d" text-anchor="end">%.0f</text>`+"\n",
				p.y(tick), wide, p.y(tick)+4, tick)
		}
		for at := 0; at <= 2*points; at += 30 {
			fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">%d s</text>`, at*wide/(2*points), tall+14, at)
		}
		b.WriteString("\n")
		for j := len(lines) - 1; j >= 0; j-- { // ours on top
			fmt.Fprintf(&b, `<polyline class="%s" points="`, lines[j].name)
			for k, v := range lines[j].rows[i] {
				fmt.Fprintf(&b, "%d,%d ", (2*k+1)*wide/(2*points), p.y(v))
			}
			b.WriteString("\"/>\n")
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}
