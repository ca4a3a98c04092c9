package explore

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// HTML writes the answer as one page that needs nothing else: the map as a
// picture, and the loop of the ramp.
func (a *MetastableAnswer) HTML(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, `<!doctype html><html lang="en"><meta charset="utf-8">
<title>%[1]s: does it come back?</title>
<style>
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
svg{display:block;margin:1rem 0}
text{font:12px system-ui,sans-serif}
pre{background:#f4f4f4;padding:1rem;overflow:auto}
</style><h1>%[1]s: does it come back?</h1>
<p>The trigger: %[2]s. The system is watched for %.0[3]f s afterwards.</p>
`, html.EscapeString(a.Scenario), html.EscapeString(a.Trigger), a.WatchS)
	a.svgMap(&b)
	if len(a.Ramp) > 0 {
		a.svgRamp(&b)
	}
	var text strings.Builder
	if err := a.Text(&text); err != nil {
		return err
	}
	fmt.Fprintf(&b, "<h2>In words</h2><pre>%s</pre></html>\n", html.EscapeString(text.String()))
	_, err := io.WriteString(w, b.String())
	return err
}

// Colours that people with any colour vision can tell apart; the mark in each
// field says the same.
var colours = map[string]string{"stable": "#9ecae1", "slow": "#fdd0a2", "stuck": "#d94801"}

func (a *MetastableAnswer) svgMap(b *strings.Builder) {
	const cell, left, top = 56, 70, 10
	width, height := left+cell*len(a.lengths)+10, top+cell*len(a.sizes)+40
	fmt.Fprintf(b, `<svg role="img" aria-label="size against length of the trigger" %s>`,
		sized(width, height))
	for i, size := range a.sizes {
		y := top + cell*(len(a.sizes)-1-i)
		fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">%.2f x</text>`, left-8, y+cell/2+4,
			size)
		for k := range a.lengths {
			c := a.Map[i*len(a.lengths)+k]
			x := left + cell*k
			fmt.Fprintf(b, `<rect x="%d" y="%d" %s fill="%s"><title>%s</title></rect>`,
				x, y, sized(cell-2, cell-2), colours[c.Phase], c.Phase)
			label(b, x+cell/2, y+cell/2+4, c.Phase)
		}
	}
	for k, l := range a.lengths {
		label(b, left+cell*k+cell/2, height-20, l.String())
	}
	b.WriteString("</svg>\n")
}

func (a *MetastableAnswer) svgRamp(b *strings.Builder) {
	const width, height, left = 560, 300, 50
	most := 1.0
	for _, p := range a.Ramp {
		most = max(most, p.Load)
	}
	at := func(load, good float64) string {
		return fmt.Sprintf("%.1f,%.1f", left+load/most*(width-left-10),
			height-30-good/most*(height-50))
	}
	line := func(colour, dash string, of func(RampStep) float64) {
		var points []string
		for _, p := range a.Ramp {
			points = append(points, at(p.Load, of(p)))
		}
		fmt.Fprintf(b, `<polyline fill="none" stroke="%s" stroke-width="2" `, colour)
		fmt.Fprintf(b, `stroke-dasharray="%s" points="%s"/>`, dash, strings.Join(points, " "))
	}
	fmt.Fprintf(b, `<h2>Load up, and down again</h2>
<svg role="img" aria-label="answered requests against load" %s>`, sized(width, height))
	fmt.Fprintf(b, `<polyline fill="none" stroke="#bbb" points="%s %s"/>`, at(0, 0), at(most, most))
	line("#2171b5", "none", func(p RampStep) float64 { return p.Up })
	line("#d94801", "6 4", func(p RampStep) float64 { return p.Down })
	fmt.Fprintf(b, `<text x="%d" y="%d">answered a second: up solid, down dashed; load to %.4g/s</text>`,
		left, height-8, most)
	b.WriteString("</svg>\n")
}

func sized(width, height int) string {
	return fmt.Sprintf(`width="%d" height="%d"`, width, height)
}

func label(b *strings.Builder, x, y int, text string) {
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`, x, y, text)
}
