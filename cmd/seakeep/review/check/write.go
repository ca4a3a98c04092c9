package check

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/seakeep/seakeep/config"
)

// Formats are the forms that Write knows.
var Formats = []string{"text", "json", "sarif", "github", "junit"}

// Output is a report with the files that it is about.
type Output struct {
	*Report
	Files   []*config.File
	Version string // of the program
}

// Write prints the report in one of the Formats.
func (o *Output) Write(w io.Writer, format string) error {
	switch format {
	case "json":
		return encode(w, struct {
			Findings   []Finding `json:"findings"`
			Suppressed []Finding `json:"suppressed"`
		}{o.Findings, o.Suppressed})
	case "sarif":
		return encode(w, o.sarif())
	case "github":
		return o.github(w)
	case "junit":
		return o.junit(w)
	}
	return o.text(w)
}

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// text is for people: the line, a caret, and what to do.
func (o *Output) text(w io.Writer) error {
	var b strings.Builder
	texts := map[string][]byte{}
	for _, f := range o.Files {
		texts[f.Name()] = f.Text()
	}
	for _, f := range o.Findings {
		fmt.Fprintf(&b, "%s:%d:%d: %s: %s: %s\n", f.File, f.Line, f.Column, f.Severity, f.Rule, f.Why)
		b.WriteString(config.Snippet(texts[f.File], f.Line, f.Column))
		fmt.Fprintf(&b, "        number  %s\n        fix     %s\n        bites   %s\n\n", f.Number, f.Fix, f.Bites)
	}
	b.WriteString(o.Summary() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// Summary counts the findings, in a line.
func (o *Output) Summary() string {
	var count [3]int
	for _, f := range o.Findings {
		count[f.Severity]++
	}
	text := fmt.Sprintf("%s: ", plural(len(o.Files), "file", "files"))
	if len(o.Findings) == 0 {
		text += "nothing found"
	} else {
		text += strings.Join([]string{plural(count[Error], "error", "errors"),
			plural(count[Warning], "warning", "warnings"), plural(count[Info], "note", "notes")}, ", ")
	}
	if n := len(o.Suppressed); n > 0 {
		text += fmt.Sprintf("; %d taken away by comments", n)
	}
	return text
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// github writes commands that GitHub turns into annotations of a change.
func (o *Output) github(w io.Writer) error {
	var b strings.Builder
	for _, f := range o.Findings {
		command := map[Severity]string{Error: "error", Warning: "warning", Info: "notice"}[f.Severity]
		fmt.Fprintf(&b, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", command, property(relative(f.File)),
			f.Line, f.Column, property(f.Rule), data(f.message()))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// message is all of a finding in a few sentences.
func (f *Finding) message() string {
	return fmt.Sprintf("%s. %s. To mend it, %s.", f.Why, f.Number, f.Fix)
}

// data and property escape what a command of GitHub must not hold.
func data(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func property(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(text))
}
