package simulate

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
)

// WriteTrace makes the first run and writes every decision of every policy, one
// a line, in columns whose widths do not depend on what is in them.
func WriteTrace(w io.Writer, s *config.Scenario) error {
	out := bufio.NewWriterSize(w, 1<<16)
	width := widest(s)
	fmt.Fprintf(out, "%14s  %-*s  %-16s  %s  %-10s  %-12s  %-20s  %12s  %s\n", "second", width, "whose",
		"decision", "n", "outcome", "cause", "reason", "took", "more")
	return trace(out, s, func(e *core.Event) error { return traceLine(out, width, e) })
}

// WriteTraceJSON writes the same as JSON, one object a line, in the schema of the
// dashboard's events: numbered from 1, with at_ms since the start.
func WriteTraceJSON(w io.Writer, s *config.Scenario) error {
	out := bufio.NewWriterSize(w, 1<<16)
	lines, id := json.NewEncoder(out), uint64(0)
	lines.SetEscapeHTML(false) // names have arrows
	return trace(out, s, func(e *core.Event) error {
		id++
		v := schema.EventOf(e, schema.Millis(time.Duration(e.At)))
		v.ID = id
		return lines.Encode(v)
	})
}

// trace makes the first run and writes each decision, until that fails.
func trace(out *bufio.Writer, s *config.Scenario, write func(*core.Event) error) error {
	var failed error
	if err := TraceOf(s, func(e core.Event) {
		if failed == nil {
			failed = write(&e)
		}
	}); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	return out.Flush()
}

func traceLine(w io.Writer, width int, e *core.Event) error {
	outcome, cause, reason, took := "-", "-", "-", "-"
	if e.Outcome != 0 {
		outcome = e.Outcome.String()
	}
	if e.Cause != 0 {
		cause = e.Cause.String()
	}
	if e.Reason != core.NoReason {
		reason = e.Reason.String()
	}
	if e.Took != 0 {
		took = fmt.Sprintf("%.9f", e.Took.Seconds())
	}
	more := make([]string, 0, 4)
	if e.From != "" || e.To != "" {
		more = append(more, e.From+" to "+e.To)
	}
	for _, text := range []string{e.Key, e.Detail} {
		if text != "" {
			more = append(more, text)
		}
	}
	if e.Observed {
		more = append(more, "observed")
	}
	if len(more) == 0 {
		more = append(more, "-")
	}
	_, err := fmt.Fprintf(w, "%14.9f  %-*s  %-16s  %d  %-10s  %-12s  %-20s  %12s  %s\n",
		float64(e.At)/1e9, width, e.Policy, e.Kind, e.Attempt, outcome, cause, reason, took,
		strings.Join(more, "; "))
	return err
}

// widest is the width of the longest name of a policy's user: an instance of a
// service, or a client, and what it calls.
func widest(s *config.Scenario) (width int) {
	take := func(by string, users int, dependency string) {
		width = max(width, len(fmt.Sprintf("%s[%d]>%s", by, max(users-1, 0), dependency)))
	}
	for _, c := range s.Clients {
		name := c.Member.Dependency
		if name == "" {
			name = c.To
		}
		take(c.Name, c.Members, name)
	}
	for _, v := range s.Services {
		for _, r := range v.Routes {
			for _, step := range r.Calls {
				take(v.Name, v.Instances, step.Dependency)
			}
		}
		if v.Policy == nil {
			continue
		}
		for _, d := range v.Policy.Dependencies {
			for _, a := range d.Fallback.Order {
				if a.Dependency != "" {
					take(v.Name, v.Instances, a.Dependency)
				}
			}
		}
	}
	return width
}
