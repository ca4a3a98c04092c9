package demo

import (
	"fmt"
	"io"
	"strings"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// WriteTable writes the report for people, and what to try next. program is
// how the demo was called, for example "seakeep demo".
func (r *Report) WriteTable(w io.Writer, program string) error {
	var b strings.Builder
	b.WriteString(r.title())
	fmt.Fprintf(&b, "%-16s %6s %6s %8s %6s %8s %6s %6s %8s\n", "endpoint", "sent", "ok",
		"fallback", "failed", "success", "p50", "p99", "calls/s")
	for _, name := range names {
		e := r.Endpoints[name]
		fmt.Fprintf(&b, "%-16s %6d %6d %8d %6d %8s %6s %6s %8.1f\n", name, e.Sent, e.OK,
			e.Fallback, e.Failed, figure(e.Success, 100, 2, "%"), figure(e.P50, 1, 0, "ms"),
			figure(e.P99, 1, 0, "ms"), r.CallsTo[name])
	}
	fmt.Fprintf(&b, "\nAt most %d of %d workers were busy", r.Pool.MaxBusy, r.Pool.Size)
	if r.Pool.Refused > 0 {
		fmt.Fprintf(&b, "; %d requests found none free and a full queue", r.Pool.Refused)
	}
	b.WriteString(".\n")
	if r.Orders > 0 {
		fmt.Fprintf(&b, "What was slow was changed %s at the wall; that is in the figures.\n",
			times(r.Orders))
	}
	if r.Skipped > 0 {
		fmt.Fprintf(&b, "%d requests were not made and count as failed: %d were under way.\n",
			r.Skipped, live.MaxOutstanding)
	}
	if r.Late > live.TooLate {
		fmt.Fprintf(&b, "Some requests were made %.0fms late, because this machine was too "+
			"busy for\nexact figures. The wait is part of them.\n", r.Late)
	}
	for _, name := range names {
		if n := len(r.Breakers[name]); n > 0 {
			fmt.Fprintf(&b, "The breaker of %s changed %s.\n", name, times(n))
		}
	}
	b.WriteString("\nTry:\n")
	for _, t := range r.tries() {
		fmt.Fprintf(&b, "  %s %s\n      %s\n", program, t.flags, t.why)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// title says what the figures are about.
func (r *Report) title() string {
	var b strings.Builder
	b.WriteByte('\n')
	if r.Interrupted {
		fmt.Fprintf(&b, "Stopped after %.1fs. ", r.RanS)
	}
	fmt.Fprintf(&b, "With protect: %s, ", r.Protect)
	switch {
	case len(r.options.Slow) == 0:
		b.WriteString("and nothing slow:\n")
	case r.CountedS == 0:
		b.WriteString("before anything got slow:\n")
	default:
		b.WriteString("while\n")
		for _, s := range r.options.Slow {
			fmt.Fprintf(&b, "  %s (%s to %s)\n", s.what(), live.Short(s.Start), live.Short(s.end()))
		}
	}
	b.WriteByte('\n')
	return b.String()
}

// figure writes a number that may not be there.
func figure(x *float64, scale float64, digits int, unit string) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.*f%s", digits, *x*scale, unit)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// try is a command that shows something else.
type try struct{ flags, why string }

// tries returns three commands that show something else than this run.
func (r *Report) tries() (list []try) {
	protect := r.options.Protect
	for _, t := range []struct {
		try
		seen bool
	}{
		{try{"--protect none", "without protection: watch pricing and inventory"},
			protect == None},
		{try{"--protect all", "with every rung of the policy file"}, protect == All},
		{try{"--protect timeout,retry --rate 1000",
			"a retry storm: three attempts for each call fill the pool again"},
			protect == Timeout|Retry},
		{try{"--protect timeout,retry,budget --rate 1000", "and a retry budget that ends it"},
			protect != Timeout|Retry},
		{try{"--protect bulkhead --slow recommendations=none@5s+15s",
			"a dependency that never answers: its own workers are stuck, and no others"},
			protect == Bulkhead},
	} {
		if !t.seen && len(list) < 3 {
			list = append(list, t.try)
		}
	}
	return list
}
