//go:build unix

package proxy

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/seakeep/seakeep/core/balance"
	"github.com/seakeep/seakeep/seakeephttp"
)

// watch looks at the endpoints of dep all the time.
type watch struct {
	u    *under
	at   *seakeephttp.Transport
	wg   sync.WaitGroup
	stop chan struct{}
	once sync.Once

	found extremes // for after the end
}

// extremes are the most, or the least, that a watch has seen at a time.
type extremes struct {
	Samples, Ejected, Unhealthy, LeastUp, Panics, Admin int
	Ejections, Spared                                   uint64 // in all
}

func watchEndpoints(u *under) *watch {
	u.mu.Lock()
	w := &watch{u: u, at: u.transports["dep"], stop: make(chan struct{})}
	u.mu.Unlock()
	w.found.LeastUp = len(w.at.Snapshot().Endpoints)
	w.wg.Go(func() { w.every(2*time.Millisecond, w.sample) })
	w.wg.Go(func() { w.every(200*time.Millisecond, w.ask) })
	u.t.Cleanup(w.end)
	return w
}

func (w *watch) every(d time.Duration, look func()) {
	for tick := time.NewTicker(d); ; {
		select {
		case <-w.stop:
			tick.Stop()
			return
		case <-tick.C:
			look()
		}
	}
}

func (w *watch) end() {
	w.once.Do(func() { close(w.stop) })
	w.wg.Wait()
}

func (w *watch) sample() {
	s := w.at.Snapshot()
	ejected, unhealthy, up := 0, 0, 0
	for _, e := range s.Endpoints {
		if e.State&balance.Ejected != 0 {
			ejected++
		}
		if e.State&balance.Unhealthy != 0 {
			unhealthy++
		}
		if e.State == balance.Up {
			up++
		}
	}
	f := &w.found
	f.Samples++
	f.Ejected, f.Unhealthy, f.LeastUp = max(f.Ejected, ejected), max(f.Unhealthy, unhealthy), min(f.LeastUp, up)
	if s.Panic {
		f.Panics++
	}
}

// ask reads the same from the admin address, as others would.
func (w *watch) ask() {
	resp, err := plain.Get(w.u.url("admin", "/v1/dependencies/dep"))
	if err != nil {
		w.u.t.Error(err)
		return
	}
	defer resp.Body.Close()
	var v dependencyView
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
		w.u.t.Error(err)
		return
	}
	n := 0
	for _, e := range v.Endpoints {
		if strings.Contains(e.State, "ejected") {
			n++
		}
	}
	w.found.Admin = max(w.found.Admin, n)
}

// limited reports whether as many are ejected as may be, and one was spared
// because of that.
func (w *watch) limited() bool {
	ejected, spared := 0, uint64(0)
	for _, e := range w.at.Snapshot().Endpoints {
		if e.Outlier.Out {
			ejected++
		}
		spared += e.Outlier.Spared
	}
	return ejected == mostEjected && spared > 0
}

// judge is for after the end.
func (w *watch) judge() {
	f := &w.found
	for _, e := range w.at.Snapshot().Endpoints {
		f.Ejections += e.Outlier.Ejected
		f.Spared += e.Outlier.Spared
	}
	if f.Ejected != mostEjected || f.Admin > mostEjected {
		w.u.t.Errorf("%d were ejected at a time, %d by the admin address; the most, and reached, is %d",
			f.Ejected, f.Admin, mostEjected)
	}
	if f.Unhealthy > mostRemoved {
		w.u.t.Errorf("%d were unhealthy at a time; %d may be", f.Unhealthy, mostRemoved)
	}
	if f.Panics > 0 || f.Unhealthy == 0 {
		w.u.t.Errorf("panic, or none was ever unhealthy: %+v", *f)
	}
}

func (w *watch) inFlight() (n int) {
	for _, e := range w.at.Snapshot().Endpoints {
		n += e.InFlight
	}
	return n
}

// draining reports whether of these endpoints, by address, none takes any more.
func (w *watch) draining(these map[string]bool) bool {
	for _, e := range w.at.Snapshot().Endpoints {
		if these[strings.TrimPrefix(e.URL, "http://")] && e.State != balance.Draining {
			return false
		}
	}
	return true
}

// upAre reports whether these are all the endpoints, and up.
func (w *watch) upAre(these []*replica) bool {
	all := w.at.Snapshot().Endpoints
	for i, r := range these {
		if len(all) != len(these) || all[i].URL != "http://"+r.address || all[i].State != balance.Up {
			return false
		}
	}
	return true
}

// allUp reports whether every endpoint is used as before.
func (w *watch) allUp() bool {
	for _, e := range w.at.Snapshot().Endpoints {
		if e.State != balance.Up || e.Resting || e.Ramp != 1 {
			return false
		}
	}
	return true
}

func (w *watch) states() string {
	var b strings.Builder
	for _, e := range w.at.Snapshot().Endpoints {
		fmt.Fprintf(&b, "%s %v, resting %v, weight %v; ", e.URL, e.State, e.Resting, e.Ramp)
	}
	return b.String()
}
