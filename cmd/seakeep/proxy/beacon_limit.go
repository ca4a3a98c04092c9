package proxy

import (
	"math"
	"net"
	"net/netip"
	"sync"
	"time"
)

const (
	// beaconBurst is how many seconds of its rate may come at once, after none
	// came for as long.
	beaconBurst = 10
	// mostBeaconClients is how many clients are told apart. When all of them have
	// sent beacons lately, newcomers share what one client has.
	mostBeaconClients = 10_000
)

// beaconLimit bounds beacons at the door, where anybody may send them: those of
// each client, so that one that lies cannot speak for all, and those of all
// together. It takes a token bucket for each.
type beaconLimit struct {
	mu             sync.Mutex
	all            bucket
	clients        map[string]*bucket
	shared         bucket // of clients that are not told apart
	swept          time.Time
	taken, refused uint64
}

// admit reports whether a beacon may be taken, and after how long to come again
// if not. Rates are in beacons a second.
func (l *beaconLimit) admit(now time.Time, client string, all, each float64) (wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	own := l.of(now, client, each)
	wait = max(own.wait(now, each), l.all.wait(now, all))
	if wait > 0 {
		l.refused++
		return wait, false
	}
	own.left--
	l.all.left--
	l.taken++
	return 0, true
}

// of is the bucket of a client.
func (l *beaconLimit) of(now time.Time, client string, each float64) *bucket {
	if b := l.clients[client]; b != nil {
		return b
	}
	if len(l.clients) >= mostBeaconClients && now.Sub(l.swept) >= time.Second {
		l.swept = now
		for name, b := range l.clients { // who has waited long enough is as a newcomer
			if b.fill(now, each); b.left >= most(each) {
				delete(l.clients, name)
			}
		}
	}
	if len(l.clients) >= mostBeaconClients {
		return &l.shared
	}
	if l.clients == nil {
		l.clients = map[string]*bucket{}
	}
	b := &bucket{}
	l.clients[client] = b
	return b
}

func (l *beaconLimit) counts() (taken, refused uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken, l.refused
}

// bucket holds what may come at once. The zero value is full.
type bucket struct {
	left float64
	at   time.Time // of the last look
}

// most is what a bucket of a rate holds.
func most(rate float64) float64 { return math.Max(1, rate*beaconBurst) }

func (b *bucket) fill(now time.Time, rate float64) {
	switch {
	case b.at.IsZero():
		b.left, b.at = most(rate), now
	case now.After(b.at):
		b.left, b.at = math.Min(b.left+now.Sub(b.at).Seconds()*rate, most(rate)), now
	}
}

// wait is how long it takes until there is one; 0: there is.
func (b *bucket) wait(now time.Time, rate float64) time.Duration {
	if b.fill(now, rate); b.left >= 1 {
		return 0
	}
	return max(time.Duration((1-b.left)/rate*float64(time.Second)), 1)
}

// clientOf is who sent a request, as far as beacons are bounded by it: an address,
// or of IPv6 the network that one household has.
func clientOf(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	a, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if a = a.Unmap().WithZone(""); a.Is4() {
		return a.String()
	}
	return netip.PrefixFrom(a, 64).Masked().String()
}
