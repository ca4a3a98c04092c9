package foreign

import (
	"fmt"
	"strings"
)

// commentColumn is where comments begin, if the value leaves room.
const commentColumn = 34

// writer prints a tree of blocks as YAML.
type writer struct{ out strings.Builder }

// write returns the policy file.
func (b *block) write(tool string) string {
	w := &writer{}
	fmt.Fprintf(&w.out, `# Made by seakeep import from settings of %s. The comments say where each
# value comes from; the report of the import says what was left behind.
`, tool)
	w.block(b, "")
	return w.out.String()
}

// block prints the items of b, each indented.
func (w *writer) block(b *block, indent string) {
	for _, it := range b.items {
		w.item(it, indent, indent)
	}
}

// item prints one item. first is what the line begins with: the indentation,
// or in a list the hyphen in its place.
func (w *writer) item(it *item, first, indent string) {
	switch {
	case it.empty():
	case it.sub != nil && it.sub.empty():
		w.line(first+it.key+": "+it.value, it.note)
	case it.sub != nil:
		w.line(first+it.key+":", it.note)
		w.block(it.sub, indent+"  ")
	case it.list != nil:
		w.line(first+it.key+":", "")
		for _, element := range it.list {
			for i, below := range element.items {
				begin := indent + "    "
				if i == 0 {
					begin = indent + "  - "
				}
				w.item(below, begin, indent+"    ")
			}
		}
	case it.lines != nil:
		w.line(first+it.key+":", "")
		for _, l := range it.lines {
			w.line(indent+"  - "+l.value, l.from.comment())
		}
	default:
		w.line(first+it.key+": "+it.value, it.note)
	}
}

// line prints a line with its comment.
func (w *writer) line(text, comment string) {
	w.out.WriteString(text)
	if comment != "" {
		pad := max(commentColumn-len(text), 1)
		w.out.WriteString(strings.Repeat(" ", pad))
		w.out.WriteString("# ")
		w.out.WriteString(clean(comment, 240))
	}
	w.out.WriteByte('\n')
}

// quoted returns text as a YAML string in single quotes. It must be printable;
// whoever writes it has checked that by the form it must have.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
