package config

import (
	"math"
	"testing"
)

// checkScenario holds the promises of ParseScenario, which the simulator relies
// on.
func checkScenario(t *testing.T, s *Scenario) {
	t.Helper()
	wrong := func(ok bool, format string, args ...any) {
		t.Helper()
		if !ok {
			t.Errorf(s.Name+": "+format, args...)
		}
	}
	wrong(s.Version == 1 && s.Name != "" && s.For > s.Warmup && s.Runs > 0, "the run is %+v", s)
	wrong(len(s.Clients) > 0 && len(s.Services) > 0, "nobody is there")
	for _, c := range s.Clients {
		to := s.Service(c.To)
		wrong(to != nil && s.Client(c.Name) == c && s.Service(c.Name) == nil, "client %+v", c)
		wrong(c.Users > 0 != (c.Think.zero()), "%s thinks %+v", c.Name, c.Think)
		wrong(c.Users == 0 || c.Rate == 0, "%s has users and a rate", c.Name)
		wrong(c.Members > 0 && (c.Members == 1 || c.Member.File != nil), "%s has members", c.Name)
		sum := 0.0
		for _, r := range c.Routes {
			wrong(to.Route(r.Name) != nil, "%s asks for %s", c.Name, r.Name)
			sum += r.Share
		}
		wrong(math.Abs(sum-1) < 1e-9, "the shares of %s come to %v", c.Name, sum)
	}
	calls := map[string][]string{}
	for _, v := range s.Services {
		wrong(v.Instances > 0 && v.Instances <= 64 && len(v.Routes) > 0, "%s is %+v", v.Name, v)
		wrong(v.Workers > 0 || v.Queue == (Queue{}), "%s has a queue", v.Name)
		for _, r := range v.Routes {
			checkLatency(t, &r.Work)
			atOnce := 0
			for i, c := range r.Calls {
				wrong(v.Policy != nil, "%s has no policy", v.Name)
				to := s.Service(c.To)
				wrong(to != nil && to.Route(c.Route) != nil, "%s calls %+v", v.Name, c)
				calls[v.Name] = append(calls[v.Name], c.To)
				if atOnce++; !c.Parallel {
					atOnce = 1
				}
				wrong(atOnce <= 8 && !(i == 0 && c.Parallel), "%s calls %d at once", v.Name, atOnce)
			}
		}
	}
	for _, v := range s.Services {
		wrong(ends(calls, v.Name, len(s.Services)), "the calls of %s never end", v.Name)
	}
	for _, c := range s.Changes {
		of := s.Service(c.Of) != nil
		if c.Kind == SetRate {
			of = s.Client(c.Of) != nil && s.Client(c.Of).Users == 0
		}
		wrong(of && c.At < s.For && c.Length >= 0, "change %+v", c)
		wrong(c.Kind != SetPolicy || c.Policy != nil, "no policy in %+v", c)
		wrong(c.Kind != Restart || c.Length > 0, "it never comes back: %+v", c)
		for _, n := range c.Instances {
			wrong(n >= 0 && n < s.Service(c.Of).Instances, "change %+v", c)
		}
	}
}

// ends reports whether no path from name is longer than most.
func ends(calls map[string][]string, name string, most int) bool {
	if most == 0 {
		return len(calls[name]) == 0
	}
	seen := map[string]bool{}
	for _, to := range calls[name] {
		if !seen[to] && !ends(calls, to, most-1) {
			return false
		}
		seen[to] = true
	}
	return true
}

func checkLatency(t *testing.T, l *Latency) {
	t.Helper()
	ok := l.Floor >= 0 && l.Floor <= day && l.Mean >= 0 && l.Mean <= day && l.Median <= day &&
		l.StallShare >= 0 && l.StallShare <= 1 && l.StallShare > 0 == (l.Stall > 0)
	switch l.Shape {
	case Constant:
		ok = ok && l.Mean == 0
	case Exponential, Uniform:
		ok = ok && l.Mean >= l.Floor && l.Mean > 0
	case LogNormal:
		ok = ok && l.Median > 0 && l.Sigma > 0
	case Empirical:
		ok = ok && len(l.Points) > 1
	case Mixture:
		sum := 0.0
		for i := range l.Parts {
			sum += l.Parts[i].Share
			checkLatency(t, &l.Parts[i].Latency)
		}
		ok = ok && math.Abs(sum-1) < 1e-9
	}
	if !ok {
		t.Errorf("a time is %+v", l)
	}
}
