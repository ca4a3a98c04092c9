package review

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// below are the sentences under the table, with their headings.
func (s *Sheet) below() (all [][2]string) {
	if s.Series != nil {
		for _, text := range s.Series.sentences() {
			all = append(all, [2]string{"Availability", text})
		}
	}
	for i := range s.Dependencies {
		if d := &s.Dependencies[i]; d.Shards != nil {
			all = append(all, [2]string{"Tenants", d.Shards.sentence(d.Name)})
		}
	}
	if s.Door == nil {
		all = append(all, [2]string{"Switched off", "serve: the service takes what comes."})
	} else if len(s.Door.Off) > 0 {
		all = append(all, [2]string{"Switched off", "serve: " + strings.Join(s.Door.Off, ", ") + "."})
	}
	for i := range s.Dependencies {
		if d := &s.Dependencies[i]; len(d.Off) > 0 {
			all = append(all, [2]string{"Switched off", d.Name + ": " + strings.Join(d.Off, ", ") + "."})
		}
	}
	for _, text := range s.Warnings {
		all = append(all, [2]string{"Warnings", text})
	}
	return all
}

// WriteMarkdown prints the table and what follows from it as Markdown, with the
// values in effect if they are asked for.
func (s *Sheet) WriteMarkdown(w io.Writer, values bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", markdown(s.Service))
	line := func(cells []string) {
		for _, cell := range cells {
			b.WriteString("| " + markdown(cell) + " ")
		}
		b.WriteString("|\n")
	}
	line(headings)
	b.WriteString(strings.Repeat("|---", len(headings)) + "|\n")
	for i := range s.Table {
		line(s.Table[i].cells())
	}
	heading := ""
	for _, v := range s.below() {
		if v[0] != heading {
			heading = v[0]
			fmt.Fprintf(&b, "\n## %s\n\n", heading)
		}
		fmt.Fprintf(&b, "- %s\n", markdown(v[1]))
	}
	if values {
		b.WriteString("\n## Values in effect\n\n| key | value | from |\n|---|---|---|\n")
		for _, v := range s.Values {
			line([]string{v.Path, v.Value, v.From})
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown escapes what would be more than text.
func markdown(text string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "<", "&lt;", "`", "\\`",
		"[", `\[`, "]", `\]`).Replace(text)
}

// WriteTable prints the table for a terminal of so many columns, at least 100.
func (s *Sheet) WriteTable(w io.Writer, columns int, values bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n", s.File, s.Service)
	rows := [][]string{headings}
	for i := range s.Table {
		rows = append(rows, s.Table[i].cells())
	}
	grid(&b, rows, max(columns, 100))
	heading := ""
	for _, v := range s.below() {
		if v[0] != heading {
			heading = v[0]
			fmt.Fprintf(&b, "\n%s\n", heading)
		}
		for _, line := range wrap(v[1], max(columns, 100)-2) {
			b.WriteString("  " + line + "\n")
		}
	}
	if values {
		b.WriteString("\nValues in effect\n")
		for _, v := range s.Values {
			fmt.Fprintf(&b, "  %s: %s (%s)\n", v.Path, v.Value, v.From)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// grid writes rows as a table whose cells go over several lines.
func grid(b *strings.Builder, rows [][]string, columns int) {
	widths := widthsOf(rows, columns-2*(len(rows[0])-1))
	for n, row := range rows {
		cells := make([][]string, len(row))
		height := 0
		for i, text := range row {
			cells[i] = wrap(text, widths[i])
			height = max(height, len(cells[i]))
		}
		for y := range height {
			line := ""
			for i := range cells {
				text := ""
				if y < len(cells[i]) {
					text = cells[i][y]
				}
				line += text + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text)+2)
			}
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
		if n < len(rows)-1 {
			b.WriteString(strings.Repeat("-", min(columns, sum(widths)+2*(len(widths)-1))) + "\n")
		}
	}
}

func sum(all []int) (n int) {
	for _, v := range all {
		n += v
	}
	return n
}

// widthsOf gives each column the width of its longest word, takes from the widest
// what is too much, and gives the room that is left to those that need the most
// lines.
func widthsOf(rows [][]string, room int) []int {
	widths := make([]int, len(rows[0]))
	length := make([]int, len(widths))
	for _, row := range rows {
		for i, text := range row {
			length[i] = max(length[i], utf8.RuneCountInString(text))
			for _, word := range strings.Fields(text) {
				widths[i] = min(max(widths[i], utf8.RuneCountInString(word)), 24)
			}
		}
	}
	for sum(widths) > room {
		widest := 0
		for i := range widths {
			if widths[i] > widths[widest] {
				widest = i
			}
		}
		widths[widest]--
	}
	for left := room - sum(widths); left > 0; left-- {
		most, at := 1.0, -1
		for i := range widths {
			if lines := float64(length[i]) / float64(widths[i]); lines > most {
				most, at = lines, i
			}
		}
		if at < 0 {
			break
		}
		widths[at]++
	}
	return widths
}

// wrap cuts a text at its spaces, and words that are longer than a line.
func wrap(text string, width int) (lines []string) {
	line := []rune{}
	for _, word := range strings.Fields(text) {
		runes := []rune(word)
		if len(line) > 0 && len(line)+1+len(runes) > width {
			lines = append(lines, string(line))
			line = nil
		}
		if len(line) > 0 {
			line = append(line, ' ')
		}
		for len(runes) > width {
			lines = append(lines, string(runes[:width]))
			runes = runes[width:]
		}
		line = append(line, runes...)
	}
	return slices.Concat(lines, []string{string(line)})
}
