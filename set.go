package seakeep

import (
	"cmp"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
)

// Options are what a program adds to its policy file.
type Options struct {
	// Observer receives every decision of every policy.
	Observer core.Observer
	// Tracer, if set, follows every call of every policy.
	Tracer Tracer
	// Classify turns an error into what policies decide by. A zero Outcome
	// leaves it to the package's Classify.
	Classify func(error) core.Result
	// Draw is where the random numbers of calls come from; see More.
	Draw func() float64
	// Faults, if set, hurts all dependencies in place of what their file says.
	Faults *Faults
}

// Set holds the policies of one file. It is safe for use by many goroutines.
type Set struct {
	path    string
	options Options

	mu    sync.Mutex // held while a file is put to use
	table atomic.Pointer[table]
}

// table is what one file came to. It never changes; a reload makes another.
type table struct {
	file         *config.File
	dependencies map[string]*dependency
	policies     map[string]*Policy // operations too, as dependency/operation
	gone         map[string]*Policy // those of earlier files, should they come back
	door         *Door              // of the last file that had one; nil: none had
	faults       map[string]*Faults // by dependency; the door's has no name
	objectives   *Objectives        // nil: the file has none
}

type dependency struct {
	config     *config.Dependency
	policy     *Policy
	operations []*Policy // as in config.Operations
	provided   *provided // nil: no second provider
}

// Open reads a policy file. The error lists everything that is wrong with it,
// with line and column; see config.Errors.
func Open(path string) (*Set, error) { return OpenWith(path, Options{}) }

// OpenWith is Open with options.
func OpenWith(path string, o Options) (*Set, error) {
	file, err := config.Load(path)
	if err != nil {
		return nil, err
	}
	s := &Set{path: path, options: o}
	return s, s.Apply(file)
}

// NewSet makes a set from a file that was read already.
func NewSet(file *config.File, o Options) (*Set, error) {
	s := &Set{options: o}
	return s, s.Apply(file)
}

// Reload reads the file again and puts it to use. Policies keep the state of
// every rung whose settings did not change. A file that is wrong changes
// nothing and is returned as an error.
func (s *Set) Reload() error {
	file, err := config.Load(s.path)
	if err != nil {
		return err
	}
	return s.Apply(file)
}

// Apply puts a file to use in place of the one before, as Reload does. A
// policy that the new file no longer has goes on as it was for whoever holds
// it, until a file has it again.
func (s *Set) Apply(file *config.File) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.table.Load()
	if old == nil {
		old = &table{}
	}
	b := builder{old: old, options: s.options, next: &table{file: file,
		dependencies: map[string]*dependency{}, policies: map[string]*Policy{},
		faults: map[string]*Faults{}}}
	for _, d := range file.Dependencies {
		if err := b.add(d); err != nil {
			return err
		}
	}
	s.listen(file, b.ready)
	door, err := b.serve(file)
	if err != nil {
		return err
	}
	if door != nil { // nothing can fail from here on
		b.next.door.use(door)
	}
	for _, r := range b.ready {
		r.policy.use(r.state)
	}
	b.useFailovers(file)
	b.useFaults(file)
	b.next.objectives = s.promised(old.objectives, file, b.next)
	b.next.gone = maps.Clone(old.gone)
	if b.next.gone == nil {
		b.next.gone = map[string]*Policy{}
	}
	maps.Copy(b.next.gone, old.policies)
	maps.DeleteFunc(b.next.gone, func(name string, _ *Policy) bool {
		return b.next.policies[name] != nil
	})
	s.table.Store(b.next)
	b.next.objectives.obey(true)
	return nil
}

// Door returns the door of the file's serve section; nil if it has none. Whoever
// holds one keeps it over reloads.
func (s *Set) Door() *Door {
	if t := s.table.Load(); t.file.Serve != nil {
		return t.door
	}
	return nil
}

// File returns the file in use.
func (s *Set) File() *config.File { return s.table.Load().file }

// Policy returns the policy of a dependency, or of an operation as
// "dependency/operation".
func (s *Set) Policy(name string) (*Policy, error) {
	if p := s.table.Load().policies[name]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("seakeep: %s has no dependency %q", s.describe(), name)
}

// MustPolicy is Policy for names that are known to be in the file; it panics
// if one is not.
func (s *Set) MustPolicy(name string) *Policy {
	p, err := s.Policy(name)
	if err != nil {
		panic(err)
	}
	return p
}

func (s *Set) describe() string {
	if s.path != "" {
		return s.path
	}
	return "the policy file"
}

// Target is the policy and the settings that one request is under.
type Target struct {
	Policy   *Policy
	Settings *config.Settings
}

// HTTPRequest is what operations are matched by.
type HTTPRequest struct {
	Method, Host, Path string
	Header             func(name string) string
}

// Match returns what a request to a dependency is under: the first operation
// that matches, or the dependency itself. It reports false if the file has no
// such dependency.
func (s *Set) Match(name string, r HTTPRequest) (Target, bool) {
	d := s.table.Load().dependencies[name]
	if d == nil {
		return Target{}, false
	}
	for i := range d.config.Operations {
		op := &d.config.Operations[i]
		if op.Match.Matches(r.Method, r.Host, r.Path, r.Header) {
			return Target{d.operations[i], &op.Settings}, true
		}
	}
	return Target{d.policy, &d.config.Settings}, true
}

// builder makes a table from a file and the table before.
type builder struct {
	old     *table
	next    *table
	options Options
	ready   []prepared
}

// prepared is a policy with the state it gets once everything is known to be
// right.
type prepared struct {
	policy *Policy
	state  *state
}

func (b *builder) add(d *config.Dependency) error {
	whole, err := b.policy(&d.Settings)
	if err != nil {
		return err
	}
	if whole.state.faults, err = b.faults(d.Name, d.Faults); err != nil {
		return err
	}
	dep := &dependency{config: d, policy: whole.policy}
	if dep.provided, err = newProvided(b.old.dependencies[d.Name], d, b.options); err != nil {
		return fmt.Errorf("seakeep: policy %q: failover: %w", d.Name, err)
	}
	b.next.dependencies[d.Name] = dep
	for i := range d.Operations {
		op := &d.Operations[i]
		part, err := b.policy(&op.Settings)
		if err != nil {
			return err
		}
		part.state.plan.Share(whole.state.plan, op.Own)
		part.state.faults, part.state.operation = whole.state.faults, op.Name
		dep.operations = append(dep.operations, part.policy)
	}
	return nil
}

// serve prepares the door.
func (b *builder) serve(file *config.File) (*doorState, error) {
	b.next.door = b.old.door
	if file.Serve == nil {
		return nil, nil
	}
	if _, err := b.faults("", &config.Faults{}); err != nil {
		return nil, err
	}
	var old *doorState
	if b.next.door == nil {
		b.next.door = &Door{}
	} else {
		old = b.next.door.state.Load()
	}
	s, err := newDoorState(old, file.Serve.Door, b.options.Observer)
	if err != nil {
		return nil, fmt.Errorf("seakeep: serve: %w", err)
	}
	return s, nil
}

// policy prepares the policy for these settings, which takes over what is
// running under the same name.
func (b *builder) policy(c *config.Settings) (prepared, error) {
	name := c.Call.Name
	p := cmp.Or(b.old.policies[name], b.old.gone[name])
	var old *state
	if p == nil {
		p = &Policy{name: name}
	} else {
		old = p.state.Load()
	}
	s, err := newState(old, fromSettings(c, b.options))
	if err != nil {
		return prepared{}, fmt.Errorf("seakeep: policy %q: %w", name, err)
	}
	b.next.policies[name] = p
	b.ready = append(b.ready, prepared{p, s})
	return b.ready[len(b.ready)-1], nil
}

func fromSettings(c *config.Settings, o Options) Config {
	return Config{Name: c.Call.Name, Timeout: c.Call.Timeout, Retry: c.Call.Retry,
		Budget: c.Call.Budget, Breaker: c.Call.Breaker, Bulkhead: c.Call.Bulkhead,
		Throttle: c.Call.Throttle, Hedge: c.Call.Hedge, Fallback: &c.Fallback,
		More: &More{Classify: o.Classify, Observer: o.Observer, Tracer: o.Tracer, Observe: c.Call.Observe,
			Keys: c.Call.Keys, Unbudgeted: c.Call.Budget == nil, Draw: o.Draw}}
}
