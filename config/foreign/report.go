package foreign

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Fate is what became of a setting.
type Fate uint8

const (
	// Mapped means that the policy does the same.
	Mapped Fate = iota
	// Approximated means that the policy does something close to it.
	Approximated
	// Dropped means that nothing in the policy stands for it.
	Dropped
)

var fates = [...]string{"mapped", "approximated", "dropped"}

// String returns the fate in lower case.
func (f Fate) String() string {
	if int(f) < len(fates) {
		return fates[f]
	}
	return "invalid"
}

// MarshalText returns what String does.
func (f Fate) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (f *Fate) UnmarshalText(text []byte) error {
	for i, name := range fates {
		if name == string(text) {
			*f = Fate(i)
			return nil
		}
	}
	return fmt.Errorf("%q is not what becomes of a setting", text)
}

// Setting is one setting of the input, or a section of it with one fate.
type Setting struct {
	Line  int      `json:"line"`
	Path  string   `json:"path"`  // keys from the top of the input
	Value string   `json:"value"` // as written, shortened; empty for a section
	Count int      `json:"count"` // how many settings it stands for; more than 1 for a section
	Fate  Fate     `json:"fate"`
	To    []string `json:"to,omitempty"`   // the keys of the policy that stand for it
	Note  string   `json:"note,omitempty"` // how it differs, or why it was dropped
}

// Addition is a value of the policy that no setting of the input asked for:
// what the source does by default, and what keeps our own defaults from acting
// where the source has none.
type Addition struct {
	To    string `json:"to"`
	Value string `json:"value"`
	Note  string `json:"note"`
}

// Report says what became of each setting of an input. The counts are of
// settings, so together they are all that the input holds.
type Report struct {
	Format       string     `json:"format"`
	Mapped       int        `json:"mapped"`
	Approximated int        `json:"approximated"`
	Dropped      int        `json:"dropped"`
	Settings     []Setting  `json:"settings"` // in the order of the input
	Added        []Addition `json:"added"`
	Warnings     []string   `json:"warnings"` // what "seakeep validate" has to say
}

// count fills in the counts, and lists that JSON shall not show as null.
func (r *Report) count() {
	for _, s := range r.Settings {
		switch s.Fate {
		case Mapped:
			r.Mapped += s.Count
		case Approximated:
			r.Approximated += s.Count
		case Dropped:
			r.Dropped += s.Count
		}
	}
	if r.Settings == nil {
		r.Settings = []Setting{}
	}
	r.Added, r.Warnings = []Addition{}, []string{}
}

// Write prints the report for a person: what needs attention comes last, where
// a terminal leaves it in view.
func (r *Report) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d mapped, %d approximated, %d dropped\n", r.Format, r.Mapped,
		r.Approximated, r.Dropped)
	titles := [...]string{"Mapped: the policy does the same", "Approximated: close, not the same",
		"Dropped: nothing in the policy stands for it"}
	for fate, title := range titles {
		r.writeFate(&b, Fate(fate), title)
	}
	if len(r.Added) > 0 {
		b.WriteString("\nAdded, because the source does so unasked\n")
		for _, a := range r.Added {
			fmt.Fprintf(&b, "  %s: %s (%s)\n", a.To, a.Value, a.Note)
		}
	}
	if len(r.Warnings) > 0 {
		b.WriteString("\nWarnings\n")
		for _, warning := range r.Warnings {
			fmt.Fprintf(&b, "  %s\n", warning)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) writeFate(b *strings.Builder, fate Fate, title string) {
	first := true
	for _, s := range r.Settings {
		if s.Fate != fate {
			continue
		}
		if first {
			fmt.Fprintf(b, "\n%s\n", title)
			first = false
		}
		fmt.Fprintf(b, "  line %d: %s", s.Line, s.Path)
		switch {
		case s.Count > 1:
			fmt.Fprintf(b, " (%d settings)", s.Count)
		case s.Value != "":
			fmt.Fprintf(b, " = %s", s.Value)
		}
		if len(s.To) > 0 {
			fmt.Fprintf(b, " -> %s", strings.Join(s.To, ", "))
		}
		b.WriteByte('\n')
		if s.Note != "" {
			fmt.Fprintf(b, "      %s\n", s.Note)
		}
	}
}

// WriteJSON prints the policy and the report as one JSON object.
func (t *Translation) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(t)
}
