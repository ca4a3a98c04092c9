package gallery

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the verdicts into the page")

const (
	page  = "../../docs/gallery.md"
	start = "<!-- cards: go test ./sim/gallery -run TestPage -update -->\n"
	end   = "<!-- end of cards -->\n"
)

func row(e Entry, verdict string) string {
	return fmt.Sprintf("| %s | %s | %s | %s |\n", e.ID, e.Kind, e.Title, verdict)
}

// TestPage holds the list of verdicts that people read against the cards.
func TestPage(t *testing.T) {
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(data), start)
	table, after, found := strings.Cut(rest, end)
	if !found {
		t.Fatalf("%s has no place for the cards", page)
	}
	head := "\n| card | kind | what | verdict |\n|---|---|---|---|\n"
	if *update {
		var b strings.Builder
		for _, e := range Cards() {
			b.WriteString(row(e, makeCard(e).Verdict))
		}
		if err := os.WriteFile(page, []byte(before+start+head+b.String()+"\n"+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	lines := strings.Split(strings.TrimSpace(strings.TrimPrefix(table, head)), "\n")
	cards := Cards()
	if len(lines) != len(cards) {
		t.Fatalf("%s lists %d cards, there are %d: %s", page, len(lines), len(cards), strings.TrimSpace(start))
	}
	for i, e := range cards {
		want := row(e, "")
		if !skipped(e) {
			want = row(e, makeCard(e).Verdict)
		} else {
			want = want[:len(want)-len(" |\n")]
		}
		if !strings.HasPrefix(lines[i]+"\n", want) {
			t.Errorf("%s says\n%s\nand the card\n%s%s", page, lines[i], want, strings.TrimSpace(start))
		}
	}
}
