package tune

import (
	"fmt"
	"io"
	"strings"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// WriteText prints the report for people, without the patch.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, a := range r.Advice {
		a.text(&b)
	}
	if len(r.Unknown) > 0 {
		fmt.Fprintf(&b, "The source has these as well, which the file does not: %s\n", strings.Join(r.Unknown, ", "))
	}
	if len(r.Missing) > 0 {
		fmt.Fprintf(&b, "The source has nothing of: %s\n", strings.Join(r.Missing, ", "))
	}
	for i, s := range r.Shows {
		if i == 0 {
			b.WriteString("By what was measured, seakeep check now finds what is for somebody to decide:\n")
		}
		b.WriteString(block("", s))
	}
	if r.Patch != "" {
		b.WriteString("Comments stay as they are: read those beside the lines that changed.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (a *Advice) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s: %s calls", a.Dependency, thousands(a.Calls))
	if a.Seconds > 0 {
		fmt.Fprintf(b, " in %s", shown(a.Seconds))
	}
	if a.Rate > 0 {
		fmt.Fprintf(b, ", %s", perSecond(a.Rate))
	}
	fmt.Fprintf(b, ", %s failed, %s cut off\n", percent(a.Errors), thousands(a.CutOff))
	for _, q := range a.Quantiles {
		fmt.Fprintf(b, "  %-6s %9s   95%% sure: %s to %s\n", q.Name, inMS(q.Value), inMS(q.Low), inMS(q.High))
	}
	fmt.Fprintf(b, "  drift  %s\n", a.Drift)
	for _, n := range a.Notes {
		b.WriteString(block("note", n))
	}
	for _, p := range a.Proposals {
		from := p.Now
		if from == "" {
			from = "nothing"
		}
		fmt.Fprintf(b, "  change %s: %s -> %s\n", p.Path, from, p.Value)
		b.WriteString(block("", p.Why))
	}
	for _, k := range a.Kept {
		b.WriteString(block("keep", k))
	}
	if a.Effect != nil {
		for _, w := range a.Effect.Worlds {
			fmt.Fprintf(b, "  simulated, %s:\n  %-40s %-24s %s\n", w.About, "", "as it is", "as proposed")
			for _, p := range w.Pairs {
				fmt.Fprintf(b, "  %-40s %-24s %s\n", p.Name, p.AsIs, p.Proposed)
			}
		}
	}
	b.WriteString("\n")
}

func inMS(v *float64) string {
	if v == nil {
		return "unknown"
	}
	return shown(*v / 1000)
}

// block is a paragraph behind a word.
func block(word, text string) string {
	margin := strings.Repeat(" ", 9)
	return "  " + fmt.Sprintf("%-7s", word) + live.Wrapped(text, margin, 100)[len(margin):]
}
