package connpool

import (
	"cmp"
	"slices"
)

// Counts are what a lane has done since it began.
type Counts struct {
	Opened  uint64 // connections
	Closed  uint64 // by either side
	Failed  uint64 // connections that did not come about
	Resent  uint64 // requests that went out again by themselves, as never processed
	Refused uint64 // requests that went away without a connection
	Reused  uint64 // requests on a connection that had carried another
	Dead    uint64 // idle connections that were found dead when looked at; net/http sees to its own
}

// Snapshot is the state of the connections to one address.
type Snapshot struct {
	Scheme, Host string // host:port
	Open         int    // connections
	Idle         int    // of them in nobody's use
	Doubtful     int    // of them silent since a request timed out
	InFlight     int    // requests on them
	Waiting      int    // requests that wait for one
	Counts
}

// Snapshot reads the state of all addresses, in their order.
func (p *Pool) Snapshot() []Snapshot {
	p.mu.Lock()
	lanes := p.all()
	p.mu.Unlock()
	all := make([]Snapshot, 0, len(lanes))
	for _, l := range lanes {
		l.mu.Lock()
		s := Snapshot{Scheme: l.to.scheme, Host: l.to.host, Open: len(l.all),
			Waiting: len(l.waiting), Counts: l.counts}
		for _, c := range l.all {
			n := c.load()
			if s.InFlight += n; n == 0 {
				s.Idle++
			}
			if c.silent() {
				s.Doubtful++
			}
		}
		l.leave()
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b Snapshot) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Scheme, b.Scheme))
	})
	return all
}
