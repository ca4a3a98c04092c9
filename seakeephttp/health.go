package seakeephttp

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"sync"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/health"
)

// checks asks a transport's endpoints whether they are well. Each check runs on
// a goroutine of its own that ends with it: one at a time for each endpoint.
type checks struct {
	care    *care
	monitor *health.Monitor
	stop    context.CancelFunc
	ctx     context.Context // ended: no checks any more
	running sync.WaitGroup

	cfg   config.Health // under care.mu, as all that follows
	asker asker         // asks as cfg says
	last  [64]error     // by endpoint: of its last check; nil: it has passed

	protocol config.Protocol // that the asker speaks
}

// asker asks one endpoint. No error means that it is well.
type asker interface {
	ask(ctx context.Context, to *endpoint) error
	close()
}

// useHealth brings the checks up to date with a pool. The caller holds c.mu.
func (c *care) useHealth(p *pool, now core.Instant, all, fresh uint64) {
	cfg := p.config.Health
	if cfg == nil {
		c.marks[byHealth].out = 0
		if c.checks != nil {
			k := c.checks
			c.checks = nil
			go k.close() // it waits for checks, which may wait for c.mu
		}
		return
	}
	settings := cfg.Config
	if c.checks == nil {
		settings.Seed = rand.Uint64()
		m, _ := health.New(settings) // the file was checked
		k := &checks{care: c, monitor: m, cfg: *cfg, asker: newAsker(p.of, cfg), protocol: p.config.Protocol}
		k.ctx, k.stop = context.WithCancel(context.Background())
		c.checks = k
	} else if k := c.checks; !reflect.DeepEqual(&k.cfg, cfg) || k.protocol != p.config.Protocol {
		k.asker.close()
		k.asker = newAsker(p.of, cfg)
		_ = k.monitor.Reconfigure(now, settings)
		k.cfg, k.protocol = *cfg, p.config.Protocol
	}
	c.checks.monitor.Use(now, all&^fresh)
	c.checks.monitor.Use(now, all)
	c.marks[byHealth].pretend = cfg.Observe
}

// sweep starts the checks that are due, and returns when to come again. The
// caller holds care.mu.
func (k *checks) sweep(now core.Instant) core.Instant {
	start, next := k.monitor.Sweep(now)
	for ; start != 0; start &= start - 1 {
		i := bits.TrailingZeros64(start)
		to := k.care.pool.dir.at[i].Load()
		k.running.Add(1)
		go k.check(i, to, k.asker, k.cfg.Timeout)
	}
	return next
}

// check asks one endpoint, and reports what it has found.
func (k *checks) check(i int, to *endpoint, by asker, limit time.Duration) {
	defer k.running.Done()
	ctx, cancel := context.WithTimeout(k.ctx, limit)
	err := by.ask(ctx, to)
	cancel()
	if k.ctx.Err() != nil {
		return
	}
	c := k.care
	c.mu.Lock()
	if c.checks != k {
		c.mu.Unlock()
		return
	}
	now := seakeep.Now()
	if c.pool.dir.at[i].Load().is(to) { // or another one has its index now
		k.last[i] = err
		before := k.monitor.Snapshot()[i].Verdict
		k.monitor.Report(now, i, err == nil)
		d := c.detector.Load()
		if d != nil && before == health.Unhealthy && k.monitor.Snapshot()[i].Verdict == health.Healthy {
			d.Restarted(now, i)
		}
	}
	c.mu.Unlock()
	c.tend()
}

// is reports whether this is the same endpoint: a new answer of DNS makes new
// values of those that stay.
func (e *endpoint) is(other *endpoint) bool {
	return e != nil && other != nil && e.name == other.name
}

// why says what is wrong with an endpoint.
func (k *checks) why(i int) string {
	if err := k.last[i]; err != nil {
		return "health: " + err.Error()
	}
	return "health"
}

// close ends all checks and waits for them.
func (k *checks) close() {
	k.stop()
	k.running.Wait()
	k.asker.close()
}
