package load

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// Report is a whole run.
type Report struct {
	Tool    string   `json:"tool"` // "seakeep load"
	URL     string   `json:"url"`
	Method  string   `json:"method"`
	GoodMS  float64  `json:"good_within_ms"`
	Timeout float64  `json:"timeout_ms"`
	Most    int      `json:"connections"`
	Limit   Limit    `json:"limit"`
	Steps   []Result `json:"steps"`
}

// ToolName marks reports of this program among JSON files.
const ToolName = "seakeep load"

// Header is the line above those of steps.
func Header() string {
	return fmt.Sprintf("%9s %9s %9s   %26s   %26s   %7s\n", "", "", "", "from the planned start, ms",
		"from the real send, ms", "sent") +
		fmt.Sprintf("%9s %9s %9s   %6s %6s %6s %6s  %6s %6s %6s %6s   %7s  %s\n", "offered/s", "good/s",
			"good", "p50", "p99", "p99.9", "max", "p50", "p99", "p99.9", "max", "late", "not good")
}

// Line tells of one step.
func (r Result) Line() string {
	share := 0.0
	if r.Due > 0 {
		share = 100 * float64(r.Good) / float64(r.Due)
	}
	line := fmt.Sprintf("%9.1f %9.1f %7.1f %%   %s  %s   %5sms  %s", r.Offered, r.Goodput, share,
		r.FromPlan.row(), r.FromSend.row(), ms(r.Late.P99), r.troubles())
	return strings.TrimRight(line, " ") + "\n"
}

func (p Percentiles) row() string {
	return fmt.Sprintf("%6s %6s %6s %6s", ms(p.P50), ms(p.P99), ms(p.P999), ms(p.Max))
}

// ms writes milliseconds in three figures or so.
func ms(v float64) string {
	switch {
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// troubles lists what was not good, by kind.
func (r Result) troubles() string {
	var parts []string
	failed := 0
	for _, kind := range slices.Sorted(maps.Keys(r.Errors)) {
		parts = append(parts, fmt.Sprintf("%s %d", kind, r.Errors[kind]))
		failed += r.Errors[kind]
	}
	if slow := r.Due - r.NotSent - failed - r.Good; slow > 0 {
		parts = append([]string{fmt.Sprintf("too slow %d", slow)}, parts...)
	}
	if r.NotSent > 0 {
		parts = append(parts, fmt.Sprintf("not sent in time %d", r.NotSent))
	}
	if r.Cut {
		parts = append(parts, "(ended early: it could not hold any more)")
	}
	if r.Generator {
		parts = append(parts, "(THIS MACHINE WAS LATE)")
	}
	return strings.Join(parts, ", ")
}

// WriteText prints what follows from the steps.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	if r.NothingGood() != "" { // there is nothing to draw, and no limit
		return nil
	}
	b.WriteString("\n" + Plot(r.Steps) + "\n")
	good := live.Short(time.Duration(r.GoodMS * float64(time.Millisecond)))
	l := r.Limit
	switch {
	case l.Holds > 0 && l.Fails > 0:
		fmt.Fprintf(&b, "The limit is between %.4g/s, where %.0f %% are answered with 2xx within %s, and %.4g/s, "+
			"where they are not.\n", l.Holds, 100*Held, good, l.Fails)
	case l.Fails > 0:
		fmt.Fprintf(&b, "No rate held: at %.4g/s fewer than %.0f %% were answered with 2xx within %s.\n", l.Fails,
			100*Held, good)
	case l.Holds > 0:
		fmt.Fprintf(&b, "The limit is above %.4g/s: %s.\n", l.Holds, l.Why)
	default:
		fmt.Fprintf(&b, "No limit was found: %s.\n", l.Why)
	}
	if l.Fails > 0 && l.Why != "" {
		fmt.Fprintf(&b, "The search ended there: %s.\n", l.Why)
	}
	b.WriteString(r.beyond())
	_, err := io.WriteString(w, b.String())
	return err
}

// beyond says what the server does past its limit.
func (r *Report) beyond() string {
	var last *Result
	for i := range r.Steps {
		s := &r.Steps[i]
		if !s.Cut && !s.Holds && !s.Generator && (last == nil || s.Offered > last.Offered) {
			last = s
		}
	}
	if last == nil || r.Limit.Best == 0 {
		return ""
	}
	return fmt.Sprintf("Past it, at %.4g/s, goodput is %.4g/s: %.0f %% of the most that was seen, %.4g/s.\n",
		last.Offered, last.Goodput, 100*last.Goodput/r.Limit.Best, r.Limit.Best)
}
