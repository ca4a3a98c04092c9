package proxy

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

var update = flag.Bool("update", false,
	"rewrite the results in testdata/wire; read them afterwards, each line")

// TestExchanges plays every exchange of testdata/wire: by the proxy's own front
// and pool, also with what the client sends in pieces, and by net/http.
func TestExchanges(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/wire/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no exchanges", err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		group := strings.TrimSuffix(filepath.Base(path), ".txt")
		t.Run(group, func(t *testing.T) {
			t.Parallel()
			head, cases := parseWire(t, string(text))
			for _, c := range cases {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.run(t)
				})
			}
			if *update {
				t.Cleanup(func() { writeWire(t, path, head, cases) })
			}
		})
	}
}

// writeWire writes a file of cases.
func writeWire(t *testing.T, path, head string, cases []*wireCase) {
	var b strings.Builder
	b.WriteString(strings.TrimRight(head, "\n") + "\n")
	for _, c := range cases {
		b.WriteString("\n" + c.String())
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run plays a case each way.
func (c *wireCase) run(t *testing.T) {
	own := Options{}
	theirs := Options{Standard: true}
	if *update {
		delete(c.sections, otherGets)
		delete(c.sections, otherDepGets)
		c.sections[depGets], c.sections[clientGets] = c.play(t, own, false, "")
		dep, client := c.play(t, theirs, false, "")
		if unworded(dep) != unworded(c.sections[depGets]) {
			c.sections[otherDepGets] = dep
		}
		if unworded(client) != unworded(c.sections[clientGets]) {
			c.sections[otherGets] = client
		}
		return
	}
	if _, pieces := c.options["whole"]; !pieces {
		t.Run("pieces", func(t *testing.T) {
			t.Parallel()
			c.check(t, own, true, depGets, clientGets)
		})
	}
	t.Run("own", func(t *testing.T) {
		t.Parallel()
		c.check(t, own, false, depGets, clientGets)
	})
	t.Run("net-http", func(t *testing.T) {
		t.Parallel()
		_, one := c.sections[otherDepGets]
		_, two := c.sections[otherGets]
		if (one || two) != c.differs {
			t.Error("a case in which net/http differs says why, and no other does")
		}
		dep, client := depGets, clientGets
		if one {
			dep = otherDepGets
		}
		if two {
			client = otherGets
		}
		c.check(t, theirs, false, dep, client)
	})
}

// check plays a case and compares.
func (c *wireCase) check(t *testing.T, o Options, pieces bool, depTitle, clientTitle string) {
	want := [2]string{c.sections[depTitle], c.sections[clientTitle]}
	var got [2]string
	got[0], got[1] = c.play(t, o, pieces, want[1])
	for i, title := range []string{depTitle, clientTitle} {
		same := got[i] == want[i]
		if o.Standard {
			same = unworded(got[i]) == unworded(want[i])
		}
		if !same {
			t.Errorf("%s:\n%s\nwant:\n%s", title, got[i], want[i])
		}
	}
}

// play plays a case. What the client is expected to get, if that is known, says
// for how long to wait.
func (c *wireCase) play(t *testing.T, o Options, pieces bool, want string) (dep, client string) {
	p, b := follow(t, c.sections[depAnswers])
	if n := unescape(c.options["max-head"] + `\`); n != "" {
		o.MaxHead = atoi(t, n)
	}
	if d, ok := c.options["body-time"]; ok {
		o.bodyTime, _ = time.ParseDuration(d)
	}
	u := startWith(t, policy(b.url(), c.ladder...), o)
	r := &reader{Conn: u.dial().Conn, methods: c.methods()}
	r.more = sync.NewCond(&r.mu)
	go r.run()
	state := r.follow(t, steps(c.sections[clientSends]), pieces)
	if state == "" {
		state = r.settle(t, want)
	}
	switch {
	case state == "@closed" && r.late:
		state = "@hangs"
	case state == "@closed" && r.reset:
		state = "@reset"
	}
	_ = r.Close()
	client = r.text()
	u.stop()
	u.wait()
	if u.log.has("panic") {
		t.Error("the proxy has panicked: " + u.log.buf.String())
	}
	dep = escape(masked(p.text(t)))
	return strings.TrimRight(dep+"@nothing more", "\n"), client + state
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n := 0
	for _, c := range s {
		if n = 10*n + int(c-'0'); c < '0' || c > '9' {
			t.Fatalf("%q is no number", s)
		}
	}
	return n
}

var requestLine = regexp.MustCompile(`(?m)^([A-Z]+) \S+ HTTP/1`)

// methods are those of the requests that the client sends.
func (c *wireCase) methods() (all []string) {
	for _, m := range requestLine.FindAllStringSubmatch(c.sections[clientSends], -1) {
		all = append(all, m[1])
	}
	return all
}
