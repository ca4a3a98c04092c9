package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// maxFile bounds a file. A thousand dependencies written out in full stay below
// it; what is larger is a mistake or an attack.
const maxFile = 1 << 20

// parseYAML turns the text into the one document it must hold. On failure it
// records exactly one error and returns nil, because what follows a syntax
// error is guesswork.
func (d *decoder) parseYAML(data []byte) *yaml.Node {
	if len(data) > maxFile {
		d.failAt(1, 1, "", fmt.Sprintf("the file is larger than %s", showSize(maxFile)),
			d.genre.split)
		return nil
	}
	if line, column, what := badText(data); what != "" {
		d.failAt(line, column, "", what, "save the file as UTF-8 text")
		return nil
	}
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		d.failAt(1, 1, "", "not YAML: "+err.Error(), "")
		return nil
	}
	var doc, second yaml.Node
	switch err := loader.Load(&doc); {
	case errors.Is(err, io.EOF):
		d.failAt(1, 1, "", "the file is empty", d.genre.begin)
		return nil
	case err != nil:
		d.syntaxError(data, err)
		return nil
	}
	switch err := loader.Load(&second); {
	case errors.Is(err, io.EOF):
	case err != nil:
		d.syntaxError(data, err)
		return nil
	default:
		d.failAt(second.Line, second.Column, "", "a second document starts here",
			d.genre.one+" and remove the line ---")
		return nil
	}
	if len(doc.Content) != 1 {
		d.failAt(1, 1, "", "the file is empty", d.genre.begin)
		return nil
	}
	return doc.Content[0]
}

// genre is what the messages about a file as a whole say of its kind.
type genre struct {
	begin string // how to mend an empty file
	one   string // ... one with several documents
	split string // ... one that is too large

	own   []string  // keys of which this kind has one at least
	other []string  // keys that mean, together and without own, the other kind
	swap  [2]string // what the other kind is, and how to mend that
}

var policyFile = genre{
	begin: "start with version: 1, service:, and dependencies: or serve:",
	one:   "give one policy per file",
	split: "split it by service",
	own:   []string{"dependencies"},
	other: []string{"clients", "services"},
	swap: [2]string{"this is a scenario, not a policy file",
		"check it with seakeep validate --scenario, or run it with seakeep sim"},
}

// badText finds what cannot be read as text: bytes that are not UTF-8 and
// control characters, which YAML forbids. The library reports those without a
// position.
func badText(data []byte) (line, column int, what string) {
	line, column = 1, 1
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	for len(data) > 0 {
		r, width := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && width == 1:
			return line, column, fmt.Sprintf("byte 0x%02x is not UTF-8", data[0])
		case r == '\n':
			line, column = line+1, 0
		case r < ' ' && r != '\t' && r != '\r', r == 0x7f:
			return line, column, fmt.Sprintf("control character 0x%02x in the text", r)
		}
		column++
		data = data[width:]
	}
	return 0, 0, ""
}

// syntaxError records the library's error in our form.
func (d *decoder) syntaxError(data []byte, err error) {
	var load *yaml.LoadError
	if !errors.As(err, &load) {
		d.failAt(1, 1, "", "not YAML: "+err.Error(), "")
		return
	}
	line, column := max(load.Mark.Line, 1), max(load.Mark.Column, 1)
	text, _ := nthLine(string(data), line)
	indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	if tab := strings.IndexByte(indent, '\t'); tab >= 0 {
		d.failAt(line, tab+1, "", "a tab indents this line",
			"YAML allows only spaces there")
		return
	}
	problem := "not YAML: " + load.Message
	if load.ContextMsg != "" {
		problem += " " + load.ContextMsg
	}
	d.failAt(line, column, "", problem, yamlFix(load.Message))
}

// yamlFix says how to mend the few syntax errors people really make.
func yamlFix(message string) string {
	switch {
	case strings.Contains(message, "mapping values are not allowed"):
		return "indent the keys of one section alike, or quote a value that holds a colon"
	case strings.Contains(message, "cannot start any token"):
		return "put the value in quotes"
	case strings.Contains(message, "unknown anchor"):
		return "name it with & earlier in the file"
	}
	return ""
}
