package simulate

import (
	"math"
	"strings"
	"unicode/utf8"
)

// Style is how a report is written for people.
type Style struct {
	Fancy bool // block characters and colours, for a terminal
}

const (
	bold  = "\x1b[1m"
	red   = "\x1b[31m"
	green = "\x1b[32m"
	plain = "\x1b[0m"
)

func (s Style) paint(colour, text string) string {
	if !s.Fancy {
		return text
	}
	return colour + text + plain
}

// text keeps to ASCII where nothing else is sure to be shown.
func (s Style) text(t string) string {
	if s.Fancy {
		return t
	}
	return ascii.Replace(t)
}

var ascii = strings.NewReplacer("±", "+-", "µ", "u")

const (
	blocks = "▁▂▃▄▅▆▇█"
	lines  = "_.:-=+*#"
)

// spark draws values from 0 to top in one line. Values share a character where
// there are more than width.
func (s Style) spark(values []float64, top float64, width int) string {
	levels := []rune(lines)
	if s.Fancy {
		levels = []rune(blocks)
	}
	var b strings.Builder
	for _, v := range fold(values, width) {
		if math.IsNaN(v) || top <= 0 {
			b.WriteByte(' ')
			continue
		}
		k := int(v / top * float64(len(levels)))
		if k == 0 && v > 0 && !s.Fancy {
			k = 1 // the lowest mark means none
		}
		b.WriteRune(levels[max(min(k, len(levels)-1), 0)])
	}
	return b.String()
}

// fold makes width values out of many, each the mean of its neighbours.
func fold(values []float64, width int) []float64 {
	out := make([]float64, min(width, len(values)))
	for i := range out {
		from, to := i*len(values)/len(out), (i+1)*len(values)/len(out)
		sum, n := 0.0, 0
		for _, v := range values[from:to] {
			if !math.IsNaN(v) {
				sum += v
				n++
			}
		}
		out[i] = math.NaN()
		if n > 0 {
			out[i] = sum / float64(n)
		}
	}
	return out
}

// table lines up columns: the first to the left, the others to the right.
type table struct {
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// write writes the table with its first row painted as a heading.
func (t *table) write(b *strings.Builder, s Style) {
	var widths []int
	for _, row := range t.rows {
		for i := range row {
			row[i] = s.text(row[i])
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	for n, row := range t.rows {
		line := ""
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				line += cell + space
			} else {
				line += "  " + space + cell
			}
		}
		line = strings.TrimRight(line, " ")
		if n == 0 {
			line = s.paint(bold, line)
		}
		b.WriteString(line + "\n")
	}
}

// empty reports whether a column has nothing but its heading.
func (t *table) empty(column int) bool {
	for _, row := range t.rows[1:] {
		if row[column] != "0" && row[column] != "-" {
			return false
		}
	}
	return true
}

func (t *table) remove(column int) {
	for n, row := range t.rows {
		t.rows[n] = append(row[:column:column], row[column+1:]...)
	}
}

// left writes a table without a heading, all columns to the left.
func (t *table) left(b *strings.Builder, s Style) {
	width := 0
	for _, row := range t.rows {
		row[0] = s.text(row[0])
		width = max(width, utf8.RuneCountInString(row[0]))
	}
	for _, row := range t.rows {
		space := strings.Repeat(" ", width-utf8.RuneCountInString(row[0]))
		b.WriteString(row[0] + space + "  " + s.text(row[1]) + "\n")
	}
}
