package budget

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// player runs one script. A line is a time, a verb, a number of times (1 if it
// is left out), and after "->" what must come out of it.
type player struct {
	t     *testing.T
	where string
	b     *Budget
}

func TestScripts(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			file, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			p, lines := player{t: t}, bufio.NewScanner(file)
			for n := 1; lines.Scan(); n++ {
				p.where = fmt.Sprintf("%s:%d", name, n)
				p.line(lines.Text())
			}
		})
	}
}

func (p *player) line(text string) {
	text, _, _ = strings.Cut(text, "#")
	did, want, _ := strings.Cut(text, "->")
	fields := strings.Fields(did)
	if len(fields) == 0 {
		return
	}
	if fields[0] == "budget" {
		p.b = mustNew(p.t, p.config(fields[1:]))
		return
	}
	at, err := time.ParseDuration(fields[0])
	if err != nil || len(fields) < 2 {
		p.t.Fatalf("%s: cannot read %q", p.where, text)
	}
	now := core.Instant(at)
	if fields[1] == "reconfigure" {
		if err := p.b.Reconfigure(now, p.config(fields[2:])); err != nil {
			p.t.Fatalf("%s: %v", p.where, err)
		}
		return
	}
	n := 1
	if len(fields) > 2 {
		if n, err = strconv.Atoi(fields[2]); err != nil {
			p.t.Fatalf("%s: %v", p.where, err)
		}
	}
	if got, want := p.do(now, fields[1], n), strings.TrimSpace(want); got != want {
		p.t.Errorf("%s: %s -> %s, want %q", p.where, strings.TrimSpace(did), got, want)
	}
}

// do returns what came out, or "" for verbs that answer nothing.
func (p *player) do(now core.Instant, verb string, n int) string {
	switch verb {
	case "retry":
		return fmt.Sprintf("%d granted", take(p.b, now, n))
	case "available":
		return strconv.Itoa(p.b.Snapshot(now).Available)
	case "tokens":
		return strconv.FormatFloat(p.b.Snapshot(now).Tokens, 'g', -1, 64)
	case "busy":
		s := p.b.Snapshot(now)
		return fmt.Sprintf("%d calls, %d retries", s.Active, s.Retrying)
	}
	steps := map[string]func(){
		"call":       func() { p.b.Deposit(now) },
		"end":        func() { p.b.Close(now) },
		"ok":         func() { p.b.Report(now, core.Success, false) },
		"fail":       func() { p.b.Report(now, core.Failure, false) },
		"retry-ok":   func() { p.b.Report(now, core.Success, true) },
		"retry-fail": func() { p.b.Report(now, core.Failure, true) },
		"refund":     func() { p.b.Refund(now) },
	}
	if steps[verb] == nil {
		p.t.Fatalf("%s: no verb %q", p.where, verb)
	}
	for range n {
		steps[verb]()
	}
	return ""
}

func (p *player) config(fields []string) Config {
	var c Config
	for _, f := range fields {
		key, value, _ := strings.Cut(f, "=")
		number, _ := strconv.ParseFloat(value, 64)
		switch key {
		case "kind":
			for c.Kind <= Concurrent && c.Kind.String() != value {
				c.Kind++
			}
		case "ratio":
			c.Ratio = number
		case "floor":
			c.Floor = number
		case "max":
			c.MaxTokens = number
		case "window":
			c.Window, _ = time.ParseDuration(value)
		default:
			p.t.Fatalf("%s: no setting %q", p.where, key)
		}
	}
	return c
}
