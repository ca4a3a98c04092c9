package board

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/cmd/seakeep/promrules"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/telemetry"
)

var update = flag.Bool("update", false, "rewrite the golden file in testdata")

const shop = "version: 1\nservice: shop\nserve: {}\ndependencies: {pricing: {}}\nslo: [{name: checkout, objective: 99.9%}]\n"

func of(t *testing.T, text string) *Dashboard {
	t.Helper()
	f, err := config.Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return New(f)
}

func TestGolden(t *testing.T) {
	var b bytes.Buffer
	if err := of(t, shop).Write(&b); err != nil {
		t.Fatal(err)
	}
	const path = "testdata/shop.json"
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%v: differs from %s, which -update rewrites", err, path)
	}
}

// Every query is one, and reads metrics that there are, by labels that they have.
func TestQueries(t *testing.T) {
	labels := map[string][]string{}
	for _, d := range telemetry.Definitions() {
		labels[d.Name] = d.Labels
	}
	grafana := strings.NewReplacer("$__rate_interval", "5m", "$job", "a", "$dependency", "b")
	seen := 0
	for _, p := range of(t, shop).Panels {
		for _, q := range p.Targets {
			seen++
			expr := grafana.Replace(q.Expr)
			names, err := promrules.Names(expr)
			if err != nil {
				t.Errorf("%s: %v", p.Title, err)
			}
			for _, n := range names {
				n = strings.TrimSuffix(n, "_bucket")
				if _, there := labels[n]; !there {
					t.Errorf("%s: there is no metric %s", p.Title, n)
				}
			}
			for _, label := range strings.FieldsFunc(q.Legend, func(r rune) bool { return r == '{' || r == '}' || r == ' ' }) {
				if strings.Contains(q.Legend, "{{"+label+"}}") && !strings.Contains(expr, label) {
					t.Errorf("%s: the legend has %s, which the query takes away", p.Title, label)
				}
			}
		}
	}
	if seen < 25 {
		t.Errorf("only %d queries", seen)
	}
}

// Panels do not lie on one another, and what the file does not have is left out.
func TestLayout(t *testing.T) {
	taken := map[[2]int]string{}
	for _, p := range of(t, shop).Panels {
		for x := p.Grid.X; x < p.Grid.X+p.Grid.W; x++ {
			for y := p.Grid.Y; y < p.Grid.Y+p.Grid.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" || x >= 24 {
					t.Errorf("%s lies on %q at %d, %d", p.Title, other, x, y)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
	for _, p := range of(t, "version: 1\nservice: s\ndependencies: {a: {}}\n").Panels {
		if strings.Contains(p.Title, "budget") || p.Title == "Requests" {
			t.Errorf("%s of a file that has no such thing", p.Title)
		}
	}
}
