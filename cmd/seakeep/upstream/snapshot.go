package upstream

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/seakeep/seakeep/internal/connpool"
)

// counts are what a server's pool has done.
type counts struct {
	opened, closed, failed, resent, refused, reused, dead atomic.Uint64
}

// Snapshot reads the state of all servers, in the order of their addresses. What
// the fallback does is not in it.
func (t *Transport) Snapshot() []connpool.Snapshot {
	t.mu.RLock()
	hosts := make([]*host, 0, len(t.hosts))
	for _, h := range t.hosts {
		hosts = append(hosts, h)
	}
	t.mu.RUnlock()
	all := make([]connpool.Snapshot, 0, len(hosts))
	for _, h := range hosts {
		all = append(all, h.snapshot())
	}
	slices.SortFunc(all, func(a, b connpool.Snapshot) int { return cmp.Compare(a.Host, b.Host) })
	return all
}

func (h *host) snapshot() connpool.Snapshot {
	c := &h.counts
	s := connpool.Snapshot{Scheme: "http", Host: h.address, Counts: connpool.Counts{
		Opened: c.opened.Load(), Closed: c.closed.Load(), Failed: c.failed.Load(), Resent: c.resent.Load(),
		Refused: c.refused.Load(), Reused: c.reused.Load(), Dead: c.dead.Load()}}
	h.mu.Lock()
	defer h.mu.Unlock()
	s.Open, s.Idle, s.Waiting = h.open-h.dialing, len(h.idle), len(h.waiting)
	s.InFlight = s.Open - s.Idle
	return s
}
