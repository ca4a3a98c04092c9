package simulate

import (
	"math"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/sim/study"
)

func TestTextGolden(t *testing.T) {
	q := question(t)
	q.Why = true
	r := report(t, q)
	var b strings.Builder
	if err := r.WriteText(&b, Style{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "shop.txt", b.String())
	for i, c := range b.String() {
		if c > 126 || c < ' ' && c != '\n' {
			t.Fatalf("character %q at %d is not plain ASCII", c, i)
		}
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if strings.HasSuffix(line, " ") {
			t.Errorf("%q ends in a space", line)
		}
	}
}

func TestTextForTerminals(t *testing.T) {
	q := question(t)
	q.Sets = []string{"services.shop.workers=20"}
	var b strings.Builder
	if err := report(t, q).WriteText(&b, Style{Fancy: true}); err != nil {
		t.Fatal(err)
	}
	golden(t, "shop-fancy.txt", strings.ReplaceAll(b.String(), "\x1b", "ESC"))
	if strings.Contains(b.String(), "why (") {
		t.Error("why is told though nobody asked")
	}
}

func TestTextOfOneRun(t *testing.T) {
	var b strings.Builder
	if err := report(t, question(t, "runs", "1")).WriteText(&b, Style{}); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "rates of a single run have no interval (+-?)") ||
		!strings.Contains(text, " +-?") {
		t.Errorf("a single run has intervals:\n%s", text)
	}
}

func TestSpark(t *testing.T) {
	nan := math.NaN()
	for _, tc := range []struct {
		values []float64
		top    float64
		width  int
		plain  string
		fancy  string
	}{
		{[]float64{0, 0.1, 0.5, 0.99, 1, 2, nan}, 1, 10, "_.=### ", "▁▁▅███ "},
		{[]float64{0, 1, 0, 1}, 1, 2, "==", "▅▅"},
		{[]float64{nan, 1, nan, nan}, 1, 2, "# ", "█ "},
		{[]float64{1}, 0, 5, " ", " "},
		{nil, 1, 5, "", ""},
	} {
		if got := (Style{}).spark(tc.values, tc.top, tc.width); got != tc.plain {
			t.Errorf("%v of %v is %q, want %q", tc.values, tc.top, got, tc.plain)
		}
		if got := (Style{Fancy: true}).spark(tc.values, tc.top, tc.width); got != tc.fancy {
			t.Errorf("%v of %v is %q, want %q", tc.values, tc.top, got, tc.fancy)
		}
	}
}

func TestTable(t *testing.T) {
	tb := &table{}
	tb.add("name", "a", "none", "long heading")
	tb.add("x", "1", "0", "±2")
	tb.add("longer", "10", "-", "3")
	if tb.empty(1) || !tb.empty(2) || tb.empty(3) {
		t.Error("a column with figures is empty, or one without is not")
	}
	tb.remove(2)
	var b strings.Builder
	tb.write(&b, Style{})
	want := "name     a  long heading\nx        1           +-2\nlonger  10             3\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	b.Reset()
	(&table{}).write(&b, Style{})
	if b.Len() > 0 {
		t.Errorf("a table of nothing is %q", b.String())
	}
}

func TestRound(t *testing.T) {
	for x, want := range map[float64]float64{0.3: 1, 1: 1, 1.1: 1.2, 7: 8, 9: 10, 101: 120, 200: 200,
		333: 400, 1040: 1200, 5e6: 5e6} {
		if got := round(x); got != want {
			t.Errorf("%v is rounded to %v, want %v", x, got, want)
		}
	}
}

func TestUsedPictures(t *testing.T) {
	nan := math.NaN()
	all := used([]picture{
		{Title: "nothing", Top: 1, Curves: []curve{{"a", []float64{0, nan}}}},
		{Title: "full", Curves: []curve{{"a", []float64{0, nan}}, {"b", []float64{3}}}},
		{Title: "sparse", Top: 1, Sparse: true, Curves: []curve{{"a", []float64{0}}, {"b", []float64{nan, 0.5}}}},
	})
	if len(all) != 2 || all[0].Title != "full" || all[0].Top != 3 || len(all[0].Curves) != 2 ||
		len(all[1].Curves) != 1 || all[1].Curves[0].Name != "b" {
		t.Errorf("%+v", all)
	}
}

func TestCell(t *testing.T) {
	for want, f := range map[string]study.Figure{
		"0":        {Unit: study.Share, Mean: 0, Half: 0.001},
		"7 ±0":     {Mean: 7},
		"1 ±?":     {Mean: 1, Half: math.Inf(1)},
		"0.0 ±0.4": {Mean: 0, Half: 0.4},
		"-":        {Mean: math.NaN()},
	} {
		if got := (column{rare: true}).cell(f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := (column{}).cell(study.Figure{Unit: study.Share, Half: 0.001}); got != "0.00 % ±0.10" {
		t.Errorf("a success of nothing is %q", got)
	}
	if got := cut("recommendations", 10); got != "recomme..." {
		t.Error(got)
	}
}
