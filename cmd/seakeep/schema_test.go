package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"github.com/seakeep/seakeep/config"
)

// runCommand runs the program with these arguments.
func runCommand(stdin string, args ...string) (status int, stdout, stderr string) {
	root := newRootCommand()
	root.SetArgs(args)
	root.SetIn(strings.NewReader(stdin))
	var out, err bytes.Buffer
	status = execute(context.Background(), root, &out, &err)
	return status, out.String(), err.String()
}

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	status, stdout, stderr := runCommand("", "schema")
	if status != exitOK || stderr != "" {
		t.Fatalf("seakeep schema: status %d, %s", status, stderr)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(stdout))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("seakeep.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("seakeep.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if s.DraftVersion != 7 {
		t.Errorf("the schema is of draft %d; many editors ignore newer ones than 7", s.DraftVersion)
	}
	return s
}

// asEditorsSee reads YAML as an editor hands it to its schema. It reports
// false for text that is not YAML.
func asEditorsSee(t *testing.T, path string) (doc any, ok bool) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ok = yaml.Load(data, &doc) == nil
	return untimed(doc), ok
}

// untimed makes text of times, as which YAML 1.2, and so an editor, has them.
func untimed(v any) any {
	switch v := v.(type) {
	case time.Time:
		return v.Format(time.RFC3339)
	case map[string]any:
		for key := range v {
			v[key] = untimed(v[key])
		}
	case []any:
		for i := range v {
			v[i] = untimed(v[i])
		}
	}
	return v
}

func policies(t *testing.T, patterns ...string) (paths []string) {
	t.Helper()
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no files match %s (%v)", pattern, err)
		}
		paths = append(paths, found...)
	}
	return paths
}

func TestSchemaTakesWhatParseTakes(t *testing.T) {
	s := compiledSchema(t)
	for _, path := range policies(t,
		"../../examples/*/seakeep.yaml", "../../config/testdata/valid/*.yaml") {
		doc, ok := asEditorsSee(t, path)
		if !ok {
			t.Errorf("%s is not YAML", path)
			continue
		}
		if err := s.Validate(doc); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := config.Load(path); err != nil {
			t.Error(err)
		}
	}
}

// A file says in a comment if the schema cannot see what is wrong with it; all
// others it must refuse.
func TestSchemaRefusesWhatItCanSee(t *testing.T) {
	s := compiledSchema(t)
	seen := 0
	for _, path := range policies(t, "../../config/testdata/invalid/*.yaml") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		doc, ok := asEditorsSee(t, path)
		if !ok {
			continue
		}
		if err = s.Validate(doc); err != nil {
			seen++
		}
		if blind := bytes.Contains(data, []byte("schema cannot see this")); blind == (err != nil) {
			t.Errorf("%s: the schema says %v", path, err)
		}
	}
	if seen < 8 {
		t.Errorf("the schema refuses only %d files", seen)
	}
}
