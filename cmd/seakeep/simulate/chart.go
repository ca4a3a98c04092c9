package simulate

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seakeep/seakeep/sim/study"
)

// picture is one curve over time, or several on the same scale.
type picture struct {
	Title  string
	Unit   study.Unit
	Top    float64 // the end of the scale
	Limit  float64 // a line across; 0: none
	Says   string  // what the line across is
	Curves []curve // drawn together in a page, one below the other in a terminal
	Sparse bool    // curves of nothing are left out
}

type curve struct {
	Name   string
	Values []float64
}

// pictures are those of a report, in its order.
func (r *Report) pictures() (all []picture) {
	s := r.Summary
	success := picture{Title: "success", Unit: study.Share, Top: 1}
	stood := picture{Title: "answered by a fallback", Unit: study.Share, Top: 1, Sparse: true}
	for _, e := range s.Endpoints {
		success.add(e.Name, s.Over(e.Key+"."+study.Success))
		stood.add(e.Name, s.Over(e.Key+"."+study.Fallback))
	}
	all = append(all, success, stood)
	load := picture{Title: "load, requests a second", Unit: study.PerSecond}
	for i, v := range s.Services {
		load.add(v.Name, s.Over(v.Key+"."+study.Rate))
		n := r.Scenario.Services[i].Workers * r.Scenario.Services[i].Instances
		if n == 0 {
			continue
		}
		busy := picture{Title: v.Name + ": busy workers", Top: float64(n), Limit: float64(n),
			Says: fmt.Sprintf("all %d", n)}
		busy.add("busy", s.Over(v.Key+"."+study.Busy))
		queue := picture{Title: v.Name + ": requests that wait"}
		queue.add("waiting", s.Over(v.Key+"."+study.Queued))
		all = append(all, busy, queue)
	}
	all = append(all, load)
	open := picture{Title: "breakers that are not closed", Unit: study.Share, Top: 1, Sparse: true}
	for _, d := range s.Dependencies {
		open.add(d.Name, s.Over(d.Key+"."+study.Open))
	}
	all = append(all, open)
	return used(all)
}

func (p *picture) add(name string, s *study.Series) {
	if s != nil {
		p.Curves = append(p.Curves, curve{name, s.Values})
	}
}

// used leaves out pictures without anything on them, and finds the scales of
// the others.
func used(all []picture) (kept []picture) {
	for _, p := range all {
		most := 0.0
		var some []curve
		for _, c := range p.Curves {
			high := c.most()
			if most = max(most, high); high > 0 || !p.Sparse {
				some = append(some, c)
			}
		}
		if most == 0 {
			continue
		}
		if p.Curves = some; p.Top == 0 {
			p.Top = round(most)
		}
		kept = append(kept, p)
	}
	return kept
}

// most is the highest value.
func (c *curve) most() (most float64) {
	for _, v := range c.Values {
		if v > most { // not a number never is
			most = v
		}
	}
	return most
}

// round returns the next larger round number, for the end of a scale.
func round(x float64) float64 {
	for by := 1.0; ; by *= 10 {
		for _, digits := range []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8} {
			if top := digits * by; top >= x {
				return top
			}
		}
	}
}

const chartWidth = 60

func (t *textReport) charts() {
	all := t.pictures()
	if len(all) == 0 {
		return
	}
	label := 0
	for _, p := range all {
		for _, c := range p.Curves {
			label = max(label, utf8.RuneCountInString(c.Name)+2)
		}
	}
	label = min(max(label, 18), 40)
	t.title(fmt.Sprintf("over time, the mean of %s", plural(t.Summary.Runs, "run", "runs")))
	end := seconds(t.Summary.For)
	t.line("%s  0 s%s%s", strings.Repeat(" ", label), strings.Repeat(" ", chartWidth-3-len(end)), end)
	marks, legend := t.marks()
	if legend != nil {
		t.line("%-*s  %s", label, "changes", marks)
	}
	for _, p := range all {
		t.line("%s, 0 to %s", p.Title, p.Unit.Text(p.Top))
		for _, c := range p.Curves {
			t.line("  %-*s  %s", label-2, cut(c.Name, label-2), t.spark(c.Values, p.Top, chartWidth))
		}
	}
	for _, l := range legend {
		t.line("%s", l)
	}
}

// marks shows where the scenario changes something.
func (t *textReport) marks() (row string, legend []string) {
	cells := []byte(strings.Repeat(" ", chartWidth))
	for i, c := range study.Script(t.Scenario) {
		if i >= 26 {
			break
		}
		at := min(int(float64(c.At)/float64(t.Summary.For)*chartWidth), chartWidth-1)
		for at < chartWidth-1 && cells[at] != ' ' {
			at++
		}
		cells[at] = letter(i)[0]
		legend = append(legend, fmt.Sprintf("%s %9s  %s", letter(i), study.At(c.At, t.Summary.For), c.Text))
	}
	return strings.TrimRight(string(cells), " "), legend
}

func cut(text string, width int) string {
	if runes := []rune(text); len(runes) > width {
		return string(runes[:width-3]) + "..."
	}
	return text
}

// mostChanges is how many changes of a breaker are listed.
const mostChanges = 8

// breakers lists the last changes of each breaker in the first run.
func (t *textReport) breakers() {
	first := true
	for _, d := range t.Summary.First().Dependencies {
		n := len(d.Timeline)
		if n == 0 || d.Users > 1 {
			continue
		}
		if first {
			t.title(fmt.Sprintf("breakers (the run of seed %d)", t.Summary.Seed))
			first = false
		}
		text := ""
		for i, x := range d.Timeline[max(0, n-mostChanges):] {
			if i > 0 {
				text += ", "
			}
			text += fmt.Sprintf("%s %s", study.At(x.At, t.Summary.For), x.To)
		}
		if n > mostChanges {
			text = "... " + text
		}
		t.line("%s > %s: %s", d.By, d.Name, text)
	}
}
