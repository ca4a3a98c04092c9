package alerts

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// Allowed is how long nothing may work in a period.
func Allowed(goal float64, period time.Duration) time.Duration {
	return time.Duration((1 - goal) * float64(period)).Round(time.Millisecond)
}

// Minutes writes a budget as the field does: 43.2 minutes.
func Minutes(d time.Duration) string {
	if d < time.Minute {
		return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
	}
	return strconv.FormatFloat(float64(d.Round(6*time.Second))/float64(time.Minute), 'f', -1, 64) + " minutes"
}

// Percent writes a share.
func Percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 1, 64) + " %" }

// Goal writes an objective.
func Goal(v float64) string { return strconv.FormatFloat(100*v, 'g', 8, 64) + " %" }

// Write prints a replay for people.
func (r *Replay) Write(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s over %s, so %s of complete failure\n", r.Objective, Goal(r.Goal),
		Window(r.Period), Minutes(Allowed(r.Goal, r.Period)))
	share := 0.0
	if r.Events > 0 {
		share = float64(r.Bad) / float64(r.Events)
	}
	fmt.Fprintf(w, "the incident: %d of %d events are bad (%s), for %s\n\n", r.Bad, r.Events,
		Percent(share), short(r.For))
	if len(r.Fired) == 0 {
		fmt.Fprintf(w, "no alert fires; %s of the budget is spent\n", Percent(r.Spent))
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "after\talert\t\tspent then\tclears after")
	for _, f := range r.Fired {
		what := f.Alert
		if f.Window != "" {
			what = "burn over " + f.Window
		}
		clears := "not within " + short(r.Lasted)
		if f.Clears >= 0 {
			clears = short(f.Clears)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", short(f.After), what, f.Severity, Percent(f.Spent), clears)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nspent by the incident: %s of the budget; left by the rules: %s\n",
		Percent(r.Spent), Percent(r.Left))
	return err
}

// short writes a time without its zeros: 43m30s, 1h.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
