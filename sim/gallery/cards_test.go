package gallery

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seakeep/seakeep/internal/race"
)

// slow are the cards that simulate for half a second or more.
var slow = []string{"L13", "TRY6", "TRY11", "TRY12", "1.5a", "2.4", "2.5", "2.8", "2.9", "2.10", "2.11-HotOS", "2.11-MongoDB",
	"2.12", "2.12-policy", "2.16", "3.3", "3.6"}

// quick are the simulations that the race detector, which makes them ten times
// slower and finds nothing in what runs on one goroutine, leaves bearable.
var quick = []string{"L6", "R8", "B1'", "B8", "B9", "I4"}

// missing are the cards whose policy does not exist yet. Take one off when it
// does, and let the card show it.
var missing = []string{"S6", "2.14"}

func skipped(e Entry) bool {
	if race.Enabled && e.Kind == Simulation && !slices.Contains(quick, e.ID) {
		return true
	}
	return testing.Short() && slices.Contains(slow, e.ID)
}

// made keeps the cards of seed 1, so that each is made once.
var made struct {
	sync.Mutex
	cards map[string]Card
}

func makeCard(e Entry) Card {
	made.Lock()
	defer made.Unlock()
	if made.cards == nil {
		made.cards = map[string]Card{}
	}
	c, ok := made.cards[e.ID]
	if !ok {
		c = e.Run(Options{Seed: 1})
		made.cards[e.ID] = c
	}
	return c
}

// check makes the cards of a group and looks at their verdicts.
func check(t *testing.T, group []Entry) {
	for _, e := range group {
		t.Run(e.ID, func(t *testing.T) {
			if skipped(e) {
				t.Skip("slow")
			}
			c := makeCard(e)
			switch {
			case slices.Contains(missing, e.ID):
				if !c.Missing() {
					t.Errorf("%s: take it off the list of those missing", c.Verdict)
				}
			case !c.Matches():
				t.Error(c.Verdict)
				for _, f := range c.Figures {
					if !f.Match {
						t.Errorf("%s: published %s, ours %s %s", f.Name, f.Published, f.Ours, f.Interval)
					}
				}
			}
		})
	}
}

func TestLittle(t *testing.T)       { check(t, little()) }
func TestTimeouts(t *testing.T)     { check(t, timeouts()) }
func TestRetries(t *testing.T)      { check(t, retries()) }
func TestBreakers(t *testing.T)     { check(t, breakers()) }
func TestCheckouts(t *testing.T)    { check(t, checkouts()) }
func TestIsolation(t *testing.T)    { check(t, isolation()) }
func TestTails(t *testing.T)        { check(t, tails()) }
func TestAvailability(t *testing.T) { check(t, availability()) }
func TestLiterature(t *testing.T)   { check(t, literature()) }
func TestOverloads(t *testing.T)    { check(t, overloads()) }

func TestIDs(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range Cards() {
		if e.ID == "" || e.Title == "" || e.Kind == "" || e.run == nil {
			t.Errorf("%+v is not complete", e)
		}
		if seen[strings.ToLower(e.ID)] {
			t.Errorf("%s is there twice", e.ID)
		}
		seen[strings.ToLower(e.ID)] = true
	}
	for _, id := range slices.Concat(slow, quick, missing) {
		if !seen[strings.ToLower(id)] {
			t.Errorf("no card is called %s", id)
		}
	}
	for _, id := range strings.Fields(`L1 L2 L3 L4 L5 L6 L7 L8 L9 L10 L11 L12 L13 T1 T2 T3 T4 T5 T6 T7
		R1 R2 R3 R4 R5 R5b R6 R7 R8 R10 R11 B1 B1' B2 B3 B4 B5 B7 B8 B9 TRY1 TRY2 TRY3 TRY4 TRY5 TRY6
		TRY7 TRY8 TRY9 TRY10 TRY11 TRY12 TRY13 TRY14 I1 I2 I3 I4 H1 H2 H3 H4 H5 H6 S1 S2 S3 S4 S5 S6
		2.4 2.5 2.6 2.9 2.10 2.12 2.13 2.15 2.16 3.1 3.3 3.6`) {
		if !seen[strings.ToLower(id)] {
			t.Errorf("there is no card %s", id)
		}
	}
}

// The same seed must give the same bytes, and another seed other draws.
func TestCardsAreDeterministic(t *testing.T) {
	names := []string{"L4", "R8", "B8", "3.1"}
	if !race.Enabled {
		names = append(names, "TRY3")
	}
	chosen, err := Choose(names...)
	if err != nil {
		t.Fatal(err)
	}
	text := func(e Entry, seed uint64) string {
		b, err := json.Marshal(e.Run(Options{Seed: seed, Runs: 3}))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, e := range chosen {
		first := text(e, 5)
		if second := text(e, 5); first != second {
			t.Errorf("%s:\n%s\n%s", e.ID, first, second)
		}
		if first == text(e, 6) {
			t.Errorf("%s does not depend on the seed", e.ID)
		}
	}
}

func TestChoose(t *testing.T) {
	ids := func(names ...string) string {
		chosen, err := Choose(names...)
		if err != nil {
			return err.Error()
		}
		var all []string
		for _, e := range chosen {
			all = append(all, e.ID)
		}
		return strings.Join(all, " ")
	}
	for _, test := range []struct{ names, want string }{
		{"r3", "R3"},
		{"R3 L1 R3", "L1 R3"},
		{"B1", "B1"},
		{"b1'", "B1'"},
		{"2.11", "2.11-HotOS 2.11-MongoDB"},
		{"2.12", "2.12-policy 2.12"},
		{"3.2 3.4 R9", "B9 H4 3.1"},
		{"B6", "TRY9 TRY10 TRY11 TRY12"},
		{"2.1", "2.1"},
	} {
		if got := ids(strings.Fields(test.names)...); got != test.want {
			t.Errorf("%s: %s, want %s", test.names, got, test.want)
		}
	}
	if got := ids("L1", "Q"); !strings.HasPrefix(got, `no card is called "Q"; the first`) {
		t.Error(got)
	}
	if got := len(strings.Fields(ids())); got != len(Cards()) {
		t.Errorf("no names give %d cards", got)
	}
	if cards, err := Run(Options{Seed: 1}, "S2", "S3"); err != nil || len(cards) != 2 || cards[1].ID != "S3" {
		t.Errorf("%v, %v", cards, err)
	}
	if _, err := Run(Options{}, "nothing"); err == nil {
		t.Error("a card that is not there is made")
	}
}
