package foreign

import (
	"fmt"
	"strings"
	"testing"
)

// show writes a tree on one line.
func (n *node) show() string {
	var kids []string
	for _, kid := range n.kids {
		text := kid.show()
		if n.kind == mapping {
			text = kid.key + ":" + text
		}
		kids = append(kids, text)
	}
	switch {
	case n.kind == list:
		return "[" + strings.Join(kids, " ") + "]"
	case n.kind == mapping:
		return "{" + strings.Join(kids, " ") + "}"
	case n.null:
		return "null"
	}
	return n.text
}

func TestReadTree(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\nb: [x, {c: 'd'}]\n":                  "{a:1 b:[x {c:d}]}",
		"a: &x {b: 1}\nc: *x\n":                     "{a:{b:1} c:{b:1}}",
		"a: &x {b: 1, c: 2}\nd: {<<: *x, b: 3}\n":   "{a:{b:1 c:2} d:{b:3 c:2}}",
		"a: &x {b: 1}\nd: {<<: [*x, {e: 2}]}\n":     "{a:{b:1} d:{b:1 e:2}}",
		"a: ~\nb:\n":                                "{a:null b:null}",
		"? [k]\n: v\n":                              "{key on line 1:v}",
		`{"a": "\ud83d\ude00\/", "b": [1.0, true]}`: "{a:\U0001f600/ b:[1.0 true]}",
		`{"a": null, "a": 2}`:                       "{a:null a:2}",
		"\ufeff{\"a\": 1}":                          "{a:1}",
		"{a: 1}":                                    "{a:1}", // YAML that only begins like JSON
		"[]":                                        "[]",
		"---\n---\na: 1\n":                          "{a:1}",
	} {
		n, err := readTree([]byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := n.show(); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestReadTreeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "empty",
		"# nothing\n":            "empty",
		"a: 1\n b: 2\n":          "line 2: not YAML",
		"{\"a\": 1,\n \"b\" 2}":  "line 2: not JSON",
		"{\"a\": 1}\n{\"b\": 2}": "not JSON",
		"{\"a\":\n":              "not JSON",
		"a: 1\n---\nb: 2\n":      "line 3: a second document",
		"a: \xff":                "not UTF-8",
		"a: &a [*a]\n":           "deeper than 64",
		"a: &a {<<: *a}\n":       "deeper than 64",
		strings.Repeat("[", 100) + strings.Repeat("]", 100): "deeper than 64",
		"[" + strings.Repeat("0,", 200_000) + "0]":          "more than 131072",
	} {
		n, err := readTree([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, %v, want %q", text, n, err, want)
		}
	}
	laughs := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'k'; c++ {
		laughs += fmt.Sprintf("%c: &%c [%s*%c]\n", c, c, strings.Repeat(fmt.Sprintf("*%c, ", c-1), 9), c-1)
	}
	if _, err := readTree([]byte(laughs)); err != errTooMany {
		t.Errorf("a thousand million laughs: %v", err)
	}
}

func TestLines(t *testing.T) {
	yaml, err := readTree([]byte("a:\n  b: &x\n    c: 1\n\n  d: *x\n"))
	if err != nil {
		t.Fatal(err)
	}
	json, err := readTree([]byte("{\n\"a\": {\n\"b\": {\n\"c\": 1}\n\n,\"d\": {\n\"c\": 1}}}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		root *node
		want string
	}{{yaml, "1 2 3 5 3"}, {json, "2 3 4 6 7"}} {
		a := tc.root.get("a")
		b, d := a.get("b"), a.get("d")
		got := fmt.Sprint(a.line, b.line, b.get("c").line, d.line, d.get("c").line)
		if got != tc.want {
			t.Errorf("the lines are %s, want %s", got, tc.want)
		}
	}
}

func TestProperties(t *testing.T) {
	n, err := readProperties([]byte("# a comment\n! another\n\na=1\n  b : 2\r\nc\t3\nd\\:e\\ f=g\\\n    h\\\n" +
		"   i\n\\u0061\\t=\\u00e9\\\\\nempty\nlast=\\"))
	if err != nil {
		t.Fatal(err)
	}
	want := "{a:1 b:2 c:3 d:e f:ghi a\t:é\\ empty: last:}"
	if got := n.show(); got != want {
		t.Errorf("the properties are %q, want %q", got, want)
	}
	var lines []int
	for _, kid := range n.kids {
		lines = append(lines, kid.line)
	}
	if got := fmt.Sprint(lines); got != "[4 5 6 7 10 11 12]" {
		t.Errorf("the lines are %s", got)
	}
}

func TestPropertiesOrYAML(t *testing.T) {
	for text, want := range map[string]bool{
		"a.b=1\n": true, "# c\n! d\na.b = 1\n": true, "a.b: 1=2\n": false, "a:\n  b: 1\n": false,
		"a b=c": true, "": false, "x": false,
	} {
		if got := looksLikeProperties(text); got != want {
			t.Errorf("%q looks like properties: %v", text, got)
		}
	}
	n, err := readSpring([]byte("just.a.key\n"))
	if err != nil || n.show() != "{just.a.key:}" {
		t.Errorf("a key alone is %v, %v", n, err)
	}
}

func TestSplitKey(t *testing.T) {
	for key, want := range map[string]string{
		"a.b.c": "a|b|c", "a[b.c].d": "a|b.c|d", "a[0].b": "a|b", "a[0]": "a", "a['x y'].z": "a|x y|z",
		"a..b": "a|b", "a[b": "a|[b", ".": "", "": "",
	} {
		if got := strings.Join(splitKey(key), "|"); got != want {
			t.Errorf("%q is %q, want %q", key, got, want)
		}
	}
}

func TestSizeAndNameAreChecked(t *testing.T) {
	for format, f := range importers {
		if _, err := f(make([]byte, maxInput+1), ""); err == nil || !strings.Contains(err.Error(), "1 MiB") {
			t.Errorf("%s reads more than a megabyte: %v", format, err)
		}
		if _, err := f([]byte("{}"), "no name"); err == nil || !strings.Contains(err.Error(), "cannot be the name") {
			t.Errorf("%s takes any name: %v", format, err)
		}
	}
}

// What does not fit into one policy file is refused, soon.
func TestTooMuchForOnePolicy(t *testing.T) {
	var clusters, routes, hosts, instances strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&clusters, "- {name: c%d, lb_policy: X}\n", i)
		fmt.Fprintf(&instances, "resilience4j.retry.instances.a%d.maxAttempts=2\n", i)
	}
	for i := range 5000 {
		fmt.Fprintf(&routes, "{match: {prefix: /%d}, route: {cluster: a}}, ", i)
		fmt.Fprintf(&hosts, "h%d, ", i)
	}
	many := "virtual_hosts:\n" + hostTo("["+hosts.String()+"]", routes.String()) +
		hostTo("[x]", "{match: {prefix: /}, route: {cluster: a}}")
	for text, f := range map[string]importer{clusters.String(): Envoy, many: Envoy,
		instances.String(): Resilience4j} {
		if tr, err := f([]byte(text), ""); err == nil || wrong(err) || !strings.Contains(err.Error(), "parts") {
			t.Errorf("%.40q: %v, %v", text, tr, err)
		}
	}
}
