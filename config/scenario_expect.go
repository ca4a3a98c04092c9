package config

import (
	"fmt"
	"regexp"
	"slices"
)

const maxExpect = 1000

var (
	expectForm = regexp.MustCompile(`^\s*([^\s<>=]+)\s*(<=|>=|<|>|=)\s*([^\s<>=]+)\s*$`)
	keyForm    = regexp.MustCompile(`^[a-z][a-z0-9-]*(\.[A-Za-z0-9][A-Za-z0-9_-]*)+$`)
)

const (
	expectFix = "a statement such as endpoints.pricing.success > 99%"
	valueFix  = "a share such as 99%, a time such as 100ms, a rate such as 400/s, or a number"
)

// ParseExpectation reads a statement about the outcome of a scenario, such as
// "endpoints.pricing.success > 99%". It does not know which keys there are.
func ParseExpectation(text string) (Expectation, error) {
	e, problem, fix := parseExpectation(text)
	if problem != "" {
		return Expectation{}, fmt.Errorf("%q %s; %s", shorten(text), problem, fix)
	}
	return e, nil
}

func parseExpectation(text string) (e Expectation, problem, fix string) {
	m := expectForm.FindStringSubmatch(text)
	switch {
	case m == nil:
		return e, "is not a statement about the outcome", "give " + expectFix
	case !keyForm.MatchString(m[1]):
		return e, "does not begin with the key of a figure", "give " + expectFix
	}
	e = Expectation{Text: m[1] + " " + m[2] + " " + m[3], Key: m[1], Op: m[2]}
	value, ok := parseFigure(m[3])
	if !ok {
		return e, "does not end with a value", "give " + valueFix
	}
	e.Value = value
	return e, "", ""
}

// parseFigure reads a value of any kind: a share as a fraction, a time in
// seconds, a rate per second, a plain number as it is.
func parseFigure(text string) (float64, bool) {
	if percentForm.MatchString(text) {
		v, problem := parseShare(text)
		return v, problem == ""
	}
	if v, problem := parseFactor(text); problem == "" {
		return v, true
	}
	if v, problem := parseRate(text); problem == "" {
		return v, true
	}
	d, problem := parseDuration(text)
	return d.Seconds(), problem == ""
}

// readExpect reads the list of statements.
func (st *staging) readExpect(o *object) {
	f := o.find("expect")
	if f == nil {
		o.note("expect", nil, "nothing")
		return
	}
	items := f.items("a list of statements such as [endpoints.pricing.success > 99%]")
	if len(items) > maxExpect {
		f.fail(fmt.Sprintf("lists more than %d statements", maxExpect), "give fewer")
		return
	}
	var seen []string
	for _, item := range items {
		text, ok := textOf(item, nil, expectFix)
		if !ok {
			continue
		}
		e, problem, fix := parseExpectation(text)
		switch {
		case problem != "":
			item.fail(quote(item.node)+" "+problem, fix)
		case slices.Contains(seen, e.Text):
			item.fail(quote(item.node)+" is in the list already", "remove it")
		default:
			seen = append(seen, e.Text)
			st.s.Expect = append(st.s.Expect, e)
		}
	}
	o.note("expect", f, fmt.Sprintf("%d statements", len(seen)))
}
