package top

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
)

var headings = []string{" ", "dependency", "calls/s", "success", "answered", "p50", "p99", "p99.9", "breaker",
	"in flight", "retries", "hedges", "fallback", "budget left"}

func cells(d *schema.Dependency) []string {
	mark, p50, p99, p999 := " ", "-", "-", "-"
	if d.Badness >= 0.5 {
		mark = "!"
	}
	if l := d.Latency; l != nil {
		p50, p99, p999 = schema.MS(l.P50MS), schema.MS(l.P99MS), schema.MS(l.P999MS)
	}
	left := schema.Percent(d.SLOLeft)
	if d.SLOLeft == nil && d.RetryBudget != nil {
		left = fmt.Sprintf("%d retries", d.RetryBudget.Left)
	}
	return []string{mark, clean(d.Name), schema.Number(d.Rate), schema.Percent(d.Success),
		schema.Percent(d.Answered), p50, p99, p999, clean(schema.BreakerWord(d.Breaker)),
		schema.SlotsWord(d.InFlight, d.Bulkhead), schema.Number(d.RetryRatio), schema.Number(d.HedgeRatio),
		schema.Percent(d.Fallback), left}
}

// clean is a text without what moves a cursor.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '�'
		}
		return r
	}, text)
}

// table lays rows out under their headings: words to the left, numbers to the
// right.
func table(rows [][]string) (lines []string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			gap := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			switch {
			case i == 0:
				b.WriteString(cell + gap)
			case i == 1 || i == 8:
				b.WriteString("  " + cell + gap)
			default:
				b.WriteString("  " + gap + cell)
			}
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}

// door is a line about requests that come in.
func door(v *schema.Serve) string {
	text := fmt.Sprintf("comes in %s/s", schema.Number(v.Rate))
	if v.Slots != nil {
		text += ", served " + schema.SlotsWord(0, v.Slots)
	}
	for _, c := range v.Classes {
		if c.Offered > 0 {
			text += fmt.Sprintf(" | %s %s/s, shed %s", c.Name, schema.Number(c.Offered), schema.Number(c.Shed))
		}
	}
	if v.Degrade != nil && v.Degrade.Level > 0 {
		text += fmt.Sprintf(" | left out: %s", clean(strings.Join(v.Degrade.Off, ", ")))
	}
	return text
}

// sentence is a line about a change.
func sentence(e *schema.Event) string {
	at := time.UnixMilli(int64(e.AtMS)).Format("15:04:05")
	if e.Kind == schema.KindLever {
		became := "done"
		if !e.Accepted {
			became = "refused, " + e.Detail
		}
		return clean(fmt.Sprintf("%s  lever %s by %s: %s (%s)", at, e.Lever, e.By, became, e.Why))
	}
	text := fmt.Sprintf("%s  %s  %s", at, e.Policy, e.Kind)
	if e.From != "" || e.To != "" {
		text += fmt.Sprintf(": %s to %s", e.From, e.To)
	}
	for _, more := range []string{e.Reason, e.Key, e.Detail} {
		if more != "" {
			text += ", " + more
		}
	}
	return clean(text)
}
