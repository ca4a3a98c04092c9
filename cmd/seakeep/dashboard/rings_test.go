package dashboard

import (
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// A program that is younger than the time asked for shows each of its seconds, and
// what is only known in tens of seconds is shown for each of them.
func TestSecondsOfAYoungProgram(t *testing.T) {
	start := time.Unix(1e9, 0)
	r := newRings(24 * time.Hour)
	second := func(i int) *frame {
		s := &sample{}
		s.n[fSuccess] = 5
		return &frame{from: start.Add(time.Duration(i) * tick), to: start.Add(time.Duration(i+1) * tick),
			names: []string{"a"}, of: map[string]*sample{"a": s}}
	}
	for i := range 40 {
		r.add(second(i))
	}
	shown := func(from, to time.Time) (n int) {
		v := &table{from: from, step: tick, name: "a", sums: make([]*frame, int(to.Sub(from)/tick))}
		all, _ := r.between(from, to)
		for _, k := range all {
			v.add(k)
		}
		for _, rate := range v.series("a", dependencyColumns).Columns["rate"] {
			if rate == nil {
				continue
			}
			if n++; *rate != 5 {
				t.Errorf("%v a second", *rate)
			}
		}
		return n
	}
	if n := shown(start.Add(-time.Minute), start.Add(40*tick)); n != 40 {
		t.Errorf("%d of 40 seconds are shown", n)
	}
	r.short.all = r.short.all[35:] // as after a restart: the seconds before are gone
	if n := shown(start, start.Add(40*tick)); n != 40 {
		t.Errorf("%d of 40 seconds are shown when most are known in tens only", n)
	}
}

// Every number of a sample is kept, and of those that wait the most in a longer time.
func TestAllFieldsAreKept(t *testing.T) {
	a, b := &sample{}, &sample{}
	for i := range a.n {
		a.n[i], b.n[i] = uint64(i+1), uint64(i)
	}
	f := &frame{from: time.Unix(1, 0), to: time.Unix(2, 0), names: []string{""}, of: map[string]*sample{"": a}}
	got, err := decodeFrame(f.encode())
	if err != nil || got.of[""].n != a.n {
		t.Fatalf("%v %+v", err, got)
	}
	a.add(b)
	for class := range field(core.Criticalities) {
		if at := gWaiting + class; a.n[at] != uint64(at)+1 {
			t.Errorf("%d wait, of %d at most", a.n[at], at+1)
		}
	}
}

// A time that reaches back further than the short frames do is told by them as far
// as they reach, and by the long ones before; nothing is told twice, or left out.
func TestShortFramesComeFirst(t *testing.T) {
	r := newRings(time.Hour)
	r.short.keep = 25 * time.Second
	first := someFrame(0, 1).from
	for i := range 58 {
		r.add(someFrame(i, 1))
	}
	for from, want := range map[int]int{-60: 4 + 18, 0: 4 + 18, 15: 3 + 18, 40: 18, 57: 1} {
		all, oldest := r.between(first.Add(time.Duration(from)*time.Second+tick/2), first.Add(time.Minute))
		if len(all) != want {
			t.Errorf("from %d s: %d frames, want %d", from, len(all), want)
		}
		for i := 1; i < len(all); i++ {
			if gap := all[i].from.Sub(all[i-1].to); gap.Abs() > 50*time.Millisecond {
				t.Errorf("from %d s: a gap of %v before %d", from, gap, i)
			}
		}
		if d := oldest.Sub(first); d.Abs() > 50*time.Millisecond {
			t.Errorf("the oldest is %v late", d)
		}
	}
}
