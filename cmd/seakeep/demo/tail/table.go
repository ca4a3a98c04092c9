package tail

import (
	"fmt"
	"io"
	"strings"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// headline says what runs and heads the rows.
func (r *Report) headline() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d replicas behind the proxy take %v and an exponential %v for a request.\n",
		r.Replicas, floor, mean-floor)
	fmt.Fprintf(&b, "Replica %d stalls for %v in %g%% of its requests; replica %d is %d times as slow.\n",
		r.Stalls, stall, 100*stallShare, r.Slow, slower)
	fmt.Fprintf(&b, "%g requests a second, the same for all:\n\n", r.Rate)
	fmt.Fprintf(&b, "%-11s %8s %6s %6s %6s %6s %8s %7s %s\n", "", "requests", "p50", "p99", "p99.9",
		"max", ">500ms", "extra", "out")
	return b.String()
}

// row writes one run.
func (r *Report) row(name string) string {
	v := r.find(name)
	return fmt.Sprintf("%-11s %8d %4.0fms %4.0fms %4.0fms %4.0fms %7.3f%% %6.2f%% %s\n", title(name),
		v.Requests, v.P50, v.P99, v.P999, v.Max, 100*v.Stalled, 100*v.ExtraLoad, v.outText())
}

func title(name string) string { return strings.ReplaceAll(name, "_", " ") }

// outText says who was out.
func (v *Variant) outText() string {
	if len(v.Ejected) == 0 {
		return "-"
	}
	var all []string
	for _, e := range v.Ejected {
		all = append(all, fmt.Sprintf("%d, %.0fs", e.Replica, e.ForS))
	}
	return strings.Join(all, "; ")
}

// WriteText writes what the rows do not say: a picture, and what held.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	if r.Interrupted {
		b.WriteString("\nStopped early.\n")
	}
	if p := r.picture(); p != "" {
		b.WriteString("\n" + p + "\n" + r.abouts())
	}
	if len(r.Holds) > 0 {
		b.WriteString("\n" + live.Verdicts(r.Holds))
	}
	late, skipped := 0.0, uint64(0)
	for _, name := range names() {
		if v := r.find(name); v != nil {
			late, skipped = max(late, v.LateMS), skipped+v.Skipped
		}
	}
	b.WriteString(live.Excuse(late, skipped))
	_, err := io.WriteString(w, b.String())
	return err
}

// abouts says what the names mean.
func (r *Report) abouts() string {
	var b strings.Builder
	for _, name := range names() {
		switch {
		case r.find(name) == nil:
		case name == allSlow:
			fmt.Fprintf(&b, "%-11s both, while each replica takes %d times as long\n", name, slower)
		default:
			fmt.Fprintf(&b, "%-11s %s\n", title(name), variantOf(name).about)
		}
	}
	return b.String()
}
