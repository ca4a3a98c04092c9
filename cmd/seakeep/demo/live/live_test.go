package live

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Clock
		if c.Started() || c.Now() >= 0 {
			t.Error("it runs before it is started")
		}
		c.Start()
		time.Sleep(3 * time.Second)
		if now := c.Now(); !c.Started() || now != 3*time.Second {
			t.Errorf("it is %v, want 3s", now)
		}
		if at := c.Since(c.Instant(5 * time.Second)); at != 5*time.Second {
			t.Errorf("the inverse of 5s is %v", at)
		}
		if in := time.Until(c.Time(5 * time.Second)); in != 2*time.Second {
			t.Errorf("5s is in %v, want 2s", in)
		}
	})
}

func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		began := time.Now()
		if !Pause(ctx, 600*time.Millisecond) || Pause(ctx, 600*time.Millisecond) {
			t.Error("it says that somebody left who did not, or the other way round")
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("took %v", took)
		}
	})
}

// The same seed brings the same arrivals, at the rate, however they are met.
func TestArrivals(t *testing.T) {
	a, b := NewArrivals(100, 1), NewArrivals(100, 1)
	var last time.Duration
	for range 10_000 {
		at := a.Next()
		if at < last || b.Next() != at {
			t.Fatalf("%v after %v", at, last)
		}
		last = at
	}
	if rate := 10_000 / last.Seconds(); rate < 97 || rate > 103 {
		t.Errorf("%.1f/s come", rate)
	}
	if NewArrivals(100, 2).Next() == NewArrivals(100, 1).Next() {
		t.Error("another seed brings the same")
	}
}

// Users come at their planned moments until the end, or until somebody ends it.
func TestCome(t *testing.T) {
	for until, want := range map[time.Duration]int{3500 * time.Millisecond: 3, 3 * time.Second: 2,
		time.Hour: 5} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), 5500*time.Millisecond)
			defer stop()
			var c Clock
			c.Start()
			at, came := time.Duration(0), 0
			ran := Come(ctx, &c, until, func() (time.Duration, func()) {
				at += time.Second
				return at, func() {
					if came++; c.Now() != at {
						t.Errorf("comes at %v, not %v", c.Now(), at)
					}
				}
			})
			if came != want || ran != min(until, 5500*time.Millisecond) {
				t.Errorf("until %v %d came, and it ran %v", until, came, ran)
			}
		})
	}
}

func TestServer(t *testing.T) {
	s, err := Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "here")
	}))
	if err != nil {
		t.Fatal(err)
	}
	var door http.Transport
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := door.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if string(body) != "here" || err != nil {
		t.Errorf("%q, %v", body, err)
	}
	door.CloseIdleConnections()
	s.Stop()
	if _, err := door.RoundTrip(req); err == nil {
		t.Error("it answers after it has stopped")
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{time.Minute: "1m", time.Hour: "1h",
		90 * time.Second: "1m30s", 1500 * time.Millisecond: "1.5s", 0: "0s", 10 * time.Minute: "10m"} {
		if got := Short(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

// 100 % must mean all, and 0 % none.
func TestPercent(t *testing.T) {
	for _, tc := range [][3]uint64{{0, 0, 0}, {0, 5, 0}, {5, 5, 100}, {9999, 10000, 99},
		{1, 10000, 1}, {1, 2, 50}, {2, 3, 67}} {
		if got := Percent(tc[0], tc[1]); got != int(tc[2]) {
			t.Errorf("%d of %d is %d%%, want %d%%", tc[0], tc[1], got, tc[2])
		}
	}
}

func TestRound(t *testing.T) {
	if x := Round(1.25, 1); x != 1.3 || Round(1234.5, 0) != 1235 || Round(0.123456, 3) != 0.123 {
		t.Errorf("%v", x)
	}
}
