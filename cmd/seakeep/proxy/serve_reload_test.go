package proxy

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// shapes are what a reload may turn one door into.
var shapes = []string{
	"concurrency: {algorithm: fixed, limit: 4}\nqueue: {length: 4, wait: 50ms}",
	"concurrency: {algorithm: aimd, min: 1, max: 8, limit: 4}\nqueue: {length: 2, wait: 20ms, discipline: fifo}\n" +
		"tenants: {header: X-Tenant, limit: 2, keys: 2}\nshed: {}",
	"deadline: {default: 1s}",
	"concurrency: {algorithm: fixed, limit: 2}\ntenants: {header: X-Tenant, limit: 1}\nrecovery: {}\ndegrade: [a, b]",
	"concurrency: {max: 50}\nqueue: {length: 9}\nidempotency: {}\nshed: {target: 1ms, scheduler: 1ms}\ndegrade: [a]",
	"concurrency: {algorithm: fixed, limit: 3, mode: observe}\ntenants: {header: X-Tenant, limit: 1}\nrecovery: {windows: 3}",
}

// Files come and go while requests run: nothing panics, and no slot is lost.
func TestServeReloadStorm(t *testing.T) {
	up := program(t, func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(time.Millisecond)
		_, _ = io.WriteString(w, "ok")
	})
	u := start(t, door(up, shapes[0]))
	var all sync.WaitGroup
	var stop atomic.Bool
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}, Timeout: patience}
	defer client.CloseIdleConnections()
	address := u.url(serveName, "/")
	var served, refused atomic.Int64
	for n := range 8 {
		all.Go(func() {
			for i := 0; !stop.Load(); i++ {
				r, _ := http.NewRequest("POST", address, strings.NewReader("body"))
				r.Header.Set("X-Tenant", fmt.Sprint(i%4))
				if n%2 == 0 {
					r.Header.Set("Idempotency-Key", fmt.Sprintf(`"%d-%d"`, n, i))
				}
				switch status := statusOf(t, client, r); status {
				case 200:
					served.Add(1)
				case 429, 503:
					refused.Add(1)
				default:
					t.Errorf("%d", status)
					return
				}
			}
		})
	}
	for i := range 60 {
		u.write(door(up, shapes[i*5%len(shapes)]))
		if err := u.Reload(); err != nil {
			t.Error(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	stop.Store(true)
	all.Wait()
	u.write(door(up, shapes[1]))
	if err := u.Reload(); err != nil {
		t.Error(err)
	}
	u.idle()
	sum := uint64(0)
	for name, c := range u.door().Classes {
		if c.Offered != c.Admitted+c.Refused+c.Left {
			t.Errorf("%s: %+v", name, c)
		}
		sum += c.Offered
	}
	if served.Load() == 0 || refused.Load() == 0 || sum != uint64(served.Load()+refused.Load()) {
		t.Errorf("%d served, %d refused, %d at the door", served.Load(), refused.Load(), sum)
	}
	if resp, _ := u.knock("GET", "/", ""); resp.StatusCode != 200 {
		t.Errorf("afterwards %d", resp.StatusCode)
	}
}

func statusOf(t *testing.T, client *http.Client, r *http.Request) int {
	resp, err := client.Do(r)
	if err != nil {
		t.Error(err)
		return 0
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode
}

// A listener that cannot be had refuses the whole file.
func TestServeReloadToATakenPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	up := program(t, func(http.ResponseWriter, *http.Request) {})
	u := start(t, door(up, "concurrency: {algorithm: fixed, limit: 3}"))
	u.write(strings.Replace(door(up, "concurrency: {algorithm: fixed, limit: 9}"), "listen: 127.0.0.1:0\n  up",
		"listen: "+l.Addr().String()+"\n  up", 1))
	if err := u.Reload(); err == nil || !strings.Contains(err.Error(), "listen for serve") {
		t.Errorf("it says %v", err)
	}
	if resp, _ := u.knock("GET", "/", ""); resp.StatusCode != 200 || u.door().Limit.Limit != 3 {
		t.Errorf("%d, limit %d", resp.StatusCode, u.door().Limit.Limit)
	}
}

// Who waits when the proxy is told to end is still served.
func TestServeDrainServesTheQueue(t *testing.T) {
	hold := make(chan struct{})
	up := program(t, func(w http.ResponseWriter, _ *http.Request) {
		<-hold
		_, _ = io.WriteString(w, "served")
	})
	u := start(t, door(up, "concurrency: {algorithm: fixed, limit: 1}\nqueue: {length: 5, wait: 1h, target: 1h, interval: 2h}"))
	release := sync.OnceFunc(func() { close(hold) })
	t.Cleanup(release)
	var all sync.WaitGroup
	for n := range 3 {
		all.Go(func() {
			if resp, body := u.knock("GET", "/", ""); resp.StatusCode != 200 || body != "served" {
				t.Errorf("%d %q", resp.StatusCode, body)
			}
		})
		until(t, "it is there", func() bool { v := u.door(); return v.Limit.InFlight+v.Queue.Queued == n+1 })
	}
	address := u.Addr(serveName).String()
	u.stop()
	until(t, "nobody is let in any more", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	})
	release()
	all.Wait()
	if err := u.wait(); err != nil {
		t.Error(err)
	}
	u.idle()
}

// Who still waits when the grace is over is cut off, and nothing hangs.
func TestServeDrainEndsTheQueue(t *testing.T) {
	up := program(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	u := startWith(t, door(up, "concurrency: {algorithm: fixed, limit: 1}\nqueue: {length: 5, wait: 1h}"),
		Options{Grace: 50 * time.Millisecond})
	var all sync.WaitGroup
	for n := range 3 {
		all.Go(func() {
			if resp, err := plain.Get(u.url(serveName, "/")); err == nil {
				_ = resp.Body.Close()
				if resp.StatusCode == 200 {
					t.Error("cut off, and told 200")
				}
			}
		})
		until(t, "it is there", func() bool { v := u.door(); return v.Limit.InFlight+v.Queue.Queued == n+1 })
	}
	u.stop()
	if err := u.wait(); err != nil {
		t.Error(err)
	}
	all.Wait()
	u.idle()
}
