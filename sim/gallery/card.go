package gallery

import (
	"fmt"
	"strings"

	"github.com/seakeep/seakeep/sim"
)

// Kind says where a card's figures come from.
type Kind string

const (
	// Unit figures are exact answers of a policy.
	Unit Kind = "unit"
	// Analytic figures are formulas.
	Analytic Kind = "analytic"
	// Simulation figures are means over replications.
	Simulation Kind = "simulation"
	// Published figures were only printed elsewhere; ours are beside them.
	Published Kind = "published"
)

// Card is what came of one row.
type Card struct {
	ID        string   `json:"id"`
	Kind      Kind     `json:"kind"`
	Title     string   `json:"title"`
	Setup     string   `json:"setup,omitempty"`
	Published string   `json:"published"`
	Ours      string   `json:"ours"`
	Interval  string   `json:"interval"` // empty where nothing is random
	Verdict   string   `json:"verdict"`
	Command   string   `json:"command"`
	Note      string   `json:"note,omitempty"`
	Figures   []Figure `json:"figures"`
}

// Figure is one number of a card, or one word.
type Figure struct {
	Name      string `json:"name"`
	Published string `json:"published"`
	Ours      string `json:"ours"`
	Interval  string `json:"interval"`
	Match     bool   `json:"match"`
}

// Matches reports whether every figure is within its tolerance.
func (c *Card) Matches() bool { return strings.HasPrefix(c.Verdict, "match") }

// Missing reports whether the policy that the card is about does not exist.
func (c *Card) Missing() bool { return strings.HasPrefix(c.Verdict, "missing") }

// Options say how the cards are run.
type Options struct {
	Seed uint64 // of all that is random
	Runs int    // replications of each simulated figure; 0: each card knows how many it needs
}

// Entry is a card that has not run yet.
type Entry struct {
	ID    string
	Kind  Kind
	Title string
	Also  []string // other names it is known by

	run func(*sheet)
}

// Run makes the card. The same options always give the same card.
func (e Entry) Run(o Options) Card {
	s := &sheet{Options: o, Card: Card{ID: e.ID, Kind: e.Kind, Title: e.Title,
		Command: "seakeep sim gallery --only " + quoted(e.ID)}}
	e.run(s)
	return s.finish()
}

// quoted keeps a shell from reading an ID such as B1' as anything but a word.
func quoted(id string) string {
	if strings.ContainsAny(id, "' ") {
		return `"` + id + `"`
	}
	return id
}

// Run makes the cards with the given IDs, all of them if there are none, in the
// order of Cards. A name that stands for several, such as 2.11, gives them all.
func Run(o Options, ids ...string) ([]Card, error) {
	chosen, err := Choose(ids...)
	if err != nil {
		return nil, err
	}
	cards := make([]Card, 0, len(chosen))
	for _, e := range chosen {
		cards = append(cards, e.Run(o))
	}
	return cards, nil
}

// Choose returns the entries that the names stand for, in the order of Cards;
// all of them if there are no names.
func Choose(names ...string) ([]Entry, error) {
	all := Cards()
	if len(names) == 0 {
		return all, nil
	}
	wanted := make([]bool, len(all))
	for _, name := range names {
		found := false
		for i, e := range all {
			if e.isCalled(name) {
				wanted[i], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("no card is called %q; the first of each section are %s", name,
				strings.Join(sections(all), ", "))
		}
	}
	var chosen []Entry
	for i, e := range all {
		if wanted[i] {
			chosen = append(chosen, e)
		}
	}
	return chosen, nil
}

func (e *Entry) isCalled(name string) bool {
	if strings.EqualFold(e.ID, name) {
		return true
	}
	for _, also := range e.Also {
		if strings.EqualFold(also, name) {
			return true
		}
	}
	n := len(name)
	return len(e.ID) > n && strings.EqualFold(e.ID[:n], name) && e.ID[n] == '-'
}

// sections returns the first ID of each run of IDs that begin alike.
func sections(all []Entry) (ids []string) {
	last := ""
	for _, e := range all {
		head := strings.TrimRight(e.ID, "0123456789'b")
		if head != last {
			ids = append(ids, e.ID)
		}
		last = head
	}
	return ids
}

// stream returns the random numbers for one purpose of one replication.
func stream(seed uint64, purpose string) *sim.Stream {
	return sim.NewStream(seed, "gallery", purpose)
}
