//go:build unix

package proxy

import (
	"flag"
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"time"
)

var (
	chaosTime = flag.Duration("chaos", 5*time.Second, "how long the chaos test hurts replicas")
	chaosSeed = flag.Uint64("chaos-seed", 1, "whom it hurts, how and for how long")
)

// The numbers of the chaos test. With less than attempts replicas bad in its
// time, a request meets a good one at its last attempt at the latest: each is at
// another endpoint. By then it has had a request limit for each attempt, which
// together is less than the total.
const (
	replicas     = 20
	badAtOnce    = 4
	attempts     = 6
	attemptLimit = time.Second
	callLimit    = 7 * time.Second
	mostEjected  = 3 // 15 % of 20
	mostRemoved  = 4 // 20 % of 20
)

func chaosPolicy(endpoints string) string {
	return policy(endpoints,
		fmt.Sprintf("timeout: {connect: 500ms, request: %v, total: %v}", attemptLimit, callLimit),
		fmt.Sprintf("retry: {attempts: %d, backoff: {base: 1ms, cap: 20ms}, budget: {ratio: 20%%, floor: 10/s}}", attempts),
		"breaker: {window: 10s, calls: 50, failures: 50%}",
		"bulkhead: {limit: 200}",
		"hedge: {after: 50ms, budget: 5%}",
		"balance: {slow-start: 1s}",
		"outlier: {interval: 1s, consecutive: 3, latency: {factor: 5, requests: 5}, base: 1s, cap: 3s, max-ejected: 15%}",
		"health: {interval: 1s, timeout: 500ms, unhealthy: 2, max-removed: 20%}")
}

// backWithin is by when all replicas are in use again once nothing is wrong any more.
const backWithin = 30 * time.Second

// TestChaos: real replicas are killed, restarted, paused, slowed and made ill at
// random under load. No request that may be repeated fails, unless so many
// replicas were bad in its time that each of its attempts may have met one; no
// more are ejected than the file says, at any time; and in the end everything
// is as it was. Five minutes of it: -run TestChaos -chaos 5m
func TestChaos(t *testing.T) {
	before := runtime.NumGoroutine()
	c := newChaos(t, *chaosSeed)
	u := start(t, chaosPolicy(c.endpoints()))
	w := watchEndpoints(u)
	b := startBarrage(u, 200, func(n int) *http.Request { return u.request(n, "") })
	until(t, "answers", func() bool { return b.count() > 100 })
	c.begin()
	for end := time.Now().Add(*chaosTime); time.Now().Before(end); {
		c.strike()
		time.Sleep(c.between(50, 250))
	}
	c.epidemic()
	until(t, "the limit of ejections to hold", w.limited)
	c.mend()
	mended := time.Now()
	for !w.allUp() {
		if time.Since(mended) > backWithin {
			t.Fatalf("not back: %s", w.states())
		}
		time.Sleep(10 * time.Millisecond)
	}
	back := time.Since(mended)
	b.end()
	w.end()
	c.judge(b)
	w.judge()
	until(t, "nothing in flight", func() bool { return w.inFlight() == 0 })
	if s := u.set.MustPolicy("dep").Snapshot(); s.Bulkhead.InUse != 0 || s.Bulkhead.Peak == 0 {
		t.Errorf("slots: %+v", s.Bulkhead)
	} else {
		t.Logf("retries %d, %+v, most slots in use %d", s.Stats.Retries, s.Hedge.Counts, s.Bulkhead.Peak)
	}
	t.Logf("seed %d, %v: %d requests, %v; lost %d; p50 %v, p99 %v, p99.9 %v, worst %v", *chaosSeed, *chaosTime,
		len(b.all), c.did, len(b.lost), b.quantile(0.5), b.quantile(0.99), b.quantile(0.999), b.quantile(1))
	t.Logf("%+v; all up %v after the last one was mended", w.found, back.Round(time.Millisecond))
	u.stop()
	if err := u.wait(); err != nil {
		t.Errorf("Run returns %v", err)
	}
	for _, r := range c.replicas {
		r.kill()
	}
	until(t, "its goroutines to end", func() bool { return runtime.NumGoroutine() <= before })
	if left := children(t); len(left) > 0 {
		t.Errorf("processes left: %v", left)
	}
}
