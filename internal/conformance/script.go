// Package conformance holds scripts of arrivals and answers that the library,
// the HTTP client, the proxy and the simulator must all turn into the same
// decisions. That they share the policies' code is a claim; this is its test.
package conformance

import (
	"bufio"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
)

// Script is a policy, when calls arrive, and what the dependency does with each
// attempt.
type Script struct {
	Name   string
	Policy *config.File
	Text   string // of the policy
	// Deadline is how long after its arrival each call is waited for; zero: for
	// ever.
	Deadline time.Duration
	Arrives  []time.Duration
	Answers  [][]Answer // by call, by attempt; the last one stands for all that follow
	Want     []string   // the decisions
}

// Answer is what the dependency does with an attempt.
type Answer struct {
	After  time.Duration
	Status int           // 0: it never answers
	Retry  time.Duration // Retry-After
}

// Result is what the answer means to the policies.
func (a Answer) Result() core.Result {
	switch {
	case a.Status == 429:
		return core.Result{Outcome: core.Overloaded, Cause: core.TooMany, RetryAfter: a.Retry}
	case a.Status == 503:
		return core.Result{Outcome: core.Overloaded, Cause: core.Unavailable, RetryAfter: a.Retry}
	case a.Status == 502 || a.Status == 504:
		return core.Result{Outcome: core.Failure, Cause: core.BadGateway}
	case a.Status >= 500:
		return core.Result{Outcome: core.Failure, Cause: core.ServerError}
	case a.Status >= 400:
		return core.Result{Outcome: core.Ignored, Cause: core.ClientError}
	}
	return core.Result{Outcome: core.Success}
}

// Answer returns what the dependency does with an attempt; calls count from 0.
func (s *Script) Answer(call, attempt int) Answer {
	list := s.Answers[min(call, len(s.Answers)-1)]
	return list[min(attempt, len(list)-1)]
}

// Half is what every draw of a script is: calls that run side by side draw in no
// order that all ways of running them share.
func Half() float64 { return 0.5 }

// End is by when everything in the script is over.
func (s *Script) End() time.Duration {
	return s.Arrives[len(s.Arrives)-1] + time.Minute
}

// Parse reads a script: the policy, a line "---", one line for each call (when
// it arrives, and its answers: "0ms 20ms 200 | 30ms 503 retry 1s | never"), a
// line "---", and the decisions. Before the calls may stand "deadline 100ms".
func Parse(name, text string) (*Script, error) {
	parts := strings.SplitN(text, "---\n", 3)
	if len(parts) != 3 {
		return nil, fmt.Errorf("%s: want a policy, calls and decisions, with --- between", name)
	}
	f, err := config.Parse(name, []byte(parts[0]))
	if err != nil {
		return nil, err
	}
	s := &Script{Name: name, Policy: f, Text: parts[0]}
	lines := bufio.NewScanner(strings.NewReader(parts[1]))
	for lines.Scan() {
		line, _, _ := strings.Cut(lines.Text(), "#")
		limit, isLimit := strings.CutPrefix(strings.TrimSpace(line), "deadline ")
		switch {
		case strings.TrimSpace(line) == "":
		case isLimit:
			s.Deadline, err = time.ParseDuration(limit)
		default:
			err = s.call(line)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", name, line, err)
		}
	}
	for line := range strings.Lines(parts[2]) {
		if line = strings.TrimRight(line, "\n"); line != "" && !strings.HasPrefix(line, "#") {
			s.Want = append(s.Want, line)
		}
	}
	return s, nil
}

func (s *Script) call(line string) error {
	at, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	d, err := time.ParseDuration(at)
	if err != nil {
		return err
	}
	var answers []Answer
	for _, one := range strings.Split(rest, "|") {
		a, err := answer(strings.Fields(one))
		if err != nil {
			return err
		}
		answers = append(answers, a)
	}
	s.Arrives = append(s.Arrives, d)
	s.Answers = append(s.Answers, answers)
	return nil
}

func answer(f []string) (a Answer, err error) {
	if len(f) == 1 && f[0] == "never" {
		return a, nil
	}
	if len(f) != 2 && len(f) != 4 {
		return a, fmt.Errorf("want an answer such as 20ms 200, or never")
	}
	if a.After, err = time.ParseDuration(f[0]); err != nil {
		return a, err
	}
	if a.Status, err = strconv.Atoi(f[1]); err == nil && len(f) == 4 {
		a.Retry, err = time.ParseDuration(f[3])
	}
	return a, err
}

// Log turns events into the lines that are compared. Times are from the start
// of the script; fallbacks are left out, because a simulated one has no answer.
func Log(events []core.Event, start core.Instant) []string {
	var out []string
	for _, e := range events {
		if e.Kind == core.FallbackAnswered || e.Kind == core.FallbackRefused {
			continue
		}
		line := fmt.Sprintf("%v %v", e.At.Sub(start), e.Kind)
		if e.Kind == core.BreakerChanged {
			line += " " + e.From + " to " + e.To
		}
		if e.Reason != core.NoReason {
			line += " for " + e.Reason.String()
		}
		if e.Outcome != 0 {
			line += " " + e.Outcome.String()
		}
		if e.Cause != core.NoCause {
			line += " by " + e.Cause.String()
		}
		if e.Took != 0 {
			line += " " + e.Took.String()
		}
		if e.Kind == core.AttemptStarted && e.Detail != "" {
			line += " as " + e.Detail
		}
		if e.Observed {
			line += ", only observed"
		}
		out = append(out, line)
	}
	return out
}

// Instants puts the lines of each instant in an order that says nothing. Calls
// that run side by side have none within an instant, and over HTTP a call has
// ended when its answer's headers are there, and gives back what it holds when
// its body has: at the same instant, but a little later.
func Instants(lines []string) []string {
	at := func(line string) string { return line[:strings.IndexByte(line, ' ')] }
	out := slices.Clone(lines)
	for from := 0; from < len(out); {
		to := from
		for to < len(out) && at(out[to]) == at(out[from]) {
			to++
		}
		slices.Sort(out[from:to])
		from = to
	}
	return out
}
