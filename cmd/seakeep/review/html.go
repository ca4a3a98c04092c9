package review

import (
	_ "embed" // for plan.html
	"html/template"
	"io"
)

//go:embed plan.html
var planText string

var planPage = template.Must(template.New("plan").Parse(planText))

// section is a heading and what stands under it.
type section struct {
	Heading string
	Lines   []string
}

// WriteHTML prints the table and what follows from it as a page that needs
// nothing else, with the values in effect if they are asked for.
func (s *Sheet) WriteHTML(w io.Writer, values bool) error {
	view := struct {
		File, Service string
		Headings      []string
		Rows          [][]string
		Sections      []section
		Values        []InEffect
	}{File: s.File, Service: s.Service, Headings: headings}
	for i := range s.Table {
		view.Rows = append(view.Rows, s.Table[i].cells())
	}
	for _, v := range s.below() {
		if n := len(view.Sections); n == 0 || view.Sections[n-1].Heading != v[0] {
			view.Sections = append(view.Sections, section{Heading: v[0]})
		}
		last := &view.Sections[len(view.Sections)-1]
		last.Lines = append(last.Lines, v[1])
	}
	if values {
		view.Values = s.Values
	}
	return planPage.Execute(w, view)
}
