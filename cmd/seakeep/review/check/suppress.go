package check

import (
	"regexp"
	"slices"
	"strings"
)

var commentRules = []*Rule{
	{ID: "ignore-without-reason", Severity: Warning, Title: "a finding is taken away and nobody knows why",
		Why: "Who reads the file in a year has to know whether the reason still holds. Without one the " +
			"comment takes nothing away.",
		Number: "reasons, beside one",
		Fix:    "# seakeep:ignore RULE: the reason",
		Bites:  "what was ignored happens"},
	{ID: "ignore-unused", Severity: Warning, Title: "a comment takes nothing away",
		Why: "Its finding was mended or moved. Left behind, the comment hides the next one at this " +
			"place.",
		Number: "findings that it takes away, beside one",
		Fix:    "remove it, or move it to the line of the finding",
		Bites:  "a new finding comes up at the same place"},
	{ID: "ignore-unknown", Severity: Warning, Title: "a comment names a rule that is not there",
		Why:    "It takes nothing away, though whoever wrote it believes that it does.",
		Number: "rules of that name, beside one",
		Fix:    "a name from seakeep check --list-rules",
		Bites:  "what was meant happens"},
}

// ignoring is a comment that takes findings away.
type ignoring struct {
	line, column int // of the comment
	at           int // the line whose findings it is about
	rules        []string
	reason       string
	used         []bool // by rule
}

var (
	ignoreForm  = regexp.MustCompile(`(?:^|\s)#\s*seakeep:ignore\b([^:]*)(?::(.*))?$`)
	onlyComment = regexp.MustCompile(`^\s*#`)
)

// ignorings reads the comments. One that stands alone is about the next line
// that is no comment.
func ignorings(text string) (all []*ignoring) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		m := ignoreForm.FindStringSubmatchIndex(line)
		if m == nil {
			continue
		}
		v := &ignoring{line: i + 1, at: i + 1, column: strings.IndexByte(line[m[0]:], '#') + m[0] + 1}
		v.rules = strings.FieldsFunc(line[m[2]:m[3]], func(r rune) bool { return r == ',' || r == ' ' })
		if m[4] >= 0 {
			v.reason = strings.TrimSpace(line[m[4]:m[5]])
		}
		if onlyComment.MatchString(line) {
			for v.at++; v.at <= len(lines) && onlyComment.MatchString(lines[v.at-1]); v.at++ {
			}
		}
		v.used = make([]bool, len(v.rules))
		all = append(all, v)
	}
	return all
}

// suppress parts the findings of a file, and adds those about its comments.
func suppress(s *source) (left, gone []Finding) {
	comments := ignorings(string(s.Text()))
	for _, f := range s.found {
		if reason, ok := taken(comments, f); ok {
			f.Reason = reason
			gone = append(gone, f)
			continue
		}
		left = append(left, f)
	}
	for _, c := range comments {
		left = append(left, c.judge(s.Name())...)
	}
	slices.SortStableFunc(left, byPlace)
	return left, gone
}

func taken(comments []*ignoring, f Finding) (reason string, ok bool) {
	for _, c := range comments {
		i := slices.Index(c.rules, f.Rule)
		if c.at != f.Line || i < 0 {
			continue
		}
		c.used[i] = true
		if c.reason != "" {
			reason, ok = c.reason, true
		}
	}
	return reason, ok
}

// judge is what is wrong with the comment itself.
func (c *ignoring) judge(file string) (all []Finding) {
	add := func(id, why string, n Number, fix string) {
		r := Find(id)
		all = append(all, Finding{Rule: id, Severity: r.Severity, File: file, Line: c.line,
			Column: c.column, Why: why, Number: n, Fix: fix, Changes: []Change{}, Bites: r.Bites})
	}
	if len(c.rules) == 0 {
		add("ignore-unknown", "the comment names no rule",
			Number{"rules that it names", 0, 1, ""}, "write # seakeep:ignore RULE: the reason")
	}
	for i, name := range c.rules {
		switch {
		case Find(name) == nil:
			add("ignore-unknown", "there is no rule "+name, Number{"rules of that name", 0, 1, ""},
				"take a name from seakeep check --list-rules")
		case c.reason == "":
			add("ignore-without-reason", "the comment does not say why "+name+" does not matter here",
				Number{"reasons", 0, 1, ""}, "write # seakeep:ignore "+name+": the reason")
		case !c.used[i]:
			add("ignore-unused", "there is no finding of "+name+" on the line that it is about",
				Number{"findings that it takes away", 0, 1, ""}, "remove the comment")
		}
	}
	return all
}
