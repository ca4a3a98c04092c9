package proxy

import (
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/seakeephttp"
)

// poolView is how connections to a dependency are kept, and those there are.
type poolView struct {
	Protocol   string  `json:"protocol"`
	Max        int     `json:"max,omitempty"` // absent: as many as calls need
	Idle       int     `json:"idle"`
	IdleTimeMS float64 `json:"idle_time_ms"`
	LifetimeMS float64 `json:"lifetime_ms,omitempty"`
	Warm       int     `json:"warm,omitempty"`
	// Unverified: the file says that no certificate is verified.
	Unverified bool `json:"insecure_skip_verify,omitempty"`
	// Certificates says why changed files are not in use.
	Certificates string     `json:"certificate_problem,omitempty"`
	Lanes        []laneView `json:"to,omitempty"`
}

// laneView is the connections to one address.
type laneView struct {
	Address  string `json:"address"`
	Open     int    `json:"open"`
	Idle     int    `json:"idle"`
	Doubtful int    `json:"doubtful"` // silent since a request timed out
	InFlight int    `json:"in_flight"`
	Waiting  int    `json:"waiting"`
	Opened   uint64 `json:"opened"`
	Closed   uint64 `json:"closed"`
	Failed   uint64 `json:"failed"`
	Resent   uint64 `json:"resent"`  // never processed, and sent again
	Refused  uint64 `json:"refused"` // left without a connection
	Reused   uint64 `json:"reused"`
	Dead     uint64 `json:"found_dead"`
}

// poolOf is nil of a dependency that the proxy does not reach.
func poolOf(d *config.Dependency, s *seakeephttp.Snapshot) *poolView {
	if len(d.Endpoints) == 0 && d.Resolve == nil {
		return nil
	}
	c := d.Connections
	v := &poolView{Protocol: d.Protocol.String(), Max: c.Max, Idle: c.Idle, IdleTimeMS: millis(c.IdleTime),
		LifetimeMS: millis(c.Lifetime), Warm: c.Warm, Unverified: d.TLS != nil && d.TLS.Insecure,
		Certificates: s.Certificates}
	for _, l := range s.Connections {
		v.Lanes = append(v.Lanes, laneView{l.Scheme + "://" + l.Host, l.Open, l.Idle, l.Doubtful, l.InFlight,
			l.Waiting, l.Opened, l.Closed, l.Failed, l.Resent, l.Refused, l.Reused, l.Dead})
	}
	return v
}
