package lab

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/seakeep/seakeep/cmd/seakeep/curves"
	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
	"github.com/seakeep/seakeep/cmd/seakeep/simulate"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim"
	"github.com/seakeep/seakeep/sim/study"
)

// World is a scenario file and the policy files that it names.
type World struct {
	Scenario string            `json:"scenario"` // the text
	Files    map[string]string `json:"files"`    // texts, by the path from the scenario's folder
	Sets     []string          `json:"sets"`     // KEY=VALUE, as --set takes them
}

// Question is what a page may ask. Op is one of
//
//	start    makes the first run of a world and answers a report and its threads
//	more     makes one more run of that world and answers the report of all
//	why      tells what led to what in the first run, which takes several times as long as a run
//	edge     bisects a key, see Edge
//	compare  runs World and Other on the same arrivals
//	inspect  reads Policy and answers what is in it
//	events   makes the first run of a world and answers its events
//	predict  makes one run of a world and answers its curves, see package curves
type Question struct {
	Op      string  `json:"op"`
	World   World   `json:"world"`
	Other   World   `json:"other"`
	Threads string  `json:"threads"` // with start: the service to show; empty: the first that has workers
	Policy  string  `json:"policy"`
	Edge    Edge    `json:"edge"`
	Runs    int     `json:"runs"` // with compare: seeds; 0: 5
	Within  float64 `json:"within"`
	Seed    uint64  `json:"seed"`   // with predict: added to the scenario's
	StepS   float64 `json:"step_s"` // with predict: of the curves; 0: 1
	Calls   bool    `json:"calls"`  // with events: those about single calls too
	Most    int     `json:"most"`   // with events: how many at most; 0: 1000
}

// Edge is where to look for an edge.
type Edge struct {
	Key   string `json:"key"`
	From  string `json:"from"` // a value as a file has it
	To    string `json:"to"`
	Until string `json:"until"` // a statement, such as endpoints.pricing.success < 99%
	Runs  int    `json:"runs"`  // for each value; 0: 3
}

// answer is what a page gets. What is not asked for is left out.
type answer struct {
	Report  json.RawMessage `json:"report,omitempty"` // as "seakeep sim --json" prints it, after why with --why
	Runs    int             `json:"runs,omitempty"`   // made so far
	Wanted  int             `json:"wanted,omitempty"` // by the scenario
	Threads *threads        `json:"threads,omitempty"`
	Held    []held          `json:"held,omitempty"` // threads by route, in all runs so far
	Edge    json.RawMessage `json:"edge,omitempty"`
	Compare json.RawMessage `json:"compare,omitempty"`
	Policy  *policy         `json:"policy,omitempty"`
	Curves  *curves.Curves  `json:"curves,omitempty"`
	Events  []schema.Event  `json:"events,omitempty"` // as docs/dashboard-api.md has them
	Missed  int             `json:"missed,omitempty"` // events beyond as many as there may be
	Error   string          `json:"error,omitempty"`
	Faults  []fault         `json:"faults,omitempty"` // mistakes in the files
}

// fault is a mistake in a file, and how to mend it.
type fault struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Path    string `json:"path"`
	Problem string `json:"problem"`
	Fix     string `json:"fix"`
}

// Lab answers questions. Its zero value is ready. It keeps the runs of the last
// world that was started, so that more can be made.
type Lab struct {
	scenario *config.Scenario
	results  []*sim.Result
	sets     []string
	held     tally
}

// Answer answers a question. What is wrong with it is in the answer.
func (l *Lab) Answer(question []byte) (out []byte) {
	var a answer
	defer func() {
		// A broken book of the simulator must not take the page with it.
		if p := recover(); p != nil {
			*l = Lab{}
			out = encode(answer{Error: fmt.Sprintf("the simulator gave up: %v", p)})
		}
	}()
	var q Question
	d := json.NewDecoder(bytes.NewReader(question))
	d.DisallowUnknownFields()
	err := d.Decode(&q)
	if err == nil {
		a, err = l.answer(&q)
	}
	if err != nil {
		a = answer{Error: err.Error()}
		var all config.Errors
		if errors.As(err, &all) {
			for _, e := range all {
				a.Faults = append(a.Faults, fault{e.File, e.Line, e.Column, e.Path, e.Problem, e.Fix})
			}
		}
	}
	return encode(a)
}

func encode(a answer) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(a); err != nil {
		return []byte(`{"error":"the answer cannot be written"}`)
	}
	return b.Bytes()
}

func (l *Lab) answer(q *Question) (answer, error) {
	switch q.Op {
	case "start":
		return l.start(q)
	case "more":
		return l.more()
	case "why":
		return l.why()
	case "edge":
		return edge(q)
	case "compare":
		return compare(q)
	case "inspect":
		return inspect(q.Policy)
	case "predict":
		return predict(q)
	case "events":
		return events(q)
	}
	return answer{}, fmt.Errorf("%q is no question; ask start, more, why, edge, compare, inspect, predict "+
		"or events", q.Op)
}

// name stands for the scenario in messages.
const name = "scenario.yaml"

// draft is the world as files that can be changed.
func (w *World) draft() (config.Draft, error) {
	d := config.Draft{Name: name, Data: []byte(w.Scenario), Open: func(p string) ([]byte, error) {
		text, ok := w.Files[path.Clean(p)]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}}
	for _, set := range w.Sets {
		key, value, _ := bytes.Cut([]byte(set), []byte("="))
		var err error
		if d, err = d.Set(string(key), string(value)); err != nil {
			return d, err
		}
	}
	return d, nil
}

// parse reads the world.
func (w *World) parse() (*config.Scenario, error) {
	d, err := w.draft()
	if err != nil {
		return nil, err
	}
	return d.Parse()
}

func (l *Lab) start(q *Question) (answer, error) {
	s, err := q.World.parse()
	if err != nil {
		return answer{}, err
	}
	*l = Lab{scenario: s, sets: q.World.Sets}
	watch := watchThreads(s, q.Threads)
	if watch != nil {
		l.held = newTally(s, &watch.threads)
	}
	if err := l.run(watch); err != nil {
		return answer{}, err
	}
	a, err := l.report(nil)
	if watch != nil {
		a.Threads = watch.done()
	}
	return a, err
}

// run makes the next run, and draws its threads if somebody watches.
func (l *Lab) run(w *watch) error {
	o := sim.Options{Seed: uint64(len(l.results))}
	if l.held.of != nil {
		l.held.begin()
		o.Worker = func(c sim.WorkerChange) {
			if c.Service != l.held.of.Service {
				return
			}
			l.held.observe(c)
			if w != nil {
				w.observe(c)
			}
		}
	}
	r, err := sim.Run(l.scenario, o)
	if err != nil {
		return err
	}
	if l.held.of != nil {
		l.held.end()
	}
	l.results = append(l.results, r)
	return nil
}

var errNothing = errors.New("nothing has been started; ask start first")

func (l *Lab) more() (answer, error) {
	if l.scenario == nil {
		return answer{}, errNothing
	}
	if len(l.results) < l.scenario.Runs {
		if err := l.run(nil); err != nil {
			return answer{}, err
		}
	}
	return l.report(nil)
}

func (l *Lab) why() (answer, error) {
	if l.scenario == nil {
		return answer{}, errNothing
	}
	log := study.NewLog(l.scenario.For)
	first, err := sim.Run(l.scenario, sim.Options{Trace: log.Observe})
	if err != nil {
		return answer{}, err
	}
	return l.report(study.Why(l.scenario, first, log))
}

// report is that of "seakeep sim" over the runs so far.
func (l *Lab) report(causes []study.Cause) (answer, error) {
	r := simulate.Report{Question: simulate.Question{File: name, Sets: l.sets, Scenario: l.scenario,
		Why: causes != nil}, Summary: study.Summarise(l.results), Causes: causes}
	var err error
	if r.Findings, err = r.Summary.Check(l.scenario.Expect); err != nil {
		return answer{}, err
	}
	var b bytes.Buffer
	err = r.WriteJSON(&b)
	return answer{Report: b.Bytes(), Runs: len(l.results), Wanted: l.scenario.Runs,
		Held: l.held.sum()}, err
}
