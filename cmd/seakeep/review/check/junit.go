package check

import (
	"encoding/xml"
	"fmt"
	"io"
)

// The parts of JUnit's reports that build servers read.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitMessage `xml:"failure"`
		Skipped *junitMessage `xml:"skipped"`
	}
	junitMessage struct {
		Type    string `xml:"type,attr,omitempty"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// junit writes a suite for each file and a case for each rule: one that found
// something has failed, and one whose finding a comment takes away was skipped.
func (o *Output) junit(w io.Writer) error {
	var all junitSuites
	for _, file := range o.Files {
		suite := junitSuite{Name: relative(file.Name())}
		for _, rule := range rules {
			suite.add(rule, file.Name(), o.Report)
		}
		all.Suites = append(all.Suites, suite)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuite) add(rule *Rule, file string, r *Report) {
	c := junitCase{Class: s.Name, Name: rule.ID}
	for _, f := range r.Suppressed {
		if f.Rule == rule.ID && f.File == file {
			c.Skipped = &junitMessage{Message: f.Reason}
		}
	}
	for _, f := range r.Findings {
		if f.Rule != rule.ID || f.File != file {
			continue
		}
		c.Skipped = nil
		if c.Failure == nil {
			c.Failure = &junitMessage{Type: f.Severity.String(), Message: f.Why}
		}
		c.Failure.Text += fmt.Sprintf("%s:%d:%d: %s\n", s.Name, f.Line, f.Column, f.message())
	}
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Skipped != nil {
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}
