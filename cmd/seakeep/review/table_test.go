package review

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

func checkout(t *testing.T) *Sheet {
	t.Helper()
	data, err := os.ReadFile("../../../examples/checkout/seakeep.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return New(parse(t, "seakeep.yaml", data), "seakeep.yaml")
}

// The example is a checkout with six dependencies, and its table is what a team
// would have written on a whiteboard.
func TestTableOfTheCheckout(t *testing.T) {
	var b bytes.Buffer
	if err := checkout(t).WriteMarkdown(&b, false); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	rows := map[string][]string{}
	for line := range strings.Lines(text) {
		if cells := strings.Split(strings.TrimSpace(line), " | "); len(cells) == len(headings) {
			rows[strings.TrimPrefix(cells[0], "| ")] = cells
		}
	}
	for _, want := range [][]string{
		{"inventory", "critical", "150ms", "1 retry with full jitter", "operations have their own", "none", "unavailable"},
		{"pricing", "critical", "200ms", "1 retry", "50 %", "an answer of up to 5m ago", "Cached prices"},
		{"payments", "critical", "3s", "1 retry", "writes with a key", "80 %", "202", "confirming your payment"},
		{"fraud", "optional", "200ms", "none", "30 %", "review", "The default decision"},
		{"recommendations", "optional", "100ms", "none", "left out", "The section is hidden", "1 in 28"},
		{"email", "async", "2s", "2 retries", "the queue keeps it", "Messages wait in the queue", "nobody waits"},
	} {
		row := strings.Join(rows[want[0]], " | ")
		for _, part := range want {
			if !strings.Contains(row, part) {
				t.Errorf("%q is not in the row %q", part, row)
			}
		}
	}
	for _, want := range []string{"99.6006 %", "2.92 h a month", "43.8 min", "28 pairs", "1 in 28 of the others",
		"- inventory: outlier, health, throttle, hedge"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// Availability in series is a product; a fallback takes one out of it, a queue
// keeps one from being in it, and an objective may ask for more than it.
func TestSeries(t *testing.T) {
	f := parse(t, "f", []byte(`version: 1
service: s
serve: {listen: 127.0.0.1:8080, upstream: "http://127.0.0.1:9000"}
slo: [{name: all, objective: 99.95%}, {name: some, objective: 99%}]
dependencies:
  a: {availability: 99.9%}
  b: {availability: 99.5%, fallback: [omit: {}]}
  c: {}
  d: {availability: 99%, kind: async}
`))
	s := New(f, "f").Series
	if math.Abs(s.All.Availability-0.999*0.995) > 1e-12 || !slices.Equal(s.All.Of, []string{"a", "b"}) ||
		s.Alone.Of[0] != "b" || s.Needed.Availability != 0.999 || !slices.Equal(s.Unknown, []string{"c"}) {
		t.Errorf("%+v", s)
	}
	if len(s.Above) != 1 || s.Above[0].Name != "all" {
		t.Errorf("above: %+v", s.Above)
	}
	text := strings.Join(s.sentences(), "\n")
	if !strings.Contains(text, "The objective all, 99.95 %, is more than these leave: 99.9 %.") ||
		!strings.Contains(text, "only a counts: 99.9 %, 43.8 min a month") {
		t.Error(text)
	}
	if s := New(parse(t, "f", []byte("version: 1\nservice: s\ndependencies: {a: {}}\n")), "f").Series; s != nil {
		t.Errorf("of nothing: %+v", s)
	}
}

// Who reads the row of what nothing holds sees it at once.
func TestRowOfWhatNothingHolds(t *testing.T) {
	f := parse(t, "f", []byte("version: 1\nservice: s\ndependencies:\n  a: {kind: optional}\n"+
		"  b: {timeout: {request: 2s}, breaker: {mode: observe}, retry: {attempts: 3, budget: none}}\n"))
	rows := New(f, "f").Table
	a, b := rows[0], rows[1]
	if a.Timeout != off || a.Breaker != off || a.Threads != "ALL of them" || !strings.Contains(a.Blast, "EVERY request") {
		t.Errorf("%+v", a)
	}
	if !strings.HasPrefix(b.Breaker, "observes only") || !strings.Contains(b.Retry, "NO BUDGET") ||
		!strings.Contains(b.Threads, "6.07 for each call a second") && !strings.Contains(b.Threads, "6.08") {
		t.Errorf("%+v", b)
	}
}

// The terminal's table stays within its columns, and loses no word.
func TestTableFits(t *testing.T) {
	s := checkout(t)
	for _, columns := range []int{20, 100, 160, 400} {
		var b bytes.Buffer
		if err := s.WriteTable(&b, columns, true); err != nil {
			t.Fatal(err)
		}
		table, values, _ := strings.Cut(b.String(), "Values in effect")
		for line := range strings.Lines(table) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > max(columns, 100) {
				t.Errorf("%d columns have a line of %d: %s", columns, n, line)
			}
		}
		if !strings.Contains(values, "dependencies.pricing.timeout.request: 200ms (seakeep.yaml:75)\n") ||
			!strings.Contains(values, "dependencies.pricing.hedge: off (default)\n") {
			t.Errorf("the values:\n%s", values)
		}
	}
	if got := wrap("ab abcdefgh c", 4); !slices.Equal(got, []string{"ab", "abcd", "efgh", "c"}) {
		t.Errorf("%q", got)
	}
}

// What the file says in words is text in every form, whatever it looks like.
func TestWordsAreText(t *testing.T) {
	s := New(parse(t, "f", []byte("version: 1\nservice: s\ndependencies:\n"+
		"  a: {when-down: '<script>alert(1)</script> | *b* [c](d)'}\n")), "f")
	var md, page bytes.Buffer
	if err := s.WriteMarkdown(&md, false); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteHTML(&page, true); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(md.String(), "<script") || !strings.Contains(md.String(), `\| \*b\* \[c\](d)`) {
		t.Error(md.String())
	}
	if strings.Contains(page.String(), "<script") || !strings.Contains(page.String(), "&lt;script&gt;") ||
		!strings.Contains(page.String(), "Values in effect") {
		t.Error(page.String())
	}
	d := xml.NewDecoder(&page)
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
