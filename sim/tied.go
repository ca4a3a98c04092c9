package sim

import (
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/call"
)

// untied is a policy without copies that are tied to their calls: that doors
// call each other's off is not modelled, and without it they would double the
// load.
func untied(s *config.Settings) call.Config {
	c := s.Call
	if s.Tied {
		c.Hedge = nil
	}
	return c
}
