package demo

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/seakeephttp"
)

// usersOf lets users ask a server that does as the handler says.
func usersOf(t *testing.T, h http.HandlerFunc) *users {
	t.Helper()
	s, err := live.Serve(h)
	if err != nil {
		t.Fatal(err)
	}
	u := newUsers(s.URL, newRecorder([]span{{-time.Hour, time.Hour}}))
	u.rec.clock.Start()
	t.Cleanup(func() {
		u.Wait()
		u.door.CloseIdleConnections()
		s.Stop()
	})
	return u
}

// F197 (coordinated omission): a generator that is late must not hide its
// lateness. The user meant to come 400 ms ago and has waited since.
func TestF197LatencyCountsFromThePlan(t *testing.T) {
	u := usersOf(t, func(http.ResponseWriter, *http.Request) {})
	const late = 400 * time.Millisecond
	u.come(arrival{u.rec.clock.Now() - late, 1})
	u.Wait()
	q := u.rec.of[1].latency.Snapshot()
	if q.Count != 1 || q.Max < late || q.Max > patience {
		t.Errorf("%d answered, after %v at most; want one after %v or a little more",
			q.Count, q.Max, late)
	}
	if got := time.Duration(u.rec.late.Load()); got < late {
		t.Errorf("the generator thinks it was %v late", got)
	}
}

func TestUsersGiveUpAfterTheirPatience(t *testing.T) {
	left := make(chan time.Duration, 1)
	u := usersOf(t, func(_ http.ResponseWriter, r *http.Request) {
		d, _, err := deadline.Read(r.Header.Get)
		if err != nil {
			t.Error(err)
		}
		left <- d
		<-r.Context().Done()
	})
	const late = 200 * time.Millisecond
	began := time.Now()
	u.come(arrival{u.rec.clock.Now() - late, 0})
	u.Wait()
	if waited := time.Since(began); waited > patience {
		t.Errorf("waited for %v more, want what was left of %v", waited, patience)
	}
	select {
	case d := <-left:
		if d <= 0 || d > patience-late+time.Millisecond {
			t.Errorf("told checkout of %v, want what was left", d)
		}
	default:
		t.Error("checkout was not asked")
	}
	if c := &u.rec.of[0].counted; c.failed.Load() != 1 || c.ok.Load() != 0 {
		t.Error("an answer that never came does not count as failed")
	}
}

func TestWhatCountsAsAnswered(t *testing.T) {
	u := usersOf(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/pricing":
			_, _ = io.WriteString(w, "fresh")
		case "/inventory":
			w.Header().Set(seakeephttp.FallbackHeader, "static")
		default:
			http.Error(w, "no", http.StatusServiceUnavailable)
		}
	})
	for i := range names {
		u.come(arrival{u.rec.clock.Now(), i})
	}
	u.Wait()
	for i, want := range [][3]uint64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} {
		c := &u.rec.of[i].counted
		if got := [3]uint64{c.ok.Load(), c.fallback.Load(), c.failed.Load()}; got != want {
			t.Errorf("%s: ok, fallback and failed are %v, want %v", names[i], got, want)
		}
		if n := u.rec.of[i].latency.Snapshot().Count; n != want[0]+want[1] {
			t.Errorf("%s: %d latencies, want those of answered requests only", names[i], n)
		}
	}
}

// A full generator must not wait: that would be a closed loop.
func TestFullGeneratorSkipsAndSaysSo(t *testing.T) {
	free := make(chan struct{})
	u := usersOf(t, func(http.ResponseWriter, *http.Request) { <-free })
	for range live.MaxOutstanding - 2 {
		u.Come(0, func() { <-free }, nil)
	}
	for range 5 {
		u.come(arrival{u.rec.clock.Now(), 0})
	}
	c := &u.rec.of[0].counted
	if c.sent.Load() != 5 || c.failed.Load() != 3 || u.rec.skipped.Load() != 3 {
		t.Errorf("of %d requests %d were skipped", c.sent.Load(), u.rec.skipped.Load())
	}
	close(free)
	u.Wait()
	if c.ok.Load() != 2 {
		t.Errorf("%d answered, want the two that were under way", c.ok.Load())
	}
}

// The requests are those of the schedule within the run, and no others.
func TestRunFollowsTheSchedule(t *testing.T) {
	u := usersOf(t, func(http.ResponseWriter, *http.Request) {})
	const run = 300 * time.Millisecond
	want := [len(names)]uint64{}
	for s := newSchedule(200, 3); ; {
		a := s.arrival()
		if a.at >= run {
			break
		}
		want[a.endpoint]++
	}
	if ran := u.run(context.Background(), newSchedule(200, 3), run); ran != run {
		t.Errorf("ran for %v", ran)
	}
	for i, n := range want {
		if got := u.rec.of[i].whole.sent.Load(); got != n {
			t.Errorf("%d requests of endpoint %d, want %d", got, i, n)
		}
	}
}
