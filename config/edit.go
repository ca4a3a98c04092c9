package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Draft is the text of a scenario and of the policy files that it names. It
// lets somebody ask "what if" without editing a file: Set gives another Draft,
// and this one stays as it is.
type Draft struct {
	Name string // stands for the scenario in messages; policy files are found beside it
	Data []byte
	Open func(path string) ([]byte, error) // reads a policy file; nil: there are none

	edited map[string][]byte // policy files by path
}

// OpenDraft reads the scenario file at path.
func OpenDraft(path string) (Draft, error) {
	data, err := readFile(path)
	if err != nil {
		return Draft{}, fmt.Errorf("scenario file: %w", err)
	}
	return Draft{Name: path, Data: data, Open: readFile}, nil
}

// Parse reads the scenario as ParseScenario does.
func (s Draft) Parse() (*Scenario, error) { return ParseScenario(s.Name, s.Data, s.open()) }

func (s Draft) open() func(string) ([]byte, error) {
	if s.Open == nil && s.edited == nil {
		return nil
	}
	return func(path string) ([]byte, error) {
		if data, ok := s.edited[path]; ok {
			return data, nil
		}
		return s.Open(path)
	}
}

// Set changes one key. A key that begins with "dependencies." is one of the
// policy file of the first service that has this dependency, or of the service
// or client that stands before it, as in "checkout:dependencies.pricing.retry";
// any other is one of the scenario. An empty value removes the key.
func (s Draft) Set(key, value string) (Draft, error) {
	owner, path, named := strings.Cut(key, ":")
	if !named {
		owner, path = "", key
	}
	if !named && !strings.HasPrefix(path, "dependencies.") {
		data, err := Set(s.Data, path, value)
		s.Data = data
		return s, err
	}
	file, data, err := s.policyOf(owner, path)
	if err != nil {
		return s, fmt.Errorf("%s: %w", key, err)
	}
	if data, err = Set(data, path, value); err != nil {
		return s, err
	}
	s.edited = maps.Clone(s.edited)
	if s.edited == nil {
		s.edited = map[string][]byte{}
	}
	s.edited[file] = data
	return s, nil
}

// policyOf finds the policy file that a key is about, and reads it.
func (s Draft) policyOf(owner, path string) (file string, data []byte, err error) {
	root, err := treeOf(s.Data)
	if err != nil {
		return "", nil, err
	}
	keys, err := splitPath(path)
	if err != nil {
		return "", nil, err
	}
	first := ""
	for _, p := range policies(root) {
		if owner != "" && owner != p.owner {
			continue
		}
		file = p.path
		if !filepath.IsAbs(file) {
			file = filepath.Join(filepath.Dir(s.Name), file)
		}
		if first == "" {
			first = file
		}
		if data, err = s.read(file); err != nil {
			return "", nil, err
		}
		if owner != "" || holds(data, keys) {
			return file, data, nil
		}
	}
	switch {
	case owner != "":
		return "", nil, fmt.Errorf("there is no service or client %q with a policy", shorten(owner))
	case first == "":
		return "", nil, errors.New("no service of the scenario names a policy file")
	}
	data, err = s.read(first) // its names tell which was meant
	return first, data, err
}

func (s Draft) read(path string) ([]byte, error) {
	open := s.open()
	if open == nil {
		return nil, errors.New("there are no files beside the scenario")
	}
	data, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %s", path, reason(err))
	}
	return data, nil
}

// named is a policy file and who names it.
type namedPolicy struct{ owner, path string }

// policies lists the policy files that services name, then those of clients.
func policies(root *yaml.Node) (all []namedPolicy) {
	for _, section := range []string{"services", "clients"} {
		of := lookUp(root, section)
		if of == nil || of.Kind != yaml.MappingNode {
			continue
		}
		for i := 0; i+1 < len(of.Content); i += 2 {
			p := lookUp(of.Content[i+1], "policy")
			if p != nil && p.Kind == yaml.ScalarNode {
				all = append(all, namedPolicy{of.Content[i].Value, p.Value})
			}
		}
	}
	return all
}

// holds reports whether a policy file has the dependency that keys begin with.
func holds(data []byte, keys []string) bool {
	root, err := treeOf(data)
	if err != nil || len(keys) < 2 {
		return false
	}
	return lookUp(lookUp(root, keys[0]), keys[1]) != nil
}

// Get returns the value of one key as the files have it, by the keys of Set. A
// key that is not written has none; nor has a section or a list.
func (s Draft) Get(key string) (value string, ok bool) {
	owner, path, named := strings.Cut(key, ":")
	if !named {
		owner, path = "", key
	}
	data := s.Data
	if named || strings.HasPrefix(path, "dependencies.") {
		var err error
		if _, data, err = s.policyOf(owner, path); err != nil {
			return "", false
		}
	}
	root, err := treeOf(data)
	if err != nil {
		return "", false
	}
	keys, err := splitPath(path)
	if err != nil {
		return "", false
	}
	for _, k := range keys {
		root = lookUp(root, k)
	}
	if root == nil || root.Kind != yaml.ScalarNode {
		return "", false
	}
	return root.Value, true
}
