package demo

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

func dependencyWith(slow ...Slow) *dependency {
	o := Defaults(time.Minute)
	o.Slow = slow
	rec := newRecorder(spans(slow, o.For))
	rec.clock.Start()
	return newDependency(0, o, rec)
}

// took is how long the dependency takes for one request.
func took(ctx context.Context, d *dependency) time.Duration {
	began := time.Now()
	d.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/", nil))
	return time.Since(began)
}

// models.md 1.5: a floor of 5 ms and an exponential; with a mean of 20 ms the
// 99th percentile is 74.1 ms.
func TestLatencyIsAFloorAndAnExponential(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := dependencyWith()
		const n = 20_000
		var sum time.Duration
		late := 0
		for range n {
			l := took(t.Context(), d)
			if l < floor {
				t.Fatalf("answered after %v", l)
			}
			sum += l
			if l > 74100*time.Microsecond {
				late++
			}
		}
		if mean := sum / n; mean < 19500*time.Microsecond || mean > 20500*time.Microsecond {
			t.Errorf("the mean is %v", mean)
		}
		if share := float64(late) / n; share < 0.008 || share > 0.012 {
			t.Errorf("%.2f%% take longer than the 99th percentile", share*100)
		}
	})
}

func TestSlowWindows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := dependencyWith(
			Slow{"pricing", Late, 10 * time.Second, time.Second, time.Second},
			Slow{"pricing", Silent, 0, 5 * time.Second, time.Second},
			Slow{"inventory", Down, 0, 0, time.Minute}) // not this one's
		if l := took(t.Context(), d); l > time.Second {
			t.Errorf("before: %v", l)
		}
		time.Sleep(time.Second + time.Second/2 - d.rec.clock.Now())
		var sum time.Duration
		done := make(chan time.Duration)
		for range 1000 { // all of them come within the window
			go func() { done <- took(t.Context(), d) }()
		}
		for range 1000 {
			sum += <-done
		}
		if mean := sum / 1000; mean < 9*time.Second || mean > 11*time.Second {
			t.Errorf("the mean while slow is %v", mean)
		}
		if l := took(t.Context(), d); l > time.Second {
			t.Errorf("afterwards: %v", l)
		}
	})
}

func TestSilentDependencyWaitsForTheCallerToLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := dependencyWith(Slow{"pricing", Silent, 0, 0, time.Second})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if l := took(ctx, d); l != time.Hour { // longer than the window
			t.Errorf("ended after %v", l)
		}
	})
}

func TestDownDependencyResets(t *testing.T) {
	d := dependencyWith(Slow{"pricing", Down, 0, 0, time.Minute})
	wantReset(t, d)
}

// Whoever waits for an answer when the dependency dies gets none.
func TestDependencyDiesInTheMiddle(t *testing.T) {
	d := dependencyWith(Slow{"pricing", Late, time.Hour, 0, 50 * time.Millisecond},
		Slow{"pricing", Down, 0, 50 * time.Millisecond, time.Minute})
	wantReset(t, d)
	if n := d.rec.of[0].calls.Load(); n != 1 {
		t.Errorf("%d calls reached it", n)
	}
}

func wantReset(t *testing.T, d *dependency) {
	t.Helper()
	s, err := live.Serve(d)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	var client http.Transport
	defer client.CloseIdleConnections()
	req, _ := http.NewRequest("GET", s.URL, nil)
	resp, err := client.RoundTrip(req)
	if err == nil {
		resp.Body.Close()
		t.Fatalf("answered %s", resp.Status)
	}
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("%v, want a reset", err)
	}
}

// Before the run begins a dependency is well, whatever comes later, and what
// it is asked then is nobody's figure.
func TestWarmingUpIsNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, fault := range []Fault{Late, Down, Silent} {
			o := Defaults(time.Minute)
			o.Slow = []Slow{{"pricing", fault, time.Hour, 0, time.Minute}}
			d := newDependency(0, o, newRecorder(spans(o.Slow, o.For)))
			if l := took(t.Context(), d); l < floor || l > time.Second {
				t.Errorf("fault %d: answered after %v", fault, l)
			}
			if n := d.rec.of[0].calls.Load(); n != 0 {
				t.Errorf("%d calls are counted", n)
			}
		}
	})
}
