package simulate

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
	"time"

	"github.com/seakeep/seakeep/sim/study"
)

// The measures of a chart in a page, in the units of its own picture.
const (
	chartWide, chartHigh = 880.0, 190.0
	chartLeft            = 64.0
	chartRight           = 12.0
	chartTop, chartFoot  = 14.0, 26.0
)

// svg draws a picture over the time of a run, with the changes of the scenario
// as lines across.
func (p *picture) svg(length time.Duration, marks []study.Cause) template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg role="img" viewBox="0 0 %g %g" aria-label="%s over time">`, chartWide,
		chartHigh, html.EscapeString(p.Title))
	p.grid(&b, length)
	drawMarks(&b, length, marks)
	if p.Limit > 0 {
		y := p.up(p.Limit)
		fmt.Fprintf(&b, `<line class="limit" x1="%g" x2="%g" y1="%.1f" y2="%.1f"/>`, chartLeft,
			chartWide-chartRight, y, y)
		fmt.Fprintf(&b, `<text x="%g" y="%.1f" text-anchor="end">%s</text>`, chartWide-chartRight,
			y+12, html.EscapeString(p.Says))
	}
	for i, c := range p.Curves {
		p.line(&b, i, c.Values)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// drawMarks draws the changes of the scenario, those of one moment as one line.
func drawMarks(b *strings.Builder, length time.Duration, marks []study.Cause) {
	for i := 0; i < len(marks); {
		at, letters := marks[i].At, ""
		for ; i < len(marks) && marks[i].At == at; i++ {
			letters += letter(i)
		}
		x := acrossAt(at, length)
		fmt.Fprintf(b, `<line class="mark" x1="%.1f" x2="%.1f" y1="%g" y2="%g"/>`, x, x, chartTop,
			chartHigh-chartFoot)
		fmt.Fprintf(b, `<text class="mark" x="%.1f" y="%g">%s</text>`, x+2, chartTop-3, letters)
	}
}

// letter names a change of the scenario, in charts and beside them.
func letter(i int) string { return string('a' + rune(i%26)) }

// acrossAt is where a moment is.
func acrossAt(at, length time.Duration) float64 {
	return chartLeft + float64(at)/float64(length)*(chartWide-chartLeft-chartRight)
}

// up is how high a value is.
func (p *picture) up(v float64) float64 {
	return chartHigh - chartFoot - v/p.Top*(chartHigh-chartTop-chartFoot)
}

// grid draws the axes, with a few marks.
func (p *picture) grid(b *strings.Builder, length time.Duration) {
	const rows, columns = 4, 5
	for i := 0; i <= rows; i += 2 {
		v := p.Top * float64(i) / rows
		y := p.up(v)
		fmt.Fprintf(b, `<line class="grid" x1="%g" x2="%g" y1="%.1f" y2="%.1f"/>`, chartLeft,
			chartWide-chartRight, y, y)
		fmt.Fprintf(b, `<text x="%g" y="%.1f" text-anchor="end">%s</text>`, chartLeft-6, y+4,
			p.Unit.Text(v))
	}
	for i := 0; i <= columns; i++ {
		at := length * time.Duration(i) / columns
		anchor := "middle"
		if i == columns {
			anchor = "end"
		}
		fmt.Fprintf(b, `<text x="%.1f" y="%g" text-anchor="%s">%s</text>`, acrossAt(at, length),
			chartHigh-8, anchor, seconds(at))
	}
}

// line draws one curve. Where there is no value, it is interrupted.
func (p *picture) line(b *strings.Builder, k int, values []float64) {
	var path strings.Builder
	pen := byte('M')
	for i, v := range values {
		if math.IsNaN(v) {
			pen = 'M'
			continue
		}
		x := chartLeft + (float64(i)+0.5)/float64(len(values))*(chartWide-chartLeft-chartRight)
		fmt.Fprintf(&path, "%c%.1f %.1f", pen, x, p.up(min(v, p.Top)))
		pen = 'L'
	}
	fmt.Fprintf(b, `<path class="curve c%d" d="%s"/>`, k%colours, path.String())
}

// colours is how many the page has. Curves beyond them share one.
const colours = 8
