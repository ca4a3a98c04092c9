package dashboard

import (
	"testing"
	"time"
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
