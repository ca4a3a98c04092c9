package check

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// Severity says how much a finding matters.
type Severity uint8

const (
	// Info is worth knowing.
	Info Severity = iota
	// Warning hurts in an incident.
	Warning
	// Error makes an incident, or hurts on a usual day.
	Error
)

var severities = [...]string{"info", "warning", "error"}

// String returns "info", "warning" or "error".
func (s Severity) String() string {
	if int(s) < len(severities) {
		return severities[s]
	}
	return "invalid"
}

// MarshalJSON writes the name.
func (s Severity) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// ParseSeverity reads a name.
func ParseSeverity(name string) (Severity, error) {
	for i, known := range severities {
		if name == known {
			return Severity(i), nil
		}
	}
	return 0, fmt.Errorf("%q is no severity; use error, warning or info", name)
}

// Finding is one thing that an incident will punish.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Column   int      `json:"column"`
	Path     string   `json:"path"` // the key, from the top of the file
	Why      string   `json:"why"`
	Number   Number   `json:"number"`
	Fix      string   `json:"fix"`
	Changes  []Change `json:"changes"` // that mend it, if no person has to decide how
	Bites    string   `json:"bites"`   // what has to happen
	// Reason is why it is accepted, of a finding that a comment takes away.
	Reason string `json:"reason,omitempty"`

	subject string // whose it is: a dependency, or empty
}

// About is the dependency that the finding is of; empty: it is of the file.
func (f *Finding) About() string { return f.subject }

// Number is what was worked out, beside what it should be.
type Number struct {
	What  string  `json:"what"`
	Value float64 `json:"value"`
	Limit float64 `json:"limit"`
	Unit  string  `json:"unit"`
}

// String writes both.
func (n Number) String() string {
	return fmt.Sprintf("%s: %s, beside %s", n.What, n.show(n.Value), n.show(n.Limit))
}

func (n Number) show(v float64) string {
	switch n.Unit {
	case "%":
		return figure(v, 5) + " %"
	case "ms":
		return span(millis(v))
	case "":
		return figure(v, 4)
	}
	return figure(v, 4) + " " + n.Unit
}

// Change is a key and the value that mends a finding, as config.Set takes them.
// An empty Value removes the key.
type Change struct {
	Path  string `json:"path"`
	Value string `json:"value"`
}

// String writes the change as --set has it.
func (c Change) String() string {
	if c.Value == "" {
		return "remove " + c.Path
	}
	return c.Path + ": " + c.Value
}

// byPlace orders findings as the files have them.
func byPlace(a, b Finding) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
		cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.Rule, b.Rule))
}
