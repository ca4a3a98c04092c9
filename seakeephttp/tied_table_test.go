package seakeephttp

import (
	"encoding/hex"
	"strings"
	"testing"
	"time"
)

func TestParseTied(t *testing.T) {
	id := strings.Repeat("0f", 16)
	for _, c := range []struct {
		value, peer string
	}{
		{"id=" + id + "; peer=10.0.0.7:8080", "10.0.0.7:8080"},
		{"id=" + id + ";peer=door.internal:80", "door.internal:80"},
		{"id=" + id + "; peer=[::1]:80", "[::1]:80"},
		{"id=" + id + "; peer=[fe80::1%25eth0]:80", ""},
		{"id=" + id + "; peer=10.0.0.7", ""},
		{"id=" + id + "; peer=10.0.0.7:http", ""},
		{"id=" + id + "; peer=:80", ""},
		{"id=" + id + "; peer=a/b:80", ""},
		{"id=" + id + "; peer=user@a:80", ""},
		{"id=" + id + "; peer=a?b:80", ""},
		{"id=" + id[1:] + "; peer=a:80", ""},
		{"id=" + id + "; pier=a:80", ""},
		{"peer=a:80; id=" + id, ""},
		{id, ""},
		{"", ""},
		{"id=" + id + "; peer=" + strings.Repeat("a", 300) + ":80", ""},
	} {
		got, peer, ok := parseTied([]string{c.value})
		if ok != (c.peer != "") || peer != c.peer || ok && hex.EncodeToString(got[:]) != id {
			t.Errorf("%q: %x %q %v", c.value, got, peer, ok)
		}
	}
	if _, _, ok := parseTied([]string{"id=" + id + "; peer=a:80", "id=" + id + "; peer=a:80"}); ok {
		t.Error("two values are taken for one")
	}
}

// What is read is a host and a port and nothing else of a URL.
func FuzzParseTied(f *testing.F) {
	f.Add("id=" + strings.Repeat("0f", 16) + "; peer=10.0.0.7:8080")
	f.Fuzz(func(t *testing.T, value string) {
		if _, peer, ok := parseTied([]string{value}); ok && strings.ContainsAny(peer, "/?#@ \r\n%") {
			t.Errorf("%q: the peer is %q", value, peer)
		}
	})
}

// step is one thing that happens to a pair of tied requests at two doors.
type step struct {
	at   int
	what byte // j: it comes; s: its turn; h: the door hears that the other is served
}

// world is a pair at two doors, which this test brings into every order.
type world struct {
	doors  [2]ties
	w      [2]*waiter
	came   [2]bool
	served [2]bool
	dead   [2]bool // called off, or turned away
	hears  [2]bool // a word is on its way to it
	late   [2]bool
}

func (x *world) can() (next []step) {
	for i := range x.doors {
		if !x.came[i] {
			next = append(next, step{i, 'j'})
		} else if !x.served[i] && !x.dead[i] {
			next = append(next, step{i, 's'})
		}
		if x.hears[i] {
			next = append(next, step{i, 'h'})
		}
	}
	return next
}

func (x *world) do(s step) {
	now := time.Unix(1000, 0)
	d, i := &x.doors[s.at], s.at
	switch s.what {
	case 'j':
		x.came[i] = true
		x.w[i] = &waiter{id: tieID{7}, cancel: func() {}}
		x.dead[i] = !d.join(now, x.w[i])
	case 's':
		if !d.leave(now, x.w[i], true) {
			x.dead[i] = true
			return
		}
		x.served[i], x.hears[1-i] = true, true
	case 'h':
		x.hears[i] = false
		x.late[i] = d.callOff(now, tieID{7}) == started
	}
}

// In whatever order a pair comes, has its turn and is called off at two doors,
// exactly one is served, or both while the word is on its way, and then both
// doors know. Never is none.
func TestTiedPairsInEveryOrder(t *testing.T) {
	runs := 0
	var walk func(path []step)
	walk = func(path []step) {
		var x world
		for _, s := range path {
			x.do(s)
		}
		next := x.can()
		for _, s := range next {
			walk(append(path[:len(path):len(path)], s))
		}
		if len(next) > 0 {
			return
		}
		runs++
		twice := x.served[0] && x.served[1]
		if !x.served[0] && !x.served[1] {
			t.Errorf("%v: nobody serves it", path)
		}
		if x.late[0] != twice || x.late[1] != twice {
			t.Errorf("%v: served twice is %v, and the doors say %v", path, twice, x.late)
		}
		late := x.doors[0].snapshot().TooLate + x.doors[1].snapshot().TooLate
		if late > 0 != twice || len(x.doors[0].waiting)+len(x.doors[1].waiting) > 0 {
			t.Errorf("%v: %d are too late, %d and %d wait", path, late, len(x.doors[0].waiting),
				len(x.doors[1].waiting))
		}
	}
	walk(nil)
	if runs < 20 {
		t.Errorf("only %d orders", runs)
	}
}

func numbered(i int) tieID { return tieID{byte(i), byte(i >> 8), byte(i >> 16)} }

// Nobody can make a door remember more than it has room for, and what finds no
// room is served as any other request.
func TestTiesAreBounded(t *testing.T) {
	var d ties
	now := time.Unix(1000, 0)
	for i := range 2*maxTied + 10 {
		w := &waiter{id: numbered(i), cancel: func() {}}
		if !d.join(now, w) || w.known != (i < maxTied) {
			t.Fatalf("request %d: known is %v", i, w.known)
		}
	}
	for i := range 3 * maxTied {
		d.callOff(now, numbered(1<<20+i))
		if n := len(d.newer) + len(d.older); n > maxTied {
			t.Fatalf("%d are remembered after %d", n, i)
		}
	}
	if w := (&waiter{id: numbered(1<<20 + 3*maxTied - 1), cancel: func() {}}); d.join(now, w) {
		t.Error("the latest is forgotten")
	}
}

// What became of a request is known for as long as its twin may be on its way,
// and not for ever.
func TestTiesForget(t *testing.T) {
	for _, c := range []struct {
		after time.Duration
		known bool
	}{{tiedFor - 1, true}, {2*tiedFor + 1, false}, {time.Hour, false}} {
		var d ties
		now := time.Unix(1000, 0)
		d.callOff(now, tieID{1})
		d.callOff(now.Add(c.after/2), tieID{2})
		w := &waiter{id: tieID{1}, cancel: func() {}}
		if served := d.join(now.Add(c.after), w); served == c.known {
			t.Errorf("after %v it is served: %v", c.after, served)
		}
	}
}

// A second request with the same name is not tied to anything: whoever made it
// is no client of ours.
func TestTiesOfOneName(t *testing.T) {
	var d ties
	now := time.Unix(1000, 0)
	ended := [2]bool{}
	a := &waiter{id: tieID{1}, cancel: func() { ended[0] = true }}
	b := &waiter{id: tieID{1}, cancel: func() { ended[1] = true }}
	if !d.join(now, a) || !d.join(now, b) {
		t.Fatal("refused")
	}
	if !d.leave(now, b, false) || d.callOff(now, tieID{1}) != calledOff || !ended[0] || ended[1] {
		t.Errorf("called off: %v", ended)
	}
	if d.leave(now, a, true) {
		t.Error("it is served, though it was called off")
	}
}
