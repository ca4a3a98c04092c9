package config

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"testing"

	"go.yaml.in/yaml/v4"
)

// The readers, the schema and the page know the same keys, in both directions.
func TestScenarioReadersSchemaAndPageKnowTheSameKeys(t *testing.T) {
	readers := map[string]bool{}
	for _, path := range files(t, "testdata/scenario-valid/*.yaml") {
		st := newStaging(path, readFile)
		st.read(source(t, path))
		for key := range st.d.known {
			readers[key] = true
		}
	}
	readers = asOnPage(readers)
	differ(t, "the readers", readers, "the schema", asOnPage(keysOfSchema(t, ScenarioSchema())))
	page := map[string]bool{}
	for _, r := range scenarioPage.rows(t) {
		page[placeholder.ReplaceAllString(r.path(), "*")] = true
	}
	differ(t, "the readers", readers, "docs/scenario-file.md", page)
}

// asOnPage leaves out what the page says in words: a service may hold its one
// route, every time that varies has the same forms, and so on.
func asOnPage(keys map[string]bool) map[string]bool {
	out := map[string]bool{}
	for key := range keys {
		for _, rule := range pageRules {
			key = rule.from.ReplaceAllString(key, rule.to)
		}
		if !freeName.MatchString(key) {
			out[key] = true
		}
	}
	return out
}

var pageRules = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`^services\.\*\.(work|features|fails|status|calls)($|[.\[])`), "services.*.routes.*.$1$2"},
	{regexp.MustCompile(`^(clients\.\*\.think|changes\[\]\.work|services\.\*\.network\.delay|` +
		`services\.\*\.routes\.\*\.features\.\*)([.\[])`),
		"services.*.routes.*.work$2"},
	{regexp.MustCompile(`\.mix\[\]\.(floor|mean|median|sigma|uniform|points)`), ".$1"},
	{regexp.MustCompile(`^changes\[\]\.capacity\.`), "services.*.capacity."},
}

var freeName = regexp.MustCompile(`^(clients|services)\.\*$|\.routes\.\*$|\.(points|features)\.\*$`)

// Every default in the schema is the one in effect.
func TestScenarioSchemaDefaultsAreInEffect(t *testing.T) {
	compareDefaults(t, ScenarioSchema(), scenarioPage, 20)
}

// What ParseScenario takes, an editor takes; and of what it refuses an editor
// sees most. A file says in a comment if the schema cannot see what is wrong
// with it.
func TestScenarioSchemaAgrees(t *testing.T) {
	var root schemaNode
	if err := json.Unmarshal(ScenarioSchema(), &root); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"testdata/scenario-valid/*.yaml", "../testdata/scenarios/*.yaml",
		"../examples/checkout/slow-recommendations.yaml"} {
		for _, path := range files(t, pattern) {
			if problem := root.judge(root, asEditorsSee(t, path)); problem != "" {
				t.Errorf("%s: the schema says %s", path, problem)
			}
		}
	}
	seen := 0
	for _, path := range files(t, "testdata/scenario-invalid/*.yaml") {
		if filepath.Base(path) == "syntax-two-documents.yaml" {
			continue // an editor has no single value for it
		}
		problem := root.judge(root, asEditorsSee(t, path))
		if problem != "" {
			seen++
		}
		blind := bytes.Contains(source(t, path), []byte("schema cannot see this"))
		if blind == (problem != "") {
			t.Errorf("%s: the schema says %q", path, problem)
		}
	}
	if seen < 10 {
		t.Errorf("the schema refuses only %d files", seen)
	}
}

// Of the mistakes below, each alone, the schema sees every one.
func TestScenarioSchemaSees(t *testing.T) {
	var root schemaNode
	if err := json.Unmarshal(ScenarioSchema(), &root); err != nil {
		t.Fatal(err)
	}
	for _, r := range scenarioPage.rows(t) {
		value := r.try
		if value == "" {
			continue
		}
		rows := scenarioPage.rows(t)
		text := r.file(rows, value, false)
		if problem := root.judge(root, asValue(t, text)); problem != "" {
			t.Errorf("the schema says %s of\n%s", problem, text)
		}
		if bad := r.file(rows, "[[]]", false); root.judge(root, asValue(t, bad)) == "" {
			t.Errorf("the schema takes\n%s", bad)
		}
	}
}

func asEditorsSee(t *testing.T, path string) any {
	t.Helper()
	return asValue(t, string(source(t, path)))
}

func asValue(t *testing.T, text string) (doc any) {
	t.Helper()
	if err := yaml.Load([]byte(text), &doc); err != nil && len(bytes.TrimSpace([]byte(text))) > 0 {
		return nil
	}
	return doc
}
