package config

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The readers, the schema and the page know the same keys, in both directions.
func TestReadersSchemaAndPageKnowTheSameKeys(t *testing.T) {
	readers := simplify(keysOfReaders(t))
	differ(t, "the readers", readers, "the schema", simplify(keysOfSchema(t, Schema())))
	page := map[string]bool{}
	for _, r := range policyPage.rows(t) {
		page[strings.ReplaceAll(r.path(), "NAME", "*")] = true
	}
	differ(t, "the readers", readers, "docs/policy-file.md", page)
}

func differ(t *testing.T, nameA string, a map[string]bool, nameB string, b map[string]bool) {
	t.Helper()
	if len(a) < 75 {
		t.Fatalf("%s know only %d keys", nameA, len(a))
	}
	for _, key := range sorted(a) {
		if !b[key] {
			t.Errorf("%s know %s, %s does not", nameA, key, nameB)
		}
	}
	for _, key := range sorted(b) {
		if !a[key] {
			t.Errorf("%s knows %s, %s do not", nameB, key, nameA)
		}
	}
}

func sorted(set map[string]bool) []string {
	keys := make([]string, 0, len(set))
	for key := range set {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// keysOfReaders returns what the readers ask for in the files that use every
// form. A form that no file uses would show as a key only the schema knows.
func keysOfReaders(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	for _, path := range files(t, "testdata/valid/*.yaml") {
		_, d := parse(path, source(t, path), false)
		for key := range d.known {
			known[key] = true
		}
	}
	return known
}

var (
	inOperation = regexp.MustCompile(
		`operations\[\]\.(timeout|retry|breaker|bulkhead|throttle|hedge|response|fallback)([.[])`)
	bareList = regexp.MustCompile(`fallback\[\]`)
	atDoor   = regexp.MustCompile(`^serve\.(?:upstream-)?(faults|measured|listen-tls|connections|tls|response)\.`)
	bareSLO  = regexp.MustCompile(`^slo\[\]`)
	bareStep = regexp.MustCompile(`policy\[\]`)
	freeKey  = regexp.MustCompile(`\.(headers|header)\.\*$|^dependencies\.\*$`)
)

// simplify leaves out what the page says in words: operations have the same
// rungs, a bare list stands for order, the door has some of the same sections, headers
// have any name.
func simplify(keys map[string]bool) map[string]bool {
	out := map[string]bool{}
	for key := range keys {
		key = inOperation.ReplaceAllString(key, "$1$2")
		key = bareList.ReplaceAllString(key, "fallback.order[]")
		key = bareSLO.ReplaceAllString(key, "slo.objectives[]")
		key = bareStep.ReplaceAllString(key, "policy.steps[]")
		key = atDoor.ReplaceAllString(key, "dependencies.*.$1.")
		if !freeKey.MatchString(key) {
			out[key] = true
		}
	}
	return out
}

type schemaNode map[string]any

func keysOfSchema(t *testing.T, text []byte) map[string]bool {
	t.Helper()
	var root schemaNode
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	root.walk(t, root, "", keys)
	return keys
}

// walk collects the keys below n.
func (n schemaNode) walk(t *testing.T, root schemaNode, path string, keys map[string]bool) {
	t.Helper()
	if ref, ok := n["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/definitions/")
		target, ok := root["definitions"].(map[string]any)[name].(map[string]any)
		if !ok {
			t.Fatalf("the schema refers to %s, which is not there", ref)
		}
		if len(n) > 1 {
			t.Errorf("at %s the schema has keys beside $ref, which draft-07 ignores", path)
		}
		schemaNode(target).walk(t, root, path, keys)
		return
	}
	for _, word := range []string{"anyOf", "allOf"} {
		all, _ := n[word].([]any)
		for _, one := range all {
			schemaNode(one.(map[string]any)).walk(t, root, path, keys)
		}
	}
	properties, _ := n["properties"].(map[string]any)
	for name, below := range properties {
		keys[join(path, name)] = true
		schemaNode(below.(map[string]any)).walk(t, root, join(path, name), keys)
	}
	if items, ok := n["items"].(map[string]any); ok {
		schemaNode(items).walk(t, root, path+"[]", keys)
	}
	if free, ok := n["additionalProperties"].(map[string]any); ok {
		keys[join(path, "*")] = true
		schemaNode(free).walk(t, root, join(path, "*"), keys)
	} else if len(properties) > 0 && n["additionalProperties"] != false {
		t.Errorf("at %s the schema lets unknown keys pass", path)
	}
}

// Every default in the schema is the one in effect, as F175 pins it.
func TestSchemaDefaultsAreInEffect(t *testing.T) {
	compareDefaults(t, Schema(), policyPage, 30)
}

// compareDefaults holds the defaults of a schema against those of a page, which
// are those in effect.
func compareDefaults(t *testing.T, schema []byte, b *book, least int) {
	t.Helper()
	var root schemaNode
	if err := json.Unmarshal(schema, &root); err != nil {
		t.Fatal(err)
	}
	defaults := map[string]string{}
	root.defaults(root, "", defaults)
	rows := 0
	for _, r := range b.rows(t) {
		want, ok := defaults[placeholder.ReplaceAllString(r.path(), "*")]
		if !ok || r.def == "-" || r.path() == dep+"retry.budget.floor" { // two kinds have one each
			continue
		}
		rows++
		if want != r.def {
			t.Errorf("the default of %s is %q in the schema, %q in effect", r.path(), want, r.def)
		}
	}
	if rows < least {
		t.Errorf("only %d defaults were compared", rows)
	}
}

func (n schemaNode) defaults(root schemaNode, path string, out map[string]string) {
	if ref, ok := n["$ref"].(string); ok {
		target := root["definitions"].(map[string]any)[strings.TrimPrefix(ref, "#/definitions/")]
		schemaNode(target.(map[string]any)).defaults(root, path, out)
	}
	if value, ok := n["default"]; ok {
		out[path] = plain(value)
	}
	for _, word := range []string{"anyOf", "allOf"} {
		all, _ := n[word].([]any)
		for _, one := range all {
			schemaNode(one.(map[string]any)).defaults(root, path, out)
		}
	}
	properties, _ := n["properties"].(map[string]any)
	for name, below := range properties {
		schemaNode(below.(map[string]any)).defaults(root, join(path, name), out)
	}
	if items, ok := n["items"].(map[string]any); ok {
		schemaNode(items).defaults(root, path+"[]", out)
	}
	if free, ok := n["additionalProperties"].(map[string]any); ok {
		schemaNode(free).defaults(root, join(path, "*"), out)
	}
}

// plain shows a JSON value as Effective does.
func plain(value any) string {
	list, ok := value.([]any)
	if !ok {
		text, _ := json.Marshal(value)
		return strings.Trim(string(text), `"`)
	}
	parts := make([]string, len(list))
	for i, item := range list {
		parts[i] = plain(item)
	}
	return strings.Join(parts, ", ")
}
