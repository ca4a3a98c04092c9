package config

import (
	"strconv"

	"go.yaml.in/yaml/v4"
)

// join adds a key to a path. A key that would blur the path is quoted.
func join(path, key string) string {
	if !plainKey(key) {
		key = strconv.Quote(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

func plainKey(key string) bool {
	for _, r := range key {
		if r != '-' && r != '_' && r != '*' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return false
		}
	}
	return key != ""
}

// describe names a node that is not what was expected.
func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a section stands"
	case n.Kind == yaml.SequenceNode:
		return "a list stands"
	case n.ShortTag() == "!!null":
		return "nothing stands"
	}
	return quote(n) + " stands"
}

// quote shows a scalar as the file has it, shortened.
func quote(n *yaml.Node) string {
	text := n.Value
	if runes := []rune(text); len(runes) > 60 {
		text = string(runes[:57]) + "..."
	}
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 || n.ShortTag() == "!!str" {
		return strconv.Quote(text)
	}
	return text
}
