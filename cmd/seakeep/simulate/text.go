package simulate

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seakeep/seakeep/sim/study"
)

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer, s Style) error {
	var b strings.Builder
	t := &textReport{Report: r, Style: s, b: &b}
	t.head()
	t.figures()
	t.charts()
	t.breakers()
	t.causes()
	t.notes()
	t.assumptions()
	t.findings()
	_, err := io.WriteString(w, b.String())
	return err
}

// textReport is a report while it is being written.
type textReport struct {
	*Report
	Style
	b *strings.Builder
}

func (t *textReport) line(format string, args ...any) {
	t.b.WriteString(t.text(fmt.Sprintf(format, args...)) + "\n")
}

func (t *textReport) title(text string) {
	t.b.WriteString("\n" + t.paint(bold, t.text(text)) + "\n")
}

func (t *textReport) head() {
	sc := t.Scenario
	t.b.WriteString(t.paint(bold, sc.Name))
	if sc.About != "" {
		t.b.WriteString(": " + sc.About)
	}
	t.b.WriteString("\n")
	for _, set := range t.Sets {
		t.line("with %s", set)
	}
	t.line("%s", t.method())
}

// method says how the figures were made.
func (r *Report) method() string {
	s := r.Summary
	text := seconds(s.For)
	if s.Warmup > 0 {
		text += fmt.Sprintf(", of which the first %s are left out", seconds(s.Warmup))
	}
	text += fmt.Sprintf("; %s from seed %d", plural(s.Runs, "run", "runs"), s.Seed)
	if s.Runs == 1 {
		return text + "; rates of a single run have no interval (±?)"
	}
	return text + "; ± holds the truth in 95 of 100 cases"
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// column is a figure and its heading. One that is there for rare events only is
// left out where there were none.
type column struct {
	heading, figure string
	rare            bool
}

var (
	endpointColumns = []column{{"sent/s", study.Sent, false}, {"success", study.Success, false},
		{"fallback", study.Fallback, true}, {"p50", study.P50, false}, {"p99", study.P99, false},
		{"p99.9", study.P999, false}}
	failureColumns = []column{{"gave up", study.GaveUp, true}, {"limit passed", study.TimedOut, true},
		{"refused", study.Refused, true}, {"error", study.Errored, true}}
	serviceColumns = []column{{"requests/s", study.Rate, false}, {"busy", study.Busy, false},
		{"queued", study.Queued, true}, {"most busy", study.MostBusy, false},
		{"most queued", study.MostQueued, true}, {"refused/s", study.Refused, true},
		{"limit at the end", study.Limit, true}}
	dependencyColumns = []column{{"calls/s", study.Calls, false}, {"attempts/s", study.Attempts, false},
		{"per call", study.Amplification, false}, {"rejected", study.Rejected, true},
		{"fallback", study.Fallback, true}}
	breakerColumns = []column{{"changes in a run", study.Transitions, false},
		{"not closed", study.Open, false}}
)

// rows makes a table of rows of the summary.
func rows(heading string, all []study.Row, columns []column) *table {
	tb := &table{}
	cells := []string{heading}
	for _, c := range columns {
		cells = append(cells, c.heading)
	}
	tb.add(cells...)
	for i := range all {
		cells = []string{all[i].Name}
		for _, c := range columns {
			cells = append(cells, c.cell(all[i].Figure(c.figure)))
		}
		tb.add(cells...)
	}
	for i := len(columns) - 1; i >= 0; i-- {
		if columns[i].rare && tb.empty(i+1) {
			tb.remove(i + 1)
		}
	}
	return tb
}

// cell is a figure in the column. A rare event that never was is a bare 0.
func (c column) cell(f study.Figure) string {
	if c.rare && f.Mean == 0 && (f.Half == 0 || f.Unit == study.Share) {
		return "0"
	}
	return f.Bare()
}

func (t *textReport) figures() {
	for _, tb := range t.tables() {
		t.b.WriteString("\n")
		tb.write(t.b, t.Style)
	}
}

// serviceTable is the table of services, with how many workers each has.
func (r *Report) serviceTable() *table {
	t := rows("service", r.Summary.Services, serviceColumns)
	for n, row := range t.rows {
		workers := "workers"
		if n > 0 {
			workers = r.workers(n - 1)
		}
		t.rows[n] = append([]string{row[0], workers}, row[1:]...)
	}
	return t
}

// workers says how many workers service i has.
func (r *Report) workers(i int) string {
	v := r.Scenario.Services[i]
	switch {
	case v.Workers == 0:
		return "-"
	case v.Instances > 1:
		return fmt.Sprintf("%d x %d", v.Instances, v.Workers)
	}
	return fmt.Sprint(v.Workers)
}

func (t *textReport) causes() {
	if !t.Why {
		return
	}
	t.title(fmt.Sprintf("why (the run of seed %d, counted)", t.Summary.Seed))
	if len(t.Causes) == 0 {
		t.line("nothing happened")
	}
	for _, c := range t.Causes {
		t.line("%9s  %s", study.At(c.At, t.Summary.For), c.Text)
	}
}

func (t *textReport) notes() {
	t.title("theory and measurement")
	for _, n := range t.Report.notes() {
		t.line("- %s", n)
	}
}

// notes are what to know beside the figures.
func (r *Report) notes() []string {
	return append(append(study.Notes(r.Scenario, r.Summary), r.Unmet...),
		"percentiles are of answered requests only; a refused request has failed")
}

func (t *textReport) assumptions() {
	all := study.Assumptions(t.Scenario)
	if len(all) == 0 {
		return
	}
	t.title("what decides the result, each to be changed with --set KEY=VALUE")
	tb := &table{}
	for _, a := range all {
		tb.add(a.Key+"="+a.Value, a.Text)
	}
	tb.left(t.b, t.Style)
}

func (t *textReport) findings() {
	if len(t.Findings) == 0 {
		return
	}
	t.title("expected")
	for _, f := range t.Findings {
		colour := green
		if !f.Holds {
			colour = red
		}
		t.b.WriteString(t.paint(colour, t.text(f.Text())) + "\n")
	}
}

// seconds writes a time for an axis.
func seconds(d time.Duration) string {
	if d == 0 {
		return "0 s"
	}
	return study.Seconds.Text(d.Seconds())
}
