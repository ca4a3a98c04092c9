package config

import (
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v4"
)

// join adds a key to a path. A key that would blur the path is quoted.
func join(path, key string) string {
	if !plainForm.MatchString(key) {
		key = strconv.Quote(shorten(key))
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

var plainForm = regexp.MustCompile(`^[A-Za-z0-9_*-]{1,63}$`)

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
	text := shorten(n.Value)
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 || n.ShortTag() == "!!str" {
		return strconv.Quote(text)
	}
	return text
}

func shorten(text string) string {
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:57]) + "..."
	}
	return text
}
