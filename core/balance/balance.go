package balance

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Balancer shares attempts among a fixed number of endpoints, known by their
// index. It is safe for concurrent use; make it with New. When the endpoints
// change, make a new one: nothing is carried over to an endpoint that merely
// has the index of an old one.
type Balancer struct {
	mu     sync.Mutex
	latest core.Instant
	m      machine
}

// New returns a balancer for n endpoints that are all thought to be up. It
// panics unless n is 0 to 64.
func New(n int) *Balancer {
	if n < 0 || n > maxEndpoints {
		panic(fmt.Sprintf("balance: New with %d endpoints; it takes 0 to %d", n, maxEndpoints))
	}
	return &Balancer{latest: math.MinInt64, m: newMachine(n)}
}

// Pick chooses the endpoint of the next attempt. Bit i of tried means that this
// call has been at endpoint i before; such are avoided while another is up. ok
// is false only if there are no endpoints at all. Each Pick whose attempt is
// made must be followed by a Report.
func (b *Balancer) Pick(now core.Instant, tried uint64) (i int, ok bool) {
	b.lock(now)
	i, ok = b.m.pick(b.latest, tried)
	b.mu.Unlock()
	return i, ok
}

// Report says how an attempt at endpoint i went. reached is false only if no
// connection could be made or it broke before an answer: an error answer comes
// from an endpoint that is there. An attempt that its caller gave up says
// nothing; do not report it. Report panics if there is no endpoint i.
func (b *Balancer) Report(now core.Instant, i int, reached bool) {
	if i < 0 || i >= len(b.m.peers) {
		panic(fmt.Sprintf("balance: Report of endpoint %d of %d", i, len(b.m.peers)))
	}
	b.lock(now)
	b.m.report(b.latest, i, reached)
	b.mu.Unlock()
}

// Endpoint is one endpoint's state.
type Endpoint struct {
	Picked   uint64        // attempts sent to it
	Resting  bool          // it could not be reached
	Failures int           // times in a row that it could not
	Trial    time.Duration // resting: time until an attempt may be sent to it
}

// Snapshot returns the state of all endpoints, in their order.
func (b *Balancer) Snapshot(now core.Instant) []Endpoint {
	b.lock(now)
	defer b.mu.Unlock()
	out := make([]Endpoint, len(b.m.peers))
	for i := range out {
		p := &b.m.peers[i]
		out[i] = Endpoint{Picked: p.picked, Failures: int(p.failures)}
		if b.m.resting>>i&1 != 0 {
			out[i].Resting = true
			out[i].Trial = max(0, p.until.Sub(b.latest))
		}
	}
	return out
}

// lock locks and keeps the latest now, so that the machine never sees time go
// back although goroutines read the clock before they queue for the lock.
func (b *Balancer) lock(now core.Instant) {
	b.mu.Lock()
	if now > b.latest {
		b.latest = now
	}
}
