package simulate

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/sim/study"
)

func pageOf(t *testing.T, q Question) string {
	t.Helper()
	q.Page = true
	var b strings.Builder
	if err := report(t, q).WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPageGolden(t *testing.T) {
	q := question(t)
	q.Sets = []string{"services.shop.queue={rule: fifo, length: 5}"}
	golden(t, "shop.html", pageOf(t, q))
}

// The page can be sent to somebody without a network.
func TestPageNeedsNothing(t *testing.T) {
	text := pageOf(t, question(t))
	for _, word := range []string{"<script", "src=", "href=", "@import", "url(", "http:", "https:"} {
		if strings.Contains(text, word) {
			t.Errorf("the page holds %q", word)
		}
	}
	for _, word := range []string{"<title>shop: simulated</title>", "The mean of 4 runs.", "holds: endpoints.buy.success",
		"the breaker of recommendations opens", "Little&#39;s law", "services.shop.queue="} {
		if !strings.Contains(text, word) {
			t.Errorf("the page misses %q", word)
		}
	}
}

// What a scenario says of itself is text and not markup.
func TestPageEscapes(t *testing.T) {
	q := question(t, "about", `"<b>'&"`)
	if text := pageOf(t, q); strings.Contains(text, "<b>'") || !strings.Contains(text, "&lt;b&gt;&#39;&amp;") {
		t.Error("about is markup")
	}
}

func TestPicturesAreXML(t *testing.T) {
	text := pageOf(t, question(t))
	n := 0
	for {
		_, rest, ok := strings.Cut(text, `<svg role="img"`)
		if !ok {
			break
		}
		body, after, ok := strings.Cut(rest, "</svg>")
		if !ok {
			t.Fatal("a picture does not end")
		}
		d := xml.NewDecoder(strings.NewReader("<svg" + body + "</svg>"))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%v in %.200s", err, body)
			}
		}
		text = after
		n++
	}
	if n < 5 {
		t.Errorf("%d pictures", n)
	}
}

func TestSVG(t *testing.T) {
	p := picture{Title: `"a" <b>`, Unit: study.Share, Top: 1, Limit: 0.5, Says: "half",
		Curves: []curve{{"x", []float64{0, math.NaN(), 1, 9}}}}
	marks := []study.Cause{{At: time.Second}, {At: time.Second}, {At: 2 * time.Second}}
	got := string(p.svg(4*time.Second, marks))
	for _, want := range []string{
		`aria-label="&#34;a&#34; &lt;b&gt; over time"`,
		// A gap where there is no value; what is above the scale stays at its end.
		`<path class="curve c0" d="M164.5 164.0M566.5 14.0L767.5 14.0"/>`,
		`>ab</text>`, `>c</text>`, `>half</text>`, `>100 %</text>`, `>4 s</text>`, `>0 s</text>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

func TestCommand(t *testing.T) {
	r := report(t, question(t, "runs", "2"))
	r.File, r.Sets = "my file.yaml", []string{"a.b={x: 'y'}", "c=d"}
	want := `seakeep sim 'my file.yaml' --set 'a.b={x: '\''y'\''}' --set c=d`
	if got := r.command(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	r.Scenario.Runs = 1
	if got := r.command(); got != want+" --runs 2" {
		t.Error(got)
	}
}
