package prove

import (
	"fmt"
	"io"
	"strings"
)

// Write prints a proof for people: what happens, and both outcomes side by side.
func (p *Proof) Write(w io.Writer) error {
	var b strings.Builder
	f := p.Finding
	fmt.Fprintf(&b, "%s:%d:%d: %s: %s\n", f.File, f.Line, f.Column, f.Rule, f.Why)
	fmt.Fprintf(&b, "  %s\n  Changed: %s\n\n", p.About, strings.Join(p.Changes, "; "))
	if len(p.Mended) > 0 {
		for _, line := range wrapped("Mended in both, because as it is they hide this: "+
			strings.Join(p.Mended, ", ")+".", 96) {
			b.WriteString("  " + line + "\n")
		}
		b.WriteString("\n")
	}
	rows := [][3]string{{"", "as it is", "changed"}}
	for _, v := range p.Figures {
		rows = append(rows, [3]string{v.Name, v.AsIs.Text, v.Fixed.Text})
	}
	var wide [3]int
	for _, r := range rows {
		for i, cell := range r {
			wide[i] = max(wide[i], len([]rune(cell)))
		}
	}
	for _, r := range rows {
		fmt.Fprintf(&b, "  %-*s  %*s  %*s\n", wide[0], r[0], wide[1], r[1], wide[2], r[2])
	}
	verdict := "It is no worse as it is than changed: in this scenario it does not bite."
	if p.Worse {
		verdict = "It is worse as it is, by the first line, beyond what chance does."
	}
	fmt.Fprintf(&b, "\n  %s\n\n", verdict)
	_, err := io.WriteString(w, b.String())
	return err
}

// wrapped cuts a text at its spaces.
func wrapped(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
