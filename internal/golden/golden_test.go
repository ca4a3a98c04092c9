package golden

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

func TestScripts(t *testing.T) {
	Scripts(t, newAccount)
}

// newAccount is a player of an account's scripts.
func newAccount() Player {
	sum := 0
	return func(words []string) (string, error) {
		if words[0] == "balance" {
			return strconv.Itoa(sum), nil
		}
		if words[0] == "say" {
			return strings.ReplaceAll(words[1], "_", " "), nil
		}
		n, err := strconv.Atoi(words[1])
		switch {
		case err != nil:
			return "", err
		case words[0] == "open":
			sum = n
		case words[0] == "deposit":
			sum += n
		case words[0] == "withdraw" && n > sum:
			return "refused", nil
		case words[0] == "withdraw":
			sum -= n
		default:
			return "", errors.New("no such verb")
		}
		return "", nil
	}
}

// script writes a script for a test to play.
func script(t *testing.T, text string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWhatIsWrongIsFound(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string // what the errors hold, in order
	}{
		{"another answer", "# why\nbalance -> 1\n", []string{"a.txt:2: balance\n\tgot  0\n\twant 1"}},
		{"an answer nobody wrote", "balance\n", []string{"a.txt:1: balance\n\tgot  0\n\twant (nothing)"}},
		{"no answer", "balance -> 0\ndeposit 1 -> 1\n", []string{"got  (nothing)\n\twant 1"}},
		{"an arrow to nowhere", "balance ->\n", []string{"want (nothing)"}},
		{"two of them", "balance -> 1\nbalance -> 0\nbalance -> 2\n", []string{"a.txt:1", "a.txt:3"}},
		{"a verb that is not there", "balance -> 1\njump 1\nbalance -> 2\n",
			[]string{"a.txt:1", "a.txt:2: jump 1: no such verb"}},
		{"a word too few", "balance -> 0\ndeposit\n", []string{"a.txt:2: deposit: panic: runtime error"}},
		{"an arrow alone", "balance -> 0\n -> 0\n", []string{"nothing stands before the arrow"}},
		{"nothing that answers", "# why\n\ndeposit 1\n", []string{"no line answers"}},
		{"an empty file", "", []string{"no line answers"}},
		{"an answer that reads as a comment", "say 1_#2 -> 1\n", []string{`"1 #2" cannot stand`}},
		{"an answer with an end of space", "say 1_ -> 1\n", []string{`"1 " cannot stand`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			wrong := play(script(t, test.text), newAccount(), false)
			if len(wrong) != len(test.want) {
				t.Fatalf("%d errors: %v", len(wrong), wrong)
			}
			for i, want := range test.want {
				if got := wrong[i].Error(); !strings.Contains(got, want) {
					t.Errorf("error %d is %q, want it to hold %q", i+1, got, want)
				}
			}
		})
	}
	if wrong := play("testdata/gone.txt", newAccount(), false); len(wrong) != 1 {
		t.Errorf("a file that is not there: %v", wrong)
	}
}

func TestWhatIsRightPasses(t *testing.T) {
	for _, text := range []string{
		"balance -> 0",
		"balance   ->   0   \n",
		"  # why\n\t\nbalance -> 0 # why\ndeposit 1 -> # nothing\n",
		"say a#b -> a#b   # a # in a word\n",
		"say a->b -> a->b\n",
		"say a_->_b -> a -> b\n",
	} {
		if wrong := play(script(t, text), newAccount(), false); wrong != nil {
			t.Errorf("%q: %v", text, wrong)
		}
	}
}

func TestUpdateWritesAnswersAndNothingElse(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a right script", "balance   ->  0  # a\n\n# b", "balance   ->  0  # a\n\n# b"},
		{"a wrong answer", "# a\nbalance -> 1\n", "# a\nbalance -> 0\n"},
		{"one that is missing", "balance\n", "balance -> 0\n"},
		{"one to be filled in", "balance ->\n", "balance -> 0\n"},
		{"one too many", "deposit 1  -> 1\nbalance -> 1\n", "deposit 1\nbalance -> 1\n"},
		{"without an end of line", "balance", "balance -> 0"},
		{"arrows in a column", "balance    -> 12\n", "balance    -> 0\n"},
		{"comments in a column", "balance -> 1234  # a\n", "balance -> 0     # a\n"},
		{"a comment in the way", "balance # a\n", "balance -> 0 # a\n"},
		{"letters of two bytes", "say é -> éé  # a\n", "say é -> é   # a\n"},
		{"a sign in a word", "say 1#2 -> 3 #\n", "say 1#2 -> 1#2 #\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := script(t, test.text)
			if wrong := play(file, newAccount(), true); wrong != nil {
				t.Error(wrong)
			}
			if got := read(t, file); got != test.want {
				t.Errorf("wrote %q, want %q", got, test.want)
			}
			if wrong := play(file, newAccount(), false); wrong != nil {
				t.Errorf("what it wrote fails: %v", wrong)
			}
		})
	}
}

func TestUpdateLeavesABrokenScriptAlone(t *testing.T) {
	for _, text := range []string{"balance -> 1\njump 1\n", "balance -> 1\ndeposit\n", "deposit 1 -> 1\n"} {
		file := script(t, text)
		if wrong := play(file, newAccount(), true); wrong == nil {
			t.Errorf("%q passes", text)
		}
		if got := read(t, file); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestTimed(t *testing.T) {
	now, verb, args, err := Timed([]string{"1500ms", "store", "k", "v"})
	if err != nil || now != core.Instant(1500*time.Millisecond) || verb != "store" || len(args) != 2 {
		t.Errorf("%v %v %v %v", now, verb, args, err)
	}
	for _, words := range [][]string{{"1s"}, {"soon", "store"}, nil} {
		if _, _, _, err := Timed(words); err == nil {
			t.Errorf("%q was taken", words)
		}
	}
}
