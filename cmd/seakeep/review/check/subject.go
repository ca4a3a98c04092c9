package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/serve"
)

// source is a file that is looked at.
type source struct {
	*config.File
	places *config.Places
	found  []Finding
}

// subject is what a rule looks at: a file, a dependency of it, or an operation
// of that.
type subject struct {
	*source
	rule     *Rule
	dep      *config.Dependency
	op       *config.Operation
	settings *config.Settings
	base     string          // the path of what is looked at
	measured config.Measured // unknown of an operation
}

// look runs all rules but those that need the other files.
func (s *source) look() {
	for _, rule := range rules {
		if rule.file != nil {
			rule.file(&subject{source: s, rule: rule})
		}
		if rule.settings == nil && rule.dependency == nil {
			continue
		}
		for _, d := range s.Dependencies {
			v := s.of(d, rule)
			if rule.dependency != nil {
				rule.dependency(v)
				continue
			}
			rule.settings(v)
			for i := range d.Operations {
				op := &d.Operations[i]
				rule.settings(&subject{source: s, rule: rule, dep: d, op: op,
					settings: &op.Settings, base: v.base + ".operations." + quoted(op.Name)})
			}
		}
	}
}

// of is a dependency as a rule looks at it.
func (s *source) of(d *config.Dependency, rule *Rule) *subject {
	return &subject{source: s, rule: rule, dep: d, settings: &d.Settings,
		base: "dependencies." + quoted(d.Name), measured: d.Measured}
}

// quoted writes a name as it stands in a path.
func quoted(name string) string {
	if strings.ContainsRune(name, '.') {
		return `"` + name + `"`
	}
	return name
}

// name is what calls to it are called.
func (s *subject) name() string {
	if s.op != nil {
		return s.dep.Name + "/" + s.op.Name
	}
	return s.dep.Name
}

// path is that of a key below what is looked at.
func (s *subject) path(key string) string {
	if s.base == "" || key == "" {
		return s.base + key
	}
	return s.base + "." + key
}

// set is a change of a key below what is looked at.
func (s *subject) set(key, format string, args ...any) Change {
	return Change{s.path(key), fmt.Sprintf(format, args...)}
}

// wrote reports whether the file has the key, and it is no default.
func (s *subject) wrote(key string) bool {
	_, _, ok := s.places.Of(s.path(key))
	return ok
}

// told says what changes below what is looked at do.
func (s *subject) told(changes []Change) string {
	var all []string
	for _, c := range changes {
		key := strings.TrimPrefix(c.Path, s.path(""))
		if key = strings.TrimPrefix(key, "."); c.Value == "" {
			all = append(all, "remove "+key)
			continue
		}
		all = append(all, "set "+key+" to "+c.Value)
	}
	return strings.Join(all, ", and ")
}

// found is what a rule found. The first key is what is wrong; at an operation
// the first that it writes is pointed at.
type found struct {
	keys    []string
	why     string
	number  Number
	fix     string
	changes []Change
	// severity is the rule's own, if it is left out; bites too.
	severity Severity
	bites    string
}

func (s *subject) report(f found) {
	at := s.path(f.keys[0])
	line, column, written := s.places.Of(at)
	if s.op != nil && !written {
		i := slices.IndexFunc(f.keys, func(key string) bool {
			_, _, own := s.places.Of(s.path(key))
			return own
		})
		if i < 0 {
			return // the dependency was told already
		}
		at = s.path(f.keys[i])
		line, column, _ = s.places.Of(at)
	}
	v := Finding{Rule: s.rule.ID, Severity: s.rule.Severity, File: s.Name(), Line: line,
		Column: column, Path: at, Why: f.why, Number: f.number, Fix: f.fix, Changes: f.changes,
		Bites: s.rule.Bites}
	if f.severity != 0 {
		v.Severity = f.severity
	}
	if f.bites != "" {
		v.Bites = f.bites
	}
	if s.dep != nil {
		v.subject = s.dep.Name
	}
	if v.Changes == nil {
		v.Changes = []Change{}
	}
	s.found = append(s.found, v)
}

// What the settings come to, with what is off or only watches left out.

func (s *subject) on(rung call.Rungs) bool { return !s.settings.Call.Observe.Has(rung) }

// times are the limits of an attempt and of a call; 0: none.
func (s *subject) times() (request, total time.Duration) {
	if !s.on(call.RungTimeout) {
		return 0, 0
	}
	return s.settings.Call.Timeout.Request, s.settings.Call.Timeout.Total
}

// limit is how long an attempt may take; 0: for ever.
func (s *subject) limit() time.Duration {
	request, total := s.times()
	if request == 0 || total > 0 && total < request {
		return total
	}
	return request
}

func (s *subject) attempts() int {
	if s.settings.Call.Retry == nil || !s.on(call.RungRetry) {
		return 1
	}
	return s.settings.Call.Retry.Attempts
}

// worst is how long a call may take with all its attempts, where waits are at
// the given place in their ranges; 0: for ever.
func (s *subject) worst(draw float64) time.Duration {
	request, total := s.times()
	if request == 0 {
		return total
	}
	sum := time.Duration(s.attempts()) * request
	if s.attempts() > 1 {
		sum += pauses(s.settings.Call.Retry, s.attempts(), draw)
	}
	if b := s.settings.Call.Bulkhead; b != nil && b.Queue > 0 && s.on(call.RungBulkhead) {
		sum += b.Wait
	}
	return sum
}

// deadline is what the file's own door gives a request; 0: nothing.
func (s *source) deadline() time.Duration {
	if s.Serve == nil || s.Serve.Door.Observe.Has(serve.RungDeadline) {
		return 0
	}
	return s.Serve.Door.Timeout.Total
}

// served is how many requests the door serves at once at most; 0: unknown.
func (s *source) served() int {
	if s.Serve == nil || s.Serve.Door.Slots == nil || s.Serve.Door.Observe.Has(serve.RungSlots) {
		return 0
	}
	l := s.Serve.Door.Slots.Limit
	if l.Max > 0 {
		return l.Max
	}
	return l.Initial
}
