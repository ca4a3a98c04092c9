package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// LoadScenario reads the scenario file at path, and the policy files that it
// names. Files with mistakes give an Errors with all of them; each names its
// file.
func LoadScenario(path string) (*Scenario, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("scenario file: %w", err)
	}
	return ParseScenario(path, data, readFile)
}

// readFile reads a file, and not much more than a file of ours may hold.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f)
}

// ParseScenario reads a scenario file from memory. Name stands for it in
// messages. A policy file is found relative to the folder of name, and open
// returns its contents; each is opened once. Files with mistakes give an Errors
// with all of them: first those of the scenario, in the order of the text, then
// those of each policy file.
func ParseScenario(name string, data []byte, open func(path string) ([]byte, error)) (
	*Scenario, error) {
	st := newStaging(name, open)
	st.read(data)
	if len(st.d.errs)+len(st.shelf.errs) > 0 {
		st.d.errs.sort()
		return nil, append(st.d.errs, st.shelf.errs...)
	}
	st.d.sortWarnings()
	st.s.values, st.s.warnings = st.d.values, st.d.warnings
	return st.s, nil
}

var scenarioFile = genre{
	begin: "start with version: 1, name:, for:, clients: and services:",
	one:   "give one scenario per file",
	split: "anchors and aliases save most of a long file",
	own:   []string{"clients", "services"},
	other: []string{"dependencies"},
	swap: [2]string{"this is a policy file, not a scenario",
		"give a scenario in which a service names this file, with the key policy"},
}

// staging is a scenario while it is being read: what the checks between its
// parts need to know beside it.
type staging struct {
	d        *decoder
	s        *Scenario
	shelf    shelf
	services map[string]*stagedService
	owners   map[string]string // a name and what has it: "a client", "a service"
	clients  []stagedClient
	swaps    []swap
}

// stagedService is a service while the others are not known yet.
type stagedService struct {
	*Service
	at     *field
	policy *field // nil: none is given
	steps  []stagedStep
	leads  map[string]string // where its calls of a dependency lead to
	blind  bool              // it holds mistakes, so what it lacks may be one of them
}

// stagedStep is a call while its target may stand further down in the file.
type stagedStep struct {
	step       *Step
	dependency *field
	target     *field // to, or the dependency that stands for it
	route      *field // nil: the first
}

// stagedClient is a client and where it says whom it calls and how.
type stagedClient struct {
	*Client
	to     *field
	policy *field // the dependency, or the policy; nil: none
}

// swap is a policy that comes to be used during the run.
type swap struct {
	service *stagedService
	file    *File
	at      *field
}

func newStaging(name string, open func(path string) ([]byte, error)) *staging {
	st := &staging{
		d: newDecoder(name, scenarioFile),
		s: &Scenario{Seed: 1, Runs: 5},
		shelf: shelf{dir: filepath.Dir(name), open: open,
			files: map[string]*File{}, refused: map[string]string{},
			named: map[*File]map[string]*Settings{}},
		services: map[string]*stagedService{},
		owners:   map[string]string{},
	}
	st.d.record = true
	return st
}

func (st *staging) read(data []byte) {
	top := st.d.root(data)
	if top == nil {
		return
	}
	objectOf(top, "keys such as version: 1, name:, for:, clients: and services:").scenario(st)
	st.cross()
}

// shelf holds the policy files of a scenario. Each is read once.
type shelf struct {
	dir     string
	open    func(path string) ([]byte, error)
	files   map[string]*File               // nil: it holds mistakes
	refused map[string]string              // paths that could not be read, and why
	named   map[*File]map[string]*Settings // by dependency, and dependency/operation
	errs    Errors                         // of all files
}

// policy reads the policy file that a key names. The file is nil if there is
// none, or none without mistakes.
func (o *object) policy(st *staging) (*File, *field) {
	var path string
	f := o.text("policy", &path, nil, "the path of a policy file, such as checkout.yaml")
	if path == "" {
		o.note("policy", f, shown(path))
		if f.is("") && f.node.ShortTag() == "!!str" {
			f.fail(`"" is not a path`, "give the path of a policy file, such as checkout.yaml")
		}
		return nil, f
	}
	o.note("policy", f, path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(st.shelf.dir, path)
	}
	file, why := st.shelf.take(path)
	if why != "" {
		f.fail(quote(f.node)+" cannot be read: "+why,
			"give a path from the folder of this file, such as checkout.yaml")
	}
	if file == nil {
		o.d.failures++ // what follows from it is not told
	}
	return file, f
}

// take returns a policy file, or why it cannot be read. The file is nil then,
// and if it holds mistakes.
func (s *shelf) take(path string) (f *File, why string) {
	if why := s.refused[path]; why != "" {
		return nil, why
	}
	if f, known := s.files[path]; known {
		return f, ""
	}
	if s.open == nil {
		return nil, "there are no files beside this one"
	}
	data, err := s.open(path)
	if err != nil {
		s.refused[path] = reason(err)
		return nil, s.refused[path]
	}
	f, err = Parse(path, data)
	var all Errors
	if errors.As(err, &all) {
		s.errs = append(s.errs, all...)
	}
	s.files[path] = f
	if f != nil {
		s.named[f] = map[string]*Settings{}
		for _, d := range f.Dependencies {
			s.named[f][d.Name] = &d.Settings
			for i := range d.Operations {
				s.named[f][d.Name+"/"+d.Operations[i].Name] = &d.Operations[i].Settings
			}
		}
	}
	return f, ""
}

// reason is an error without the path, which the message has already.
func reason(err error) string {
	var pathError *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file"
	case errors.As(err, &pathError):
		err = pathError.Err
	}
	return err.Error()
}

// Service returns the service of that name, or nil.
func (s *Scenario) Service(name string) *Service {
	for _, v := range s.Services {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// Client returns the client of that name, or nil.
func (s *Scenario) Client(name string) *Client {
	for _, c := range s.Clients {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Route returns the route of that name, or nil.
func (s *Service) Route(name string) *Route {
	for _, r := range s.Routes {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// Warnings returns what the file says but hardly can mean, in the order of the
// text. Those of the policy files are in the files.
func (s *Scenario) Warnings() []Warning { return append([]Warning(nil), s.warnings...) }

// Effective returns every value in effect in the scenario file itself, defaults
// included: among them are the assumptions that decide a result.
func (s *Scenario) Effective() []Effective { return append([]Effective(nil), s.values...) }

// WriteEffective prints Effective as a table: path, value, source.
func (s *Scenario) WriteEffective(w io.Writer) error { return writeEffective(w, s.values) }
