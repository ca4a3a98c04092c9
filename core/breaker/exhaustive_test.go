package breaker

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
	"github.com/seakeep/seakeep/internal/race"
)

// smallConfigs are breakers so small that a few steps reach every state.
var smallConfigs = map[string]Config{
	"row of one, one trial": {
		Window: window.Config{Consecutive: 1},
		Open:   Pause{For: time.Second, Growth: 2}, Trials: Trials{Calls: 1, Wait: time.Second},
	},
	"two of three calls, slow, two trials": {
		Window: window.Config{Calls: 3}, MinCalls: 2, Failures: 0.6,
		Slow: Slow{Over: time.Second, Share: 1}, Open: Pause{For: time.Second},
		Trials: Trials{Calls: 2, AtOnce: 2, Wait: time.Second},
	},
	"one call, two of three trials": {
		Window: window.Config{Calls: 1}, Failures: 1,
		Open:   Pause{For: time.Second, Growth: 3},
		Trials: Trials{Calls: 3, AtOnce: 2, Pass: 0.6, Wait: time.Second},
	},
	"row of two, one trial at a time": {
		Window: window.Config{Consecutive: 2},
		Open:   Pause{For: 500 * time.Millisecond}, Trials: Trials{Calls: 2, AtOnce: 1},
	},
}

// letters are the steps of the small scope: a call is admitted; the oldest
// call under way goes well, fails, goes well but slowly, or ends neutral; the
// very first permit is reported as failed, once more or late; half a second
// passes.
const letters = "aofsnlt"

func (w *pair) letter(c byte) error {
	switch c {
	case 'a':
		return w.admit()
	case 'o':
		return w.report(0, success, 0)
	case 'f':
		return w.report(0, failure, 0)
	case 's':
		return w.report(0, success, time.Second)
	case 'n':
		return w.report(0, canceled, time.Second)
	case 'l':
		if len(w.given) == 0 {
			return nil
		}
		return w.tell(w.given[0], failure, 0)
	default:
		w.now = w.now.Add(500 * time.Millisecond)
		return nil
	}
}

// TestEverySmallRunAgreesWithTheModel tries all sequences of steps up to a
// length. A failing one is printed as its letters.
func TestEverySmallRunAgreesWithTheModel(t *testing.T) {
	length := 7
	if race.Enabled || testing.Short() {
		length = 5
	}
	for name, c := range smallConfigs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps := make([]byte, length)
			total := 1
			for range length {
				total *= len(letters)
			}
			for n := range total {
				for i := range steps {
					steps[i] = letters[n%len(letters)]
					n /= len(letters)
				}
				w := newPair(c)
				for i, s := range steps {
					if err := w.letter(s); err != nil {
						t.Fatalf("after %q: %v", steps[:i+1], err)
					}
				}
			}
		})
	}
}

// TestEveryStateIsReachedInTheSmallScope guards the test above: a scope that
// never opens would agree with anything.
func TestEveryStateIsReachedInTheSmallScope(t *testing.T) {
	for name, steps := range map[string]string{
		"row of one, one trial":                "afttao", // opens, half-opens, closes
		"two of three calls, slow, two trials": "asastta",
		"one call, two of three trials":        "afttafa",
		"row of two, one trial at a time":      "afaftan",
	} {
		w := newPair(smallConfigs[name])
		for _, s := range []byte(steps) {
			if err := w.letter(s); err != nil {
				t.Fatal(err)
			}
		}
		if h := w.b.Snapshot(w.now).History; len(h) < 2 {
			t.Errorf("%s: %q made %d changes, want 2 or more", name, steps, len(h))
		}
	}
}

// play runs a long script of bytes: each is a step and its argument.
func (w *pair) play(script []byte) error {
	for i, s := range script {
		arg := int(s >> 4)
		var err error
		switch s & 15 {
		case 0, 1, 2, 3, 4:
			err = w.admit()
		case 5, 6:
			err = w.report(arg%(len(w.open)+1), success, time.Duration(arg)*100*time.Millisecond)
		case 7, 8, 9:
			err = w.report(arg%(len(w.open)+1), core.Failure+core.Outcome(arg%3),
				time.Duration(arg)*100*time.Millisecond)
		case 10:
			err = w.report(arg%(len(w.open)+1), core.Cancelled+core.Outcome(arg%2), time.Hour)
		case 11:
			if len(w.given) > 0 {
				err = w.tell(w.given[arg*len(w.given)/16], core.Success+core.Outcome(arg%6), 0)
			}
		case 12, 13, 14:
			w.now = w.now.Add(time.Duration(arg) * 100 * time.Millisecond)
		case 15:
			switch {
			case arg < 3:
				err = w.force(Mode(arg))
			case arg == 3:
				err = w.reset()
			}
		}
		if err != nil {
			return fmt.Errorf("step %d (%#x): %w", i, s, err)
		}
	}
	return nil
}

func TestLongRandomRunsAgreeWithTheModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, c := range smallConfigs {
		for _, wide := range []bool{false, true} {
			if wide && c.Window.Calls > 0 { // and with room to move
				c.Window.Calls, c.MinCalls = 20, 10
				c.Trials.Calls, c.Trials.AtOnce = 7, 5
			}
			changes := 0
			for range 150 {
				script := make([]byte, 800)
				for i := range script {
					script[i] = byte(rng.Uint32())
				}
				w := newPair(c)
				if err := w.play(script); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				changes += w.m.era - 1
			}
			if changes < 1000 {
				t.Errorf("%s: only %d changes in all; the test sees too little", name, changes)
			}
		}
	}
}

func FuzzScriptsAgreeWithTheModel(f *testing.F) {
	f.Add(uint8(0), []byte{0, 7, 0xc0, 0xcc, 0, 5})
	f.Add(uint8(2), []byte(strings.Repeat("\x00\x07\xfc\x0a\x2f", 20)))
	names := []string{"row of one, one trial", "two of three calls, slow, two trials",
		"one call, two of three trials", "row of two, one trial at a time"}
	f.Fuzz(func(t *testing.T, which uint8, script []byte) {
		c := smallConfigs[names[int(which)%len(names)]]
		if err := newPair(c).play(script); err != nil {
			t.Fatal(err)
		}
	})
}
