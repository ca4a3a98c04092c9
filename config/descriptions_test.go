package config

import (
	"encoding/json"
	"testing"
)

// An editor shows the description that stands at the key itself.
func TestEveryKeyOfTheSchemasHasADescription(t *testing.T) {
	for name, data := range map[string][]byte{"policy": Schema(), "scenario": ScenarioSchema()} {
		var root map[string]any
		if err := json.Unmarshal(data, &root); err != nil {
			t.Fatal(err)
		}
		if n := keysBelow(t, root, root, name); n < 30 {
			t.Errorf("%s: only %d keys were seen", name, n)
		}
	}
}

// keysBelow reports keys without a description, and returns how many keys there
// are below a node.
func keysBelow(t *testing.T, root map[string]any, node any, at string) (keys int) {
	t.Helper()
	switch n := node.(type) {
	case []any:
		for _, one := range n {
			keys += keysBelow(t, root, one, at)
		}
	case map[string]any:
		properties, _ := n["properties"].(map[string]any)
		for key, value := range properties {
			keys++
			if !described(root, value) {
				t.Errorf("%s.%s has no description", at, key)
			}
		}
		for key, value := range n {
			keys += keysBelow(t, root, value, at+"."+key)
		}
	}
	return keys
}

func described(root map[string]any, value any) bool {
	v, _ := value.(map[string]any)
	if v["description"] != nil {
		return true
	}
	ref, _ := v["$ref"].(string)
	const prefix = "#/definitions/"
	if len(ref) <= len(prefix) {
		return false
	}
	definitions, _ := root["definitions"].(map[string]any)
	return described(root, definitions[ref[len(prefix):]])
}
