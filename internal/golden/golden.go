// Package golden plays the scripts in a package's testdata/*.txt: stories that
// people read and whose answers a test checks, line by line. Only tests use it.
//
// # A script
//
//	# A full bulkhead refuses, and a release makes room.
//	config limit=1
//	0ms try -> true
//	1ms try -> false     # nobody has left
//	2ms release
//
// What stands behind the arrow must come out of the words before it. Of a line
// without an arrow nothing may come out. A # at a line's start or after a space
// begins a comment.
//
// # Writing answers
//
// With -update, as in "go test ./core/bulkhead -update", the answers that
// differ are written into the scripts, and nothing else in them changes. Read
// them afterwards: a script that was written and not read proves nothing.
package golden

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

var update = flag.Bool("update", false, "write the answers into the scripts in testdata")

// Player does what a line says in its words, of which there is at least one,
// and returns what came out, or "". An error means that the line cannot be
// understood; it ends the script.
type Player func(words []string) (answer string, err error)

// Scripts plays testdata/*.txt, a subtest and a new player for each file.
func Scripts(t *testing.T, start func() Player) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts in testdata: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			for _, err := range play(file, start(), *update) {
				t.Error(err)
			}
		})
	}
}

// Timed reads words that begin with a time and a verb, as most scripts' do.
func Timed(words []string) (now core.Instant, verb string, args []string, err error) {
	if len(words) < 2 {
		return 0, "", nil, fmt.Errorf("want a time and a verb, not %q", words)
	}
	at, err := time.ParseDuration(words[0])
	return core.Instant(at), words[1], words[2:], err
}

// play returns what is wrong with a script. To rewrite is to take the player's
// answers for right; a file with a line that cannot be played is left alone.
func play(file string, p Player, rewrite bool) []error {
	text, err := os.ReadFile(file)
	if err != nil {
		return []error{err}
	}
	out, differ, err := replay(file, string(text), p)
	switch {
	case err != nil:
		return append(differ, err)
	case !rewrite:
		return differ
	case out == string(text):
		return nil
	}
	if err := os.WriteFile(file, []byte(out), 0o644); err != nil {
		return []error{err}
	}
	return nil
}

// replay returns the text with the player's answers, an error for each line
// that wants another one, and what made it stop early.
func replay(file, text string, p Player) (out string, differ []error, stop error) {
	var b strings.Builder
	number, answers := 0, 0
	for written := range strings.Lines(text) {
		number++
		l := parse(written)
		if l.isComment() {
			b.WriteString(written)
			continue
		}
		got, err := p.answer(l)
		if err != nil {
			return "", differ, fmt.Errorf("%s:%d: %s: %w", file, number, l.do, err)
		}
		if got != "" {
			answers++
		}
		if got != l.want {
			differ = append(differ, fmt.Errorf("%s:%d: %s\n\tgot  %s\n\twant %s",
				file, number, l.do, shown(got), shown(l.want)))
		}
		b.WriteString(l.answered(got))
	}
	if answers == 0 {
		return "", differ, fmt.Errorf("%s: no line answers, so nothing is checked", file)
	}
	return b.String(), differ, nil
}

// answer plays a line, and refuses an answer that could not be read back.
func (p Player) answer(l line) (string, error) {
	words := strings.Fields(l.do)
	if len(words) == 0 {
		return "", errors.New("nothing stands before the arrow")
	}
	got, err := p.safely(words)
	if err == nil && parse(l.answered(got)).want != got {
		err = fmt.Errorf("the answer %q cannot stand in a script", got)
	}
	return got, err
}

// safely plays a line and makes its panic an error, which names the line: most
// are a word too few, or a misuse that only the story explains.
func (p Player) safely(words []string) (answer string, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return p(words)
}

func shown(answer string) string {
	if answer == "" {
		return "(nothing)"
	}
	return answer
}
