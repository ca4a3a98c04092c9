package tune

import (
	"fmt"
	"strings"
)

const around = 3 // lines shown around a change

// Diff is what patch takes (patch -p0): the lines that went and came, with some
// around them. It is empty if nothing changed.
func Diff(name, before, after string) string {
	if before == after {
		return ""
	}
	a, b := cut(before), cut(after)
	ops := script(a, b)
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", name, name)
	for i := 0; i < len(ops); {
		if ops[i].sign == ' ' {
			i++
			continue
		}
		from := max(i-around, 0)
		to, quiet := i, 0
		for to < len(ops) && quiet <= 2*around {
			if quiet++; ops[to].sign != ' ' {
				quiet = 0
			}
			to++
		}
		to -= max(quiet-around, 0)
		out.WriteString(hunk(ops, from, to))
		i = to
	}
	return out.String()
}

// op is a line that stays, goes or comes.
type op struct {
	sign byte
	text string
}

func hunk(ops []op, from, to int) string {
	lineA, lineB, countA, countB := 1, 1, 0, 0
	var body strings.Builder
	for i, o := range ops[:to] {
		inA, inB := o.sign != '+', o.sign != '-'
		if i < from {
			lineA, lineB = lineA+one(inA), lineB+one(inB)
			continue
		}
		countA, countB = countA+one(inA), countB+one(inB)
		body.WriteByte(o.sign)
		body.WriteString(o.text)
		if !strings.HasSuffix(o.text, "\n") {
			body.WriteString("\n\\ No newline at end of file\n")
		}
	}
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@\n%s", lineA, countA, lineB, countB, body.String())
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// cut splits a text after its line breaks.
func cut(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// script is a shortest way from a to b (the longest common subsequence, of what
// is between a common beginning and end).
func script(a, b []string) (ops []op) {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		ops = append(ops, op{' ', a[head]})
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	x, y := a[head:len(a)-tail], b[head:len(b)-tail]
	ops = append(ops, middle(x, y)...)
	for _, line := range a[len(a)-tail:] {
		ops = append(ops, op{' ', line})
	}
	return ops
}

const mostCells = 16 << 20

func middle(x, y []string) (ops []op) {
	if len(x)*len(y) > mostCells { // all of it goes, and all of it comes
		for _, l := range x {
			ops = append(ops, op{'-', l})
		}
		for _, l := range y {
			ops = append(ops, op{'+', l})
		}
		return ops
	}
	w := len(y) + 1
	longest := make([]int32, (len(x)+1)*w) // of what is left
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				longest[i*w+j] = longest[(i+1)*w+j+1] + 1
			} else {
				longest[i*w+j] = max(longest[(i+1)*w+j], longest[i*w+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(x) || j < len(y) {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			ops = append(ops, op{' ', x[i]})
			i, j = i+1, j+1
		case j == len(y) || i < len(x) && longest[(i+1)*w+j] >= longest[i*w+j+1]:
			ops = append(ops, op{'-', x[i]})
			i++
		default:
			ops = append(ops, op{'+', y[j]})
			j++
		}
	}
	return ops
}
