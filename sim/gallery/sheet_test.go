package gallery

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/sim/stats"
)

// cardOf makes a card of what fill writes on it.
func cardOf(fill func(*sheet)) Card {
	return Entry{ID: "X1", Kind: Unit, Title: "Title", run: fill}.Run(Options{Seed: 1})
}

func TestVerdicts(t *testing.T) {
	for _, test := range []struct {
		name string
		fill func(*sheet)
		want string
	}{
		{"a match", func(s *sheet) { s.count("calls", 3, 3) }, "match"},
		{"with a remark", func(s *sheet) {
			s.count("calls", 3, 3)
			s.aside = "but only just"
		}, "match; but only just"},
		{"one of two differs", func(s *sheet) {
			s.count("calls", 3, 3)
			s.count("answers", 3, 2)
		}, "differs, because answers is 2 and not 3"},
		{"no policy", func(s *sheet) {
			s.absent("calls", "3")
			s.lacks = "no such thing"
		}, "missing: no such thing"},
		{"an empty card never matches", func(*sheet) {}, "missing: the card shows nothing"},
	} {
		if got := cardOf(test.fill).Verdict; got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestTolerances(t *testing.T) {
	wide := []float64{8, 10, 12, 9, 11} // mean 10, standard error 0.71, times 6.6 for five
	for _, test := range []struct {
		name  string
		fill  func(*sheet)
		match bool
	}{
		{"rounds up to it", func(s *sheet) { s.rounds("x", known{6.67, 2, ""}, 20.0/3) }, true},
		{"half a digit is too far", func(s *sheet) { s.rounds("x", known{6.67, 2, ""}, 6.676) }, false},
		{"the last digit by one", func(s *sheet) { s.digit("x", known{6.67, 2, ""}, 6.679) }, true},
		{"and no more", func(s *sheet) { s.digit("x", known{6.67, 2, ""}, 6.681) }, false},
		{"equal to a billionth", func(s *sheet) { s.equals("x", known{22, 0, ""}, 22*(1+5e-10)) }, true},
		{"not to a millionth", func(s *sheet) { s.equals("x", known{22, 0, ""}, 22*(1+1e-6)) }, false},
		{"within one per cent", func(s *sheet) { s.mean("x", known{1000, 0, ""}, same(1009.9), rate) }, true},
		{"beyond one per cent", func(s *sheet) { s.mean("x", known{1000, 0, ""}, same(1011), rate) }, false},
		{"within the error of ours", func(s *sheet) { s.mean("x", known{14, 0, ""}, wide, rate) }, true},
		{"beyond it", func(s *sheet) { s.mean("x", known{15, 0, ""}, wide, rate) }, false},
		{"within both errors", func(s *sheet) { s.mean("x", known{16, 0, ""}, wide, few(5)) }, true},
		{"beyond both", func(s *sheet) { s.mean("x", known{18, 0, ""}, wide, few(5)) }, false},
		{"a point and a half of share", func(s *sheet) { s.mean("x", known{57, 0, "%"}, same(58.5), share) }, true},
		{"two points", func(s *sheet) { s.mean("x", known{57, 0, "%"}, same(59), share) }, false},
		{"the error does not widen a share", func(s *sheet) { s.mean("x", known{12, 0, "%"}, wide, share) }, false},
		{"five per cent", func(s *sheet) { s.mean("x", known{100, 0, ""}, same(104), part(0.05)) }, true},
		{"six", func(s *sheet) { s.mean("x", known{100, 0, ""}, same(106), part(0.05)) }, false},
		{"in an interval", func(s *sheet) {
			s.within("x", known{5, 0, ""}, stats.Quantile{Value: 7, Low: 4, High: 9})
		}, true},
		{"outside", func(s *sheet) {
			s.within("x", known{3, 0, ""}, stats.Quantile{Value: 7, Low: 4, High: 9})
		}, false},
	} {
		c := cardOf(test.fill)
		if c.Matches() != test.match {
			t.Errorf("%s: %s, published %s, ours %s %s", test.name, c.Verdict, c.Published, c.Ours, c.Interval)
		}
	}
}

func TestCardTexts(t *testing.T) {
	c := cardOf(func(s *sheet) {
		s.equals("threads", known{22, 0, "threads"}, 22)
		s.mean("calls", known{100, 0, "/s"}, []float64{99, 101, 100}, rate)
	})
	if c.Published != "threads 22 threads; calls 100 /s" || c.Ours != "threads 22 threads; calls 100.0 /s" ||
		c.Interval != "calls ±2.5" {
		t.Errorf("published %q, ours %q, interval %q", c.Published, c.Ours, c.Interval)
	}
	c = cardOf(func(s *sheet) { s.equals("threads", known{22, 0, "threads"}, 22) })
	if c.Published != "22 threads" || c.Ours != "22 threads" || c.Interval != "" {
		t.Errorf("published %q, ours %q, interval %q", c.Published, c.Ours, c.Interval)
	}
	var keys map[string]any
	b, err := json.Marshal(c)
	if err == nil {
		err = json.Unmarshal(b, &keys)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.Fields("id kind title published ours interval verdict command figures") {
		if _, ok := keys[key]; !ok {
			t.Errorf("no key %s in %s", key, b)
		}
	}
	if c.Command != "seakeep sim gallery --only X1" {
		t.Error(c.Command)
	}
	if got := (Entry{ID: "B1'", run: func(*sheet) {}}).Run(Options{}).Command; !strings.HasSuffix(got, `"B1'"`) {
		t.Error(got)
	}
}

func TestSeeds(t *testing.T) {
	s := &sheet{Options: Options{Seed: 1}, Card: Card{ID: "X1"}}
	if n := len(s.seeds(7)); n != 7 {
		t.Errorf("%d seeds, want 7", n)
	}
	s.Runs = 1
	if n := len(s.seeds(7)); n != 2 {
		t.Errorf("%d seeds, want 2: one run has no interval", n)
	}
	other := &sheet{Options: Options{Seed: 1}, Card: Card{ID: "X2"}}
	if s.seeds(1)[0] == other.seeds(1)[0] {
		t.Error("two cards draw alike")
	}
}
