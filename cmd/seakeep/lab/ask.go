package lab

import (
	"bytes"

	"github.com/seakeep/seakeep/cmd/seakeep/explore"
	"github.com/seakeep/seakeep/config"
)

const (
	edgeRuns    = 3
	compareRuns = 5
)

// edge is "seakeep sim edge".
func edge(q *Question) (answer, error) {
	d, err := q.World.draft()
	if err != nil {
		return answer{}, err
	}
	e := explore.EdgeQuestion{Draft: d, Key: q.Edge.Key, From: q.Edge.From, To: q.Edge.To,
		Until: q.Edge.Until, Runs: q.Edge.Runs, Within: q.Within}
	if e.Runs <= 0 {
		e.Runs = edgeRuns
	}
	a, err := explore.Edge(e)
	if err != nil {
		return answer{}, err
	}
	var b bytes.Buffer
	err = a.JSON(&b)
	return answer{Edge: b.Bytes()}, err
}

// compare is "seakeep sim compare".
func compare(q *Question) (answer, error) {
	var s [2]*config.Scenario
	for i, w := range []*World{&q.World, &q.Other} {
		var err error
		if s[i], err = w.parse(); err != nil {
			return answer{}, err
		}
	}
	runs := q.Runs
	if runs <= 0 {
		runs = compareRuns
	}
	a, err := explore.Compare(explore.Sides{A: s[0], B: s[1], NameA: "A", NameB: "B"}, runs)
	if err != nil {
		return answer{}, err
	}
	var b bytes.Buffer
	err = a.JSON(&b)
	return answer{Compare: b.Bytes()}, err
}

// policy is what a page has to know of a policy file to build a world around it.
type policy struct {
	Service      string   `json:"service"`
	Dependencies []string `json:"dependencies"`
	Door         bool     `json:"door"` // it has a section serve
	Warnings     []fault  `json:"warnings"`
}

func inspect(text string) (answer, error) {
	f, err := config.Parse("policy.yaml", []byte(text))
	if err != nil {
		return answer{}, err
	}
	p := &policy{Service: f.Service, Dependencies: []string{}, Door: f.Serve != nil, Warnings: []fault{}}
	for _, d := range f.Dependencies {
		p.Dependencies = append(p.Dependencies, d.Name)
	}
	for _, w := range f.Warnings() {
		p.Warnings = append(p.Warnings, fault{w.File, w.Line, w.Column, w.Path, w.Problem, w.Fix})
	}
	return answer{Policy: p}, nil
}
