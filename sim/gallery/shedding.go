package gallery

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/shed"
)

// dagor shows what levels that travel with a request are for: tasks of several
// calls come through an overload whole, or not at all.
func dagor(s *sheet) {
	s.Setup = "A service that saturates at 750/s under 1,500/s, with core/shed: tasks of k calls " +
		"whose callers wait for 500 ms. Shed by the call, the calls of a task are judged apart; by " +
		"the user, alike. Both from 5 s to 25 s."
	seeds := s.seeds(5)
	random := []known{2: {25, 0, "%"}, 3: {12.5, 1, "%"}, 4: {6.25, 2, "%"}}
	for k := 2; k <= 4; k++ {
		name := number(float64(k), 0, "calls")
		s.rounds(name+", by the call, in theory", random[k], 100*power(0.5, k))
		for _, byUser := range []bool{false, true} {
			var whole []float64
			for _, seed := range seeds {
				t := newCounter(counterConfig{capacity: 750, workers: 10, bound: 75, calls: k,
					byUser: byUser, patience: 500 * ms, rates: byClass(1500/float64(k), 0)},
					seed)
				whole = append(whole, 100*t.wholeShare(core.Critical, 5*second, 25*second))
			}
			if byUser {
				s.mean(name+", by the user", known{50, 0, "%"}, whole, off(4))
			} else {
				s.mean(name+", by the call", random[k], whole, off(4))
			}
		}
	}
	s.rounds("mean queueing time that sheds, more than", known{20, 0, "ms"}, queueingTarget())
	s.equals("levels of one class", known{128, 0, ""}, shed.Cohorts)
	s.Note = "The best that can be had of k calls is the capacity's share of the load, one half " +
		"here. A little more than in theory comes through by the call, because core/shed refuses " +
		"nothing while nobody waits. The paper's testbed sheds from 750/s by queueing time and already from 630/s by " +
		"response time, and gets half as much again done as CoDel on tasks of two calls: that " +
		"depends on its machines, and is not modelled."
}

// queueingTarget finds the mean wait in the queue, in ms, above which a shedder
// with the usual settings is overloaded.
func queueingTarget() float64 {
	return crossing(0, 1000, 0.5, func(wait float64) float64 {
		s, now := must(shed.New(shed.Config{})), core.Instant(0)
		for range 400 {
			s.Admit(now, 0)
			s.Report(now, time.Duration(wait*float64(ms)))
			now = now.Add(ms)
		}
		if s.Snapshot(now).Overloaded {
			return 0
		}
		return 1
	})
}

// shedders shows a step of the demand under Breakwater's credits, and a surge
// of prefetching under core/shed.
func shedders(s *sheet) {
	s.Setup = "Breakwater, as a model on this card: 1,000 clients, 10 workers, requests of 10 µs, " +
		"target 80 µs, a step from half to 1.4 times the capacity. Netflix: users ask for 60 % of a " +
		"service's capacity and prefetching for a sixth, then twelve times that."
	var settled, ours []float64
	for _, seed := range s.seeds(5) {
		settled = append(settled, settle(newCredits(seed)).Seconds()*1000)
		ours = append(ours, settle(newStepped(seed)).Seconds()*1000)
	}
	worst := 0.0
	for _, x := range settled {
		worst = max(worst, x)
	}
	s.add(Figure{Name: "Breakwater settles within", Published: "20 ms", Ours: number(worst, 0, "ms"),
		Match: worst <= 20})
	s.shown("core/shed settles after", 1, "ms", ours)
	var users, prefetch []float64
	for _, seed := range s.seeds(5) {
		c := newCounter(counterConfig{capacity: 1000, workers: 50, bound: 200, calls: 1, byUser: true,
			patience: second, rates: byClass(600, 2000)}, seed)
		users = append(users, 100*c.wholeShare(core.Critical, 0, 30*second))
		prefetch = append(prefetch, 100*c.wholeShare(core.Sheddable, 0, 30*second))
	}
	s.add(Figure{Name: "users served, from the first second of a surge", Published: "more than 99.4 %",
		Ours: number(least(users), 2, "%"), Match: least(users) > 99.4})
	s.mean("prefetching served", known{20, 0, "%"}, prefetch, off(1.5))
	s.Note = "The paper's 500 ms for DAGOR are those of its testbed and of DAGOR's small steps; " +
		"core/shed aims at what was served, in windows of 10 ms or 2,000 requests here. That 20 % of " +
		"prefetching are left is arithmetic once the users have theirs. TopFull's rate control at " +
		"the entry, which the paper puts at 1.82 times DAGOR's goodput, has no model here."
}

func least(xs []float64) float64 {
	low := xs[0]
	for _, x := range xs {
		low = min(low, x)
	}
	return low
}
