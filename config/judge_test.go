package config

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
)

// judge holds a value against a schema of draft-07 and returns the first
// mistake, or "". It knows the keywords that our schemas use and panics at
// others, so that none is let pass unread. Package cmd/seakeep has the schemas
// judged by a complete implementation.
func (n schemaNode) judge(root schemaNode, v any) string {
	if ref, ok := n["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/definitions/")
		return schemaNode(root["definitions"].(map[string]any)[name].(map[string]any)).judge(root, v)
	}
	for _, word := range sortedWords(n) {
		rule, known := schemaRules[word]
		if !known {
			panic("judge does not know the keyword " + word)
		}
		if rule == nil {
			continue
		}
		if problem := rule(n[word], schemaRun{root, n, v}); problem != "" {
			return problem
		}
	}
	return ""
}

func sortedWords(n schemaNode) []string {
	words := map[string]bool{}
	for word := range n {
		words[word] = true
	}
	return sorted(words)
}

// schemaRun is one value under one node.
type schemaRun struct {
	root, node schemaNode
	value      any
}

func (r schemaRun) under(schema any, v any) string {
	return schemaNode(schema.(map[string]any)).judge(r.root, v)
}

var schemaRules map[string]func(arg any, r schemaRun) string

func init() {
	schemaRules = map[string]func(arg any, r schemaRun) string{
		"$schema": nil, "$id": nil, "title": nil, "description": nil, "default": nil, "examples": nil,
		"definitions": nil,
		"type": func(arg any, r schemaRun) string {
			kind := map[string]bool{
				"object": isKind[map[string]any](r.value), "array": isKind[[]any](r.value),
				"string": isKind[string](r.value), "boolean": isKind[bool](r.value),
				"integer": isKind[int](r.value), "number": isKind[int](r.value) || isKind[float64](r.value),
			}
			return unless(kind[arg.(string)], "%v is no %v", r.value, arg)
		},
		"const": func(arg any, r schemaRun) string {
			return unless(equal(arg, r.value), "%v is not %v", r.value, arg)
		},
		"enum": func(arg any, r schemaRun) string {
			for _, one := range arg.([]any) {
				if equal(one, r.value) {
					return ""
				}
			}
			return fmt.Sprintf("%v is none of %v", r.value, arg)
		},
		"anyOf": func(arg any, r schemaRun) string {
			return unless(r.fits(arg) > 0, "%v fits none of the forms", r.value)
		},
		"oneOf": func(arg any, r schemaRun) string {
			return unless(r.fits(arg) == 1, "%v fits %d of the forms", r.value, r.fits(arg))
		},
		"allOf": func(arg any, r schemaRun) string {
			for _, one := range arg.([]any) {
				if problem := r.under(one, r.value); problem != "" {
					return problem
				}
			}
			return ""
		},
		"not": func(arg any, r schemaRun) string {
			return unless(r.under(arg, r.value) != "", "%v must not be", r.value)
		},
	}
	for _, more := range []map[string]func(arg any, r schemaRun) string{
		objectRules, listRules, scalarRules} {
		for word, rule := range more {
			schemaRules[word] = rule
		}
	}
}

func (r schemaRun) fits(arg any) (n int) {
	for _, one := range arg.([]any) {
		if r.under(one, r.value) == "" {
			n++
		}
	}
	return n
}

func lacks(keys any, r schemaRun) string {
	m, ok := r.value.(map[string]any)
	for _, key := range keys.([]any) {
		if _, there := m[key.(string)]; ok && !there {
			return fmt.Sprintf("%v is missing in %v", key, r.value)
		}
	}
	return ""
}

var objectRules = map[string]func(arg any, r schemaRun) string{
	"required": lacks,
	"dependencies": func(arg any, r schemaRun) string {
		m, _ := r.value.(map[string]any)
		for key, needs := range arg.(map[string]any) {
			if _, there := m[key]; there {
				if problem := lacks(needs, r); problem != "" {
					return problem
				}
			}
		}
		return ""
	},
	"properties": func(arg any, r schemaRun) string {
		m, _ := r.value.(map[string]any)
		for key, below := range arg.(map[string]any) {
			if v, there := m[key]; there {
				if problem := r.under(below, v); problem != "" {
					return key + ": " + problem
				}
			}
		}
		return ""
	},
	"additionalProperties": func(arg any, r schemaRun) string {
		m, _ := r.value.(map[string]any)
		known, _ := r.node["properties"].(map[string]any)
		for key, v := range m {
			if _, there := known[key]; there {
				continue
			}
			if arg == false {
				return "unknown key " + key
			}
			if problem := r.under(arg, v); problem != "" {
				return key + ": " + problem
			}
		}
		return ""
	},
	"propertyNames": func(arg any, r schemaRun) string {
		m, _ := r.value.(map[string]any)
		for key := range m {
			if problem := r.under(arg, key); problem != "" {
				return problem
			}
		}
		return ""
	},
	"minProperties": func(arg any, r schemaRun) string {
		m, ok := r.value.(map[string]any)
		return unless(!ok || len(m) >= int(arg.(float64)), "%d keys", len(m))
	},
	"maxProperties": func(arg any, r schemaRun) string {
		m, ok := r.value.(map[string]any)
		return unless(!ok || len(m) <= int(arg.(float64)), "%d keys", len(m))
	},
}

var listRules = map[string]func(arg any, r schemaRun) string{
	"items": func(arg any, r schemaRun) string {
		list, _ := r.value.([]any)
		for _, v := range list {
			if problem := r.under(arg, v); problem != "" {
				return problem
			}
		}
		return ""
	},
	"minItems": func(arg any, r schemaRun) string {
		list, ok := r.value.([]any)
		return unless(!ok || len(list) >= int(arg.(float64)), "%d elements", len(list))
	},
	"maxItems": func(arg any, r schemaRun) string {
		list, ok := r.value.([]any)
		return unless(!ok || len(list) <= int(arg.(float64)), "%d elements", len(list))
	},
	"uniqueItems": func(_ any, r schemaRun) string {
		list, _ := r.value.([]any)
		for i, v := range list {
			for _, before := range list[:i] {
				if reflect.DeepEqual(v, before) {
					return fmt.Sprintf("%v is there twice", v)
				}
			}
		}
		return ""
	},
}

var scalarRules = map[string]func(arg any, r schemaRun) string{
	"pattern": func(arg any, r schemaRun) string {
		text, ok := r.value.(string)
		return unless(!ok || regexp.MustCompile(arg.(string)).MatchString(text), "%q does not match", text)
	},
	"minLength": func(arg any, r schemaRun) string {
		text, ok := r.value.(string)
		return unless(!ok || len(text) >= int(arg.(float64)), "%q is too short", text)
	},
	"minimum": func(arg any, r schemaRun) string {
		v, ok := number(r.value)
		return unless(!ok || v >= arg.(float64), "%v is below %v", v, arg)
	},
	"maximum": func(arg any, r schemaRun) string {
		v, ok := number(r.value)
		return unless(!ok || v <= arg.(float64), "%v is above %v", v, arg)
	},
	"exclusiveMaximum": func(arg any, r schemaRun) string {
		v, ok := number(r.value)
		return unless(!ok || v < arg.(float64), "%v is not below %v", v, arg)
	},
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

func equal(a, b any) bool {
	x, ok := number(a)
	y, ok2 := number(b)
	return ok && ok2 && x == y || reflect.DeepEqual(a, b)
}

func isKind[T any](v any) bool {
	_, ok := v.(T)
	return ok
}

func unless(ok bool, format string, args ...any) string {
	if ok {
		return ""
	}
	return fmt.Sprintf(format, args...)
}
