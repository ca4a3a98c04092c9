package check

import (
	"slices"

	"github.com/seakeep/seakeep/config"
)

// Rule is one thing to look at.
type Rule struct {
	ID       string // stable: suppressions and dashboards name it
	Severity Severity
	Title    string // what is wrong, in a few words
	Why      string
	Number   string // what is worked out
	Fix      string
	Bites    string // what has to happen

	// One of these looks, or file and graph do. settings looks at a dependency and at each of its
	// operations, and what it finds at an operation counts only if the
	// operation writes one of the keys; dependency at a dependency, file at a
	// file, and graph at all of them.
	settings, dependency func(*subject)
	file                 func(*subject)
	graph                func(*graph, *Rule)
}

// Rules returns all rules, ordered by what they look at.
func Rules() []*Rule { return slices.Clone(rules) }

// Find returns the rule of that name, or nil.
func Find(id string) *Rule {
	for _, r := range rules {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// rules is filled below, because rules refer to Find.
var rules []*Rule

func init() {
	rules = slices.Concat(timeoutRules, deadlineRules, retryRules, breakerRules, openRules, bulkheadRules,
		hedgeRules,
		fallbackRules, endpointRules, connectionRules, serveRules, fileRules, graphRules, commentRules)
}

// Report is what was found.
type Report struct {
	Findings   []Finding // by file, then by place
	Suppressed []Finding // that comments take away, with their reasons
}

// Files returns what is wrong with the files, which may call one another.
// What comments take away is left out.
func Files(files []*config.File) []Finding { return Run(files).Findings }

// Run is Files, and tells what comments took away too.
func Run(files []*config.File) *Report {
	r := &Report{Findings: []Finding{}, Suppressed: []Finding{}}
	sources := make([]*source, len(files))
	for i, f := range files {
		sources[i] = &source{File: f, places: f.Places()}
	}
	for _, s := range sources {
		s.look()
	}
	g := newGraph(sources)
	for _, rule := range rules {
		if rule.graph != nil {
			rule.graph(g, rule)
		}
	}
	for _, s := range sources {
		s.idle()
		slices.SortStableFunc(s.found, byPlace)
		left, gone := suppress(s)
		r.Findings = append(r.Findings, left...)
		r.Suppressed = append(r.Suppressed, gone...)
	}
	return r
}

// Worst reports whether there is a finding at least as severe.
func (r *Report) Worst(at Severity) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity >= at })
}
