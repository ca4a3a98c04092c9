package alerts

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/slo"
	"github.com/seakeep/seakeep/sim"
)

// Simulated is the incident of a scenario, as users of it saw it: of those of
// some endpoints, if any are named. A request is good if it was answered, by a
// fallback or not, within the objective's latency.
func Simulated(s *config.Scenario, o *config.Objective, endpoints []string) (Incident, error) {
	type end struct {
		at   time.Duration
		good bool
	}
	var all []end
	seen := map[string]bool{}
	_, err := sim.Run(s, sim.Options{Fate: func(f sim.Fate) {
		seen[f.Endpoint] = true
		if len(endpoints) > 0 && !slices.Contains(endpoints, f.Endpoint) {
			return
		}
		good := f.Answered && (o.Latency == 0 || f.Took <= o.Latency)
		all = append(all, end{time.Duration(f.Began) + f.Took, good})
	}})
	if err != nil {
		return Incident{}, err
	}
	for _, name := range endpoints {
		if !seen[name] {
			return Incident{}, fmt.Errorf("the scenario has no endpoint %s; it has %s", name, listOf(seen))
		}
	}
	if len(all) == 0 {
		return Incident{}, errors.New("nobody asks for anything in the scenario")
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].at < all[j].at })
	bad := make([]uint64, len(all)+1)
	for i, e := range all {
		bad[i+1] = bad[i]
		if !e.good {
			bad[i+1]++
		}
	}
	return Incident{Rate: float64(len(all)) / s.For.Seconds(), For: s.For,
		Counted: func(since time.Duration) slo.Counts {
			n := sort.Search(len(all), func(i int) bool { return all[i].at > since })
			if since >= s.For {
				n = len(all)
			}
			return slo.Counts{Bad: bad[n], Total: uint64(n)}
		}}, nil
}

func listOf(set map[string]bool) string {
	var names []string
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
