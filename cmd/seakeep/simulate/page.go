package simulate

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/seakeep/seakeep/sim/study"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// page is what the template shows.
type page struct {
	Name, About string
	Sets        []string
	Method      string
	Runs        string
	Seed        uint64
	Findings    []study.Finding
	Tables      [][][]string
	Marks       []moment
	Charts      []chart
	Causes      []moment
	Notes       []string
	Assumptions []study.Assumption
	Command     string
}

type moment struct{ At, Kind, Text string }

type chart struct {
	Title  string
	Legend []legend
	SVG    template.HTML
}

type legend struct{ Class, Name string }

// WriteHTML writes the report as one page that needs nothing else: no script,
// no font, no picture from anywhere.
func (r *Report) WriteHTML(w io.Writer) error {
	s := r.Summary
	p := page{Name: r.Scenario.Name, About: r.Scenario.About, Sets: r.Sets, Method: r.method(),
		Runs: plural(s.Runs, "run", "runs"), Seed: s.Seed, Findings: r.Findings, Notes: r.notes(),
		Assumptions: study.Assumptions(r.Scenario), Command: r.command(),
		Causes: moments(r.Causes, s, false)}
	script := study.Script(r.Scenario)
	p.Marks = moments(script, s, true)
	for _, t := range r.tables() {
		p.Tables = append(p.Tables, t.rows)
	}
	for _, c := range r.pictures() {
		one := chart{Title: c.Title, SVG: c.svg(s.For, script)}
		for i, curve := range c.Curves {
			one.Legend = append(one.Legend, legend{fmt.Sprintf("c%d", i%colours), curve.Name})
		}
		p.Charts = append(p.Charts, one)
	}
	return pageTemplate.Execute(w, p)
}

// tables are those of the report.
func (r *Report) tables() (all []*table) {
	s := r.Summary
	for _, t := range []*table{
		rows("endpoint", s.Endpoints, endpointColumns),
		rows("why it failed, of all", s.Endpoints, failureColumns),
		r.serviceTable(),
		rows("door, by class", offered(s.Doors), doorColumns),
		rows("door refuses, /s", s.Refusals, refusalColumns()),
		rows("calls", s.Dependencies, dependencyColumns),
		rows("breaker", moved(s.Dependencies), breakerColumns),
	} {
		if len(t.rows) > 1 && len(t.rows[0]) > 1 {
			all = append(all, t)
		}
	}
	return all
}

// moved are the dependencies whose breaker did anything.
func moved(all []study.Row) (some []study.Row) {
	for i := range all {
		if f := all[i].Figure(study.Open); f.Mean > 0 || f.Half > 0 {
			some = append(some, all[i])
		}
	}
	return some
}

// moments makes lines of causes; lettered ones have the letter of their mark.
func moments(causes []study.Cause, s *study.Summary, lettered bool) (all []moment) {
	for i, c := range causes {
		kind := c.Kind.String()
		if lettered {
			kind = letter(i)
		}
		all = append(all, moment{study.At(c.At, s.For), kind, c.Text})
	}
	return all
}

// command is how to make the report again.
func (r *Report) command() string {
	words := []string{"seakeep", "sim", quoted(r.File)}
	for _, set := range r.Sets {
		words = append(words, "--set", quoted(set))
	}
	if s := r.Summary; s.Runs != r.Scenario.Runs {
		words = append(words, "--runs", fmt.Sprint(s.Runs))
	}
	return strings.Join(words, " ")
}

// quoted keeps a shell from reading anything but a word.
func quoted(text string) string {
	for _, c := range text {
		safe := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			strings.ContainsRune("-_./=:,%+@", c)
		if !safe {
			return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
		}
	}
	return text
}
