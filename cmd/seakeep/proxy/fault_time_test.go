package proxy

import (
	"net/http"
	"sync"
	"testing"
	"time"
)

// visitors send requests one after the other, and note when and whether each
// was hurt.
type visitors struct {
	u    *under
	wg   sync.WaitGroup
	stop chan struct{}

	mu    sync.Mutex
	notes []note
}

type note struct {
	began, ended time.Time
	hurt         bool
}

func (u *under) visit(many int) *visitors {
	v := &visitors{u: u, stop: make(chan struct{})}
	for range many {
		v.wg.Go(func() {
			client := &http.Client{Timeout: patience, Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for {
				select {
				case <-v.stop:
					return
				case <-time.After(time.Millisecond):
				}
				req, _ := http.NewRequest("GET", u.url("dep", "/"), nil)
				n := note{began: time.Now()}
				by, _ := u.hurtBy(client, req)
				n.hurt, n.ended = by != "", time.Now()
				v.mu.Lock()
				v.notes = append(v.notes, n)
				v.mu.Unlock()
			}
		})
	}
	return v
}

// check finds those who came after from and left before to, and were not hurt
// as they should have been. It is for after the end.
func (v *visitors) check(what string, from, to time.Time, hurt bool) {
	n := 0
	for _, x := range v.notes {
		if x.began.After(from) && x.ended.Before(to) {
			if n++; x.hurt != hurt {
				v.u.t.Errorf("%s: hurt is %v, %v after it began", what, x.hurt, x.began.Sub(from))
			}
		}
	}
	if n == 0 {
		v.u.t.Errorf("%s: nobody came", what)
	}
}

// TestFaultsActInTime: under load, whoever comes after an order is answered is
// hurt, and nobody before; a fault of 300ms is over after 300ms, and one that is
// stopped by hand when that is answered.
func TestFaultsActInTime(t *testing.T) {
	const span = 300 * time.Millisecond
	u := startSeeded(t, policy(program(t, func(http.ResponseWriter, *http.Request) {}), "faults: {allow: true, share: 100%}"))
	v := u.visit(4)
	pass := func() { time.Sleep(acts) }
	ask := func(order func()) (asked, answered time.Time) {
		pass()
		asked = time.Now()
		order()
		answered = time.Now()
		if took := answered.Sub(asked); took > acts {
			t.Errorf("the order is answered after %v", took)
		}
		return asked, answered
	}
	began := time.Now()
	asked1, runs1 := ask(func() { u.inject("dep", `{"name": "short", "kind": "error", "share": "100%", "for": "300ms"}`) })
	time.Sleep(span)
	ask(func() {})
	asked2, runs2 := ask(func() { u.inject("dep", `{"name": "long", "kind": "error", "share": "100%"}`) })
	asked3, over := ask(func() { u.halt("/long") })
	pass()
	end := time.Now()
	close(v.stop)
	v.wg.Wait()
	v.check("before", began, asked1, false)
	v.check("short", runs1, asked1.Add(span), true)
	v.check("after short", runs1.Add(span+acts), asked2, false)
	v.check("long", runs2, asked3, true)
	v.check("after long", over, end, false)
	t.Logf("%d requests; ordered in %v and %v, stopped in %v", len(v.notes), runs1.Sub(asked1), runs2.Sub(asked2),
		over.Sub(asked3))
}
