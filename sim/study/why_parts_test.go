package study

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestStretches(t *testing.T) {
	at := func(text string, mark string) func(k int) bool {
		return func(k int) bool { return strings.ContainsRune(mark, rune(text[k])) }
	}
	for _, tc := range []struct {
		text string // # begins, + stays
		gap  int
		want []spell
	}{
		{"......", 3, nil},
		{"..##..", 3, []spell{{2, 4}}},
		{"######", 3, []spell{{0, 6}}},
		{"#..#..", 3, []spell{{0, 4}}},
		{"#...#.", 3, []spell{{0, 1}, {4, 5}}},
		{"#.#...", 1, []spell{{0, 1}, {2, 3}}},
		{"+#++..", 3, []spell{{1, 4}}},
		{"#++.++", 3, []spell{{0, 6}}},
		{"#.....+", 3, []spell{{0, 1}}},
	} {
		got := stretches(len(tc.text), tc.gap, at(tc.text, "#"), at(tc.text, "#+"))
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.text, got, tc.want)
		}
	}
}

func TestPercent(t *testing.T) {
	for _, tc := range []struct {
		some, all uint64
		want      string
	}{{0, 0, "0 %"}, {0, 9, "0 %"}, {1, 1000, "1 %"}, {1, 2, "50 %"}, {999, 1000, "99 %"},
		{9, 9, "100 %"}, {12, 9, "100 %"}} {
		if got := percent(tc.some, tc.all); got != tc.want {
			t.Errorf("%d of %d is %q, want %q", tc.some, tc.all, got, tc.want)
		}
	}
}

func TestList(t *testing.T) {
	for want, words := range map[string][]string{"": nil, "a": {"a"}, "a and b": {"a", "b"},
		"a, b and c": {"a", "b", "c"}} {
		if got := list(words); got != want {
			t.Errorf("%v is %q", words, got)
		}
	}
}

// An effect is told after its cause, though only its slice is known.
func TestAfter(t *testing.T) {
	x := &tale{exact: []Cause{{At: 100}, {At: 130}, {At: 160}, {At: 300}}}
	for _, tc := range []struct{ from, width, want time.Duration }{
		{90, 50, 130},  // the last within the slice
		{101, 20, 101}, // none within
		{170, 10, 170},
	} {
		if got := x.after(tc.from, tc.width); got != tc.want {
			t.Errorf("from %d, %d wide: %d, want %d", tc.from, tc.width, got, tc.want)
		}
	}
	if x.firstFrom(90, 50) != 100 || x.firstFrom(170, 10) != 0 {
		t.Error("the first in a stretch is another one")
	}
	if x.caused(50) != 100 || x.caused(120) != 120 || (&tale{}).caused(50) != 50 {
		t.Error("an effect comes before all causes, or is moved behind one")
	}
}

const everyChange = `version: 1
name: all
for: 100s
clients: {users: {to: shop, rate: 50/s}}
services:
  shop: {policy: p.yaml, work: 20ms, calls: [db], capacity: {rate: 100/s}}
  db: {instances: 3, routes: {read: {work: 1ms}, write: {work: 2ms, fails: 1%}}}
changes:
  - {at: 1s, for: 1s, client: users, rate: 60/s}
  - {at: 2s, for: 20s, service: db, work: {floor: 1ms, mean: 1s}, route: write}
  - {at: 3s, for: 1s, service: db, work: 7ms, route: read}
  - {at: 5s, for: 1s, service: db, fails: 50%, route: write}
  - {at: 7s, for: 1s, service: db, down: true, instances: [0, 2]}
  - {at: 9s, for: 1s, service: db, silent: true, instances: [1]}
  - {at: 11s, for: 1s, service: db, restart: true}
  - {at: 13s, for: 1s, service: db, network: cut}
  - {at: 15s, for: 1s, service: db, network: buffered}
  - {at: 17s, for: 1s, service: shop, policy: p.yaml}
  - {at: 19s, for: 1s, service: shop, capacity: {rate: 9/s}}
  - {at: 21s, for: 1s, service: shop, capacity: none}
  - {at: 30s, service: shop, work: 30ms}
  - {at: 31s, for: 1s, service: shop, work: 40ms}
`

const everySentence = `1.0 s users: 50/s -> 60/s (the scenario says so)
2.0 s users: 50/s again
2.0 s db write: work 2ms -> mean 1s (the scenario says so)
3.0 s db read: work 1ms -> 7ms (the scenario says so)
4.0 s db read: work 1ms again
5.0 s db write: failures 1 % -> 50 % (the scenario says so)
6.0 s db write: failures 1 % again
7.0 s db instance 0, 2 goes down (the scenario says so)
8.0 s db instance 0, 2 is back
9.0 s db instance 1 takes requests and never answers (the scenario says so)
10.0 s db instance 1 answers again
11.0 s db goes down to be restarted (the scenario says so)
12.0 s db is back, with cold caches
13.0 s the network to db is cut (the scenario says so)
14.0 s the network to db is mended
15.0 s the network holds back what is sent to db (the scenario says so)
16.0 s the network delivers what it held back for db
17.0 s shop: another policy comes into use (the scenario says so)
18.0 s shop: the policy before is in use again
19.0 s shop: capacity 100/s -> 9/s (the scenario says so)
20.0 s shop: capacity 100/s again
21.0 s shop: capacity 100/s -> without a limit (the scenario says so)
22.0 s shop: capacity 100/s again
22.0 s db write: work 2ms again
30.0 s shop: work 20ms -> 30ms (the scenario says so)
31.0 s shop: work 30ms -> 40ms (the scenario says so)
32.0 s shop: work 30ms again
`

// Every kind of change has a sentence, and another one for its end.
func TestScript(t *testing.T) {
	s := scenarioOf(t, everyChange, map[string]string{
		"p.yaml": "version: 1\nservice: shop\ndependencies: {db: {timeout: {request: 1s}}}\n"})
	got := ""
	for _, c := range Script(s) {
		got += At(c.At, s.For) + " " + c.Text + "\n"
		if c.Kind != Given {
			t.Errorf("%+v", c)
		}
	}
	a, b := strings.Split(got, "\n"), strings.Split(everySentence, "\n")
	slices.Sort(a)
	slices.Sort(b)
	if !slices.Equal(a, b) {
		t.Errorf("the script is\n%s", got)
	}
}

func TestAt(t *testing.T) {
	if got := At(5666*time.Millisecond, 65*time.Second); got != "5.7 s" {
		t.Error(got)
	}
	if got := At(5666*time.Millisecond, 20*time.Second); got != "5.67 s" {
		t.Error(got)
	}
}

func TestOutages(t *testing.T) {
	d := &decisions{changes: []change{
		{at: 1, user: 0, from: "closed", to: "open"},
		{at: 2, user: 1, from: "closed", to: "open"},
		{at: 3, user: 0, from: "open", to: "half-open"},
		{at: 4, user: 0, from: "half-open", to: "open"},
		{at: 5, user: 0, from: "open", to: "half-open"},
		{at: 6, user: 0, from: "half-open", to: "closed"},
		{at: 7, user: 1, from: "open", to: "closed"},
		{at: 9, user: 2, from: "closed", to: "open"},
	}}
	all := d.outages(20)
	if len(all) != 2 {
		t.Fatalf("%+v", all)
	}
	a, b := all[0], all[1]
	if a.from != 1 || a.to != 7 || !a.closed || a.opened != 3 || a.users != 2 || a.fellBack != 1 {
		t.Errorf("the first outage: %+v", a)
	}
	if b.from != 9 || b.to != 20 || b.closed || b.users != 1 || b.last.user != 2 {
		t.Errorf("the second outage: %+v", b)
	}
}
