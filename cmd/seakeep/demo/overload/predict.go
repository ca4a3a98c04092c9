package overload

import (
	"embed"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim"
)

// The world of the demo in the simulator, and the policy of its clients.
//
//go:embed scenarios
var scenarios embed.FS

// toEnd is how much longer a simulated run is, so that every request that
// counts has ended: each of its attempts may take a second.
const toEnd = (attempts + 1) * time.Second

// world returns the policy that stands before the program in a simulation of
// the variant, nil for none; ok is false if it cannot be simulated.
func (v variant) world() (policy *config.File, ok bool, err error) {
	switch g := v.guard.(type) {
	case bare:
		return nil, true, nil
	case *doorman:
		policy, err = g.read("")
		return policy, true, err
	}
	return nil, false, nil
}

// predict runs the demo's world in virtual time, behind a variant's policy file
// or behind nothing and with its operator, and returns what becomes of the
// requests of each second; nil if the variant cannot be simulated.
func predict(v variant, o MetastableOptions) ([]second, error) {
	policy, ok, err := v.world()
	if err != nil || !ok {
		return nil, err
	}
	open := func(path string) ([]byte, error) { return scenarios.ReadFile("scenarios/" + path) }
	text, err := open("metastable.yaml")
	if err != nil {
		return nil, err
	}
	s, err := config.ParseScenario("metastable.yaml", text, open)
	if err != nil {
		return nil, err
	}
	s.For, s.Warmup = o.For+toEnd, 0
	s.Clients[0].Rate = o.Rate
	spike := &s.Changes[0]
	spike.At, spike.Length, spike.Rate = o.Spike.At, o.Spike.For, o.Spike.Rate
	server := s.Services[0]
	server.Policy = policy
	for _, l := range v.levers {
		s.Changes = append(s.Changes, config.Change{At: l.at, Kind: config.SetAdmission,
			Of: server.Name, Share: l.admit, Ramp: l.ramp})
	}
	seconds := make([]second, (o.For+time.Second-1)/time.Second)
	_, err = sim.Run(s, sim.Options{Seed: o.Seed, Fate: func(f sim.Fate) {
		i := time.Duration(f.Began) / time.Second
		if int(i) >= len(seconds) {
			return
		}
		seconds[i].offered++
		if f.Answered {
			seconds[i].served++
		}
	}})
	return seconds, err
}
