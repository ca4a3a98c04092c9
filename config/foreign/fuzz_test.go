package foreign

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/config"
)

func fuzz(f *testing.F, format string, read func([]byte) (*node, error)) {
	for _, path := range inputs(f, format) {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { promise(t, importers[format], read, data) })
}

// promise checks what every import keeps: it returns, a policy parses, and the
// report speaks of each setting once.
func promise(t *testing.T, f importer, read func([]byte) (*node, error), data []byte) {
	t.Helper()
	tr, err := f(data, "")
	if err != nil {
		if wrong(err) {
			t.Fatalf("%v\nfrom\n%s", err, data)
		}
		return
	}
	root, err := read(data)
	if err != nil {
		t.Fatal(err)
	}
	r := tr.Report
	if got, want := r.Mapped+r.Approximated+r.Dropped, root.leaves(); got != want {
		t.Errorf("%d settings, the report speaks of %d:\n%s", want, got, data)
	}
	for _, s := range r.Settings {
		if s.Count < 1 || s.Fate != Mapped && s.Note == "" {
			t.Errorf("%+v in\n%s", s, data)
		}
	}
	if tr.Policy != "" {
		if _, err := config.Parse("policy", []byte(tr.Policy)); err != nil {
			t.Fatalf("%v\n%s\nfrom\n%s", err, tr.Policy, data)
		}
	}
	var out bytes.Buffer
	if err := tr.Report.Write(&out); err != nil {
		t.Fatal(err)
	}
	for _, c := range out.Bytes() {
		if c != '\n' && (c < ' ' || c > '~') {
			t.Fatalf("the report holds %q", c)
		}
	}
}

func FuzzEnvoy(f *testing.F)        { fuzz(f, "envoy", readFragments) }
func FuzzGRPC(f *testing.F)         { fuzz(f, "grpc", readTree) }
func FuzzResilience4j(f *testing.F) { fuzz(f, "resilience4j", readSpring) }
func FuzzOpenSLO(f *testing.F)      { fuzz(f, "openslo", readFragments) }

// odd are values that settings should not have, and some that they may.
var odd = []string{"0", "1", "3", "7.5", "64", "100", "1000", "99999", "4294967295", "1e9", "-1", "0.0001",
	"0s", "1s", "0.25s", "0.0000001s", "99999999999s", "-3s", "5ms", "PT0S", "PT9999H", "true", "false", "null",
	"''", "\"a\\tb\"", "'*'", "'/x*'", "/", "/a?b", "'#'", "[]", "{}", "[1, 2]", "{a: b}", "5xx", "TIME_BASED",
	"'é ü'", "'a: b'", "'${X:7}'", "503", "UNAVAILABLE", "a.b", "10.0.0.1", "default"}

// Any value in any place: the seeds of testdata with scalars replaced, keys
// dropped and lines doubled, many times over.
func TestOddValuesInEveryPlace(t *testing.T) {
	read := map[string]func([]byte) (*node, error){"envoy": readFragments, "grpc": readTree,
		"resilience4j": readSpring, "openslo": readFragments}
	rounds := 40
	if testing.Short() {
		rounds = 20
	}
	for format, f := range importers {
		random := rand.New(rand.NewPCG(3, uint64(len(format))))
		for _, path := range inputs(t, format) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			root, err := read[format](data)
			if err != nil {
				t.Fatal(err)
			}
			for range rounds {
				var b strings.Builder
				root.distort(&b, random)
				promise(t, f, read[format], []byte(b.String()))
			}
		}
	}
}

// distort writes a tree in flow style, with mistakes.
func (n *node) distort(b *strings.Builder, random *rand.Rand) {
	if random.IntN(25) == 0 {
		b.WriteString(odd[random.IntN(len(odd))])
		return
	}
	open, end := "[", "]"
	if n.kind == mapping {
		open, end = "{", "}"
	}
	if n.kind == scalar {
		fmt.Fprintf(b, "%q", n.text)
		return
	}
	b.WriteString(open)
	for _, kid := range n.kids {
		times := 1
		switch random.IntN(40) {
		case 0:
			times = 0
		case 1:
			times = 2
		}
		for range times {
			if n.kind == mapping {
				fmt.Fprintf(b, "%q: ", kid.key)
			}
			kid.distort(b, random)
			b.WriteString(", ")
		}
	}
	b.WriteString(end)
}
