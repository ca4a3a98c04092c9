//go:build unix

package proxy

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// chaos is replicas, and what happens to them. All draws are made by one
// goroutine.
type chaos struct {
	t        *testing.T
	rand     *rand.Rand
	replicas []*replica
	wg       sync.WaitGroup
	once     sync.Once      // closes enough
	did      map[string]int // by kind
	enough   chan struct{}  // closed: all are mended at once

	mu   sync.Mutex
	hurt map[int]bool // now
	bad  []spell
}

// spell is a time in which a replica did not answer, or not well. Who was with
// it hears of that a moment later.
type spell struct {
	who      int
	from, to time.Time // to: zero while it lasts
}

func newChaos(t *testing.T, seed uint64) *chaos {
	c := &chaos{t: t, rand: rand.New(rand.NewPCG(seed, 1)), did: map[string]int{}, hurt: map[int]bool{},
		enough: make(chan struct{})}
	for i := range replicas {
		// Addresses that connections do not come from, so that nobody takes a
		// port while its replica is dead.
		c.replicas = append(c.replicas, newReplica(t, freeAddress(t, fmt.Sprintf("127.0.1.%d", i+1))))
	}
	t.Cleanup(c.mend)
	return c
}

func (c *chaos) endpoints() string {
	var all []string
	for _, r := range c.replicas {
		all = append(all, "http://"+r.address)
	}
	return strings.Join(all, ", ")
}

// between draws a time.
func (c *chaos) between(least, most int) time.Duration {
	return time.Duration(least+c.rand.IntN(most-least+1)) * time.Millisecond
}

// What is done to replicas.
const (
	killed = "killed"
	paused = "paused"
	slowed = "slowed"
	ill    = "ill"
)

var harms = []string{killed, paused, slowed, ill}

// strike hurts a replica for a while, unless as many as may be are hurt.
func (c *chaos) strike() {
	who, kind := c.rand.IntN(len(c.replicas)), harms[c.rand.IntN(len(harms))]
	last, slow := c.between(200, 3000), c.between(50, 500)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.hurt) < badAtOnce && !c.hurt[who] {
		c.do(who, kind, last, slow)
	}
}

// begin hurts one replica in each way, for long enough to be noticed.
func (c *chaos) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for who, kind := range harms {
		c.do(who, kind, 3*time.Second, 300*time.Millisecond)
	}
}

// epidemic makes as many ill at once as a request can cope with, which is more
// than may be ejected, until they are mended.
func (c *chaos) epidemic() {
	c.wg.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	for who := range attempts - 1 {
		c.do(who, ill, time.Hour, 0)
	}
}

// mend makes all replicas well.
func (c *chaos) mend() {
	c.once.Do(func() { close(c.enough) })
	c.wg.Wait()
}

// do hurts a replica and mends it after a time. The caller holds the lock.
func (c *chaos) do(who int, name string, last, slow time.Duration) {
	r := c.replicas[who]
	var harm, mend func() error
	switch name {
	case killed:
		harm, mend = func() error { r.kill(); return nil }, r.start
	case paused:
		harm = func() error { return r.cmd.Process.Signal(syscall.SIGSTOP) }
		mend = func() error { return r.cmd.Process.Signal(syscall.SIGCONT) }
	case slowed:
		harm, mend = func() error { return r.order(slow.String()) }, func() error { return r.order("0s") }
	case ill:
		harm, mend = func() error { return r.order("ill") }, func() error { return r.order("well") }
	}
	c.did[name]++
	c.hurt[who] = true
	if name != slowed { // that is no reason to fail
		c.bad = append(c.bad, spell{who: who, from: time.Now()})
	}
	c.wg.Go(func() {
		err := harm()
		select {
		case <-time.After(last):
		case <-c.enough:
		}
		if err == nil {
			err = mend()
		}
		if err != nil {
			c.t.Errorf("replica %d, %s: %v", who, name, err)
		}
		c.mended(who)
	})
}

func (c *chaos) mended(who int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.hurt, who)
	for i := range c.bad {
		if s := &c.bad[i]; s.who == who && s.to.IsZero() {
			s.to = time.Now()
		}
	}
}

// judge finds those lost requests that need not have been. It is for after the
// end.
func (c *chaos) judge(b *barrage) {
	if attempts*attemptLimit >= callLimit {
		c.t.Error("the total is too short for all attempts")
	}
	for _, l := range b.lost {
		if n := c.badDuring(l); n < attempts {
			c.t.Errorf("lost after %v, with %d of %d replicas bad in its time: %s", l.ended.Sub(l.began), n,
				len(c.replicas), l.what)
		}
	}
}

// badDuring counts the replicas that were bad at any time of a request.
func (c *chaos) badDuring(l loss) int {
	const hear = 50 * time.Millisecond
	who := map[int]bool{}
	for _, s := range c.bad {
		if l.began.Before(s.to.Add(hear)) && l.ended.After(s.from) {
			who[s.who] = true
		}
	}
	return len(who)
}

// children returns the processes that this one has started and not waited for.
func children(t *testing.T) (found []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(text[strings.LastIndexByte(string(text), ')')+1:]), " ")
		if f := strings.Fields(rest); len(f) > 1 && f[1] == strconv.Itoa(os.Getpid()) {
			found = append(found, string(text))
		}
	}
	if len(all) == 0 {
		t.Log("there is no /proc to look for zombies in")
	}
	return found
}
