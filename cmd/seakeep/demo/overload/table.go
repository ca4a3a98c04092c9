package overload

import (
	"fmt"
	"io"
	"strings"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/core"
)

// headline says what runs and heads the rows.
func (r *Report) headline() string {
	var b strings.Builder
	fmt.Fprintf(&b, "A program of %d workers and %.0fms a request: %.0f/s. Users leave after %.0fs.\n",
		r.Workers, r.WorkMS, r.Capacity, r.PatienceMS/1000)
	fmt.Fprintf(&b, "%.0f%% critical_plus, %.0f%% critical, %.0f%% sheddable_plus, %.0f%% sheddable.\n\n",
		mix[3]*100, mix[2]*100, mix[1]*100, mix[0]*100)
	fmt.Fprintf(&b, "%15s %14s %18s %29s\n", "", "bare", "protected", "of each class, in %")
	fmt.Fprintf(&b, "%6s %8s %8s %6s %11s %6s %6s %6s %6s %6s\n", "load", "offered", "goodput", "p99",
		"goodput", "p99", "crit+", "crit", "shed+", "shed")
	return b.String()
}

// row writes point i.
func (r *Report) row(i int) string {
	var b strings.Builder
	p := &r.Bare[i]
	fmt.Fprintf(&b, "%5gx %6.0f/s %6.0f/s %6s", p.Load, p.Offered, p.Goodput, latencyText(p.P99))
	if i < len(r.Protected) {
		p = &r.Protected[i]
		fmt.Fprintf(&b, " %9.0f/s %6s", p.Goodput, latencyText(p.P99))
		for k := core.Criticalities - 1; k >= 0; k-- {
			c := p.ByClass[core.CriticalityAt(k).String()]
			fmt.Fprintf(&b, " %6s", shareText(c.ok, c.offered))
		}
	}
	b.WriteByte('\n')
	return b.String()
}

// WriteText writes what the rows do not say: a picture, and what held.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	if r.Interrupted {
		b.WriteString("\nStopped early.\n")
	}
	if len(r.Bare) > 0 {
		b.WriteString("\n" + r.picture())
		b.WriteString("\n" + live.Verdicts(r.Holds))
	}
	b.WriteString(lateness(append(append([]Point{}, r.Bare...), r.Protected...)))
	_, err := io.WriteString(w, b.String())
	return err
}

// picture draws the goodput of each point as a bar.
func (r *Report) picture() string {
	const width = 50 // is the capacity
	var b strings.Builder
	fmt.Fprintf(&b, "goodput of %.0f/s%*s\n", r.Capacity, width+2, "all of it |")
	draw := func(name, load string, p *Point) {
		n := min(max(int(p.Goodput/r.Capacity*width+0.5), 0), width+10)
		fmt.Fprintf(&b, "%6s %-9s %s\n", load, name, strings.Repeat("#", n))
	}
	for i := range r.Bare {
		draw("bare", fmt.Sprintf("%gx", r.Bare[i].Load), &r.Bare[i])
		if i < len(r.Protected) {
			draw("protected", "", &r.Protected[i])
		}
	}
	return b.String()
}

// lateness says if the figures are not to be trusted.
func lateness(points []Point) string {
	late, skipped := 0.0, uint64(0)
	for _, p := range points {
		late, skipped = max(late, p.LateMS), skipped+p.Skipped
	}
	return live.Excuse(late, skipped)
}

func latencyText(ms *float64) string {
	if ms == nil {
		return "-"
	}
	return fmt.Sprintf("%.0fms", *ms)
}
func shareText(ok, offered uint64) string {
	switch {
	case offered == 0:
		return "-"
	case ok == offered:
		return "100"
	case ok == 0:
		return "0"
	}
	return fmt.Sprintf("%.1f", min(max(100*float64(ok)/float64(offered), 0.1), 99.9))
}
