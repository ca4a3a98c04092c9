package demo

import (
	"fmt"
	"io"
	"strings"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// picture shows a run as a table on a terminal that is redrawn in place, at
// most 80 columns wide. What breakers do scrolls by above it.
type picture struct {
	stage   *stage
	out     io.Writer
	color   bool
	sampler sampler
	height  int // lines on the screen now
}

// The few commands of ECMA-48 that every terminal knows.
const (
	hideCursor = "\x1b[?25l"
	showCursor = "\x1b[?25h"
	clearLine  = "\x1b[K"
	clearBelow = "\x1b[J"
	wrap       = "\x1b[?7h"
	cut        = "\x1b[?7l" // lines at the right edge, so that a line is a row
	up         = "\x1b[%dA"

	bold   = "\x1b[1m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	red    = "\x1b[31m"
	plain  = "\x1b[0m"
)

func (p *picture) begin() { fmt.Fprint(p.out, hideCursor) }

func (p *picture) draw(changes []string) {
	s := p.sampler.sample()
	frame := p.frame(&s)
	var b strings.Builder // one write a frame, so that it does not flicker
	if p.height > 0 {
		fmt.Fprintf(&b, up, p.height)
	}
	for _, line := range changes {
		b.WriteString(line + clearLine + "\n")
	}
	b.WriteString(cut)
	for _, line := range frame {
		b.WriteString(line + clearLine + "\n")
	}
	b.WriteString(wrap + clearBelow)
	p.height = len(frame)
	_, _ = io.WriteString(p.out, b.String())
}

func (p *picture) end(changes []string) {
	p.draw(changes)
	fmt.Fprint(p.out, showCursor)
}

// frame returns the lines of the picture.
func (p *picture) frame(s *sample) []string {
	o := p.stage.options
	of := " of " + live.Short(o.For)
	if o.Stay {
		of = ", until Ctrl-C"
	}
	frame := []string{
		"",
		p.paint(bold, fmt.Sprintf("%5.1fs%s", s.at.Seconds(), of)) +
			fmt.Sprintf("   %d requests/s   protect: %v", o.Rate, o.Protect),
	}
	var ordered []*Slow
	mood := green
	for _, d := range p.stage.dependencies {
		if order := d.order.Load(); order != nil {
			ordered = append(ordered, order)
		}
		if _, slow := d.state(s.at); slow {
			mood = yellow
		}
	}
	for _, line := range news(o.Slow, ordered, s.at) {
		frame = append(frame, p.paint(mood, line))
	}
	frame = append(frame, "", fmt.Sprintf("%-16s %5s %5s %9s %7s %7s %7s   %s", "endpoint",
		"req/s", "ok", "fallback", "failed", "p50", "p99", "breaker"))
	for i, name := range names {
		frame = append(frame, p.row(s, name, &s.of[i]))
	}
	return append(frame, "", p.workers(s), fmt.Sprintf("retries   %.1f a second", s.retries()))
}

func (p *picture) row(s *sample, name string, l *lane) string {
	share := func(n uint64, color string) string {
		if n == 0 {
			color = ""
		}
		return p.paint(color, fmt.Sprintf("%d%%", live.Percent(n, l.ended())))
	}
	state := l.breaker
	if state == "" {
		state = "off"
	}
	return fmt.Sprintf("%-16s %5.0f %s %s %s %7s %7s   %s", name, s.perSecond(l.sent),
		right(share(l.ok, green), 5), right(share(l.fallback, yellow), 9),
		right(share(l.failed, red), 7), millis(l.p50), millis(l.p99), state)
}

// right pads to the right edge of a column. Colours take no room.
func right(text string, width int) string {
	seen := text
	for _, code := range []string{bold, green, yellow, red, plain} {
		seen = strings.ReplaceAll(seen, code, "")
	}
	return strings.Repeat(" ", max(width-len(seen), 0)) + text
}

// workers draws the pool as a bar.
func (p *picture) workers(s *sample) string {
	const width = 40
	size := p.stage.options.Pool
	full := (s.pool.busy*width + size - 1) / size
	color := green
	switch {
	case s.pool.busy == size:
		color = red
	case 2*s.pool.busy > size:
		color = yellow
	}
	bar := p.paint(color, strings.Repeat("#", full)) + strings.Repeat(".", width-full)
	return fmt.Sprintf("pool      [%s] %d of %d busy, %d waiting", bar, s.pool.busy, size,
		s.pool.waiting)
}

func (p *picture) paint(color, text string) string {
	if !p.color || color == "" {
		return text
	}
	return color + text + plain
}
