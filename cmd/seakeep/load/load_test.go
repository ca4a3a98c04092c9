package load

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// door is a server in virtual time: what it does before it answers.
type door func(*http.Request) (status int, err error)

func (d door) RoundTrip(r *http.Request) (*http.Response, error) {
	status, err := d(r)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader("x")), Request: r,
		Header: http.Header{}}, nil
}

func wait(r *http.Request, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-r.Context().Done():
		return r.Context().Err()
	}
}

// four is a server that does 200 requests a second.
func four() door {
	slots := make(chan struct{}, 4)
	return func(r *http.Request) (int, error) {
		select {
		case slots <- struct{}{}:
		case <-r.Context().Done():
			return 0, r.Context().Err()
		}
		defer func() { <-slots }()
		return 200, wait(r, 20*time.Millisecond)
	}
}

func test(d door) *Test {
	return &Test{URL: "http://server/", Method: http.MethodGet, Good: 250 * time.Millisecond, Timeout: time.Second,
		Most: 1000, Seed: 1, door: d}
}

// Arrivals keep to the rate of the step, also where it rises.
func TestArrivals(t *testing.T) {
	for _, s := range []Step{{200, 200, 50 * time.Second}, {100, 300, 50 * time.Second}, {300, 100, 50 * time.Second}} {
		n, first := 0, 0
		last := time.Duration(0)
		for a := newArrivals(s, 7, 1); ; n++ {
			at, more := a.next()
			if !more {
				break
			}
			if at < last || at > s.For {
				t.Fatalf("%+v: %v after %v", s, at, last)
			}
			if last = at; at < s.For/2 {
				first++
			}
		}
		half := (s.From*3 + s.To) / 4 * s.For.Seconds() / 2
		if math.Abs(float64(n)-s.Planned()) > 400 || math.Abs(float64(first)-half) > 300 {
			t.Errorf("%+v: %d, of which %d in the first half", s, n, first)
		}
	}
	if s := Steps(50, 800, 5, time.Second); s[0].From != 50 || s[2].From != 200 || s[4].To != 800 {
		t.Errorf("%v", s)
	}
	if s := Ramp(0.5, 100.5, 4, time.Second); s[0].From != 0.5 || s[0].To != 25.5 || s[3].To != 100.5 {
		t.Errorf("%v", s)
	}
}

// A stall of a second is felt by all who come meanwhile, not by one.
func TestLatencyIsFromThePlannedStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		l := test(func(r *http.Request) (int, error) {
			if at := time.Since(began); at >= time.Second && at < 2*time.Second {
				return 200, wait(r, 2*time.Second-at)
			}
			return 200, wait(r, time.Millisecond)
		})
		l.Timeout = 3 * time.Second
		all, err := l.Run(t.Context(), []Step{{100, 100, 10 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		p := all[0].FromPlan
		if p.P50 > 1.1 || math.Abs(p.P99-900) > 60 || p.Max < 950 || p.Max > 1001 {
			t.Errorf("%+v", all[0])
		}
	})
}

// With few connections requests are late or not sent, and both are told.
func TestTheBoundOnWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := test(func(r *http.Request) (int, error) { return 200, wait(r, 100*time.Millisecond) })
		l.Most = 2 // 20/s
		all, err := l.Run(t.Context(), []Step{{100, 100, 10 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		r := all[0]
		if r.NotSent < 700 || r.Good+r.NotSent != r.Due || r.Holds || math.Abs(r.Goodput-18) > 3 {
			t.Errorf("%+v", r)
		}
		if !strings.Contains(r.Line(), "not sent in time") {
			t.Error(r.Line())
		}
	})
}

func TestSearchFindsTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, limit, err := test(four()).Search(t.Context(), 10, 1e4, 5*time.Second)
		if err != nil || limit.Holds < 170 || limit.Fails > 230 || limit.Fails < limit.Holds {
			t.Errorf("%+v, %v", limit, err)
		}
		last := all[len(all)-1]
		if last.Offered < 1.7*limit.Holds || last.Goodput > limit.Best/2 {
			t.Errorf("past it: %+v", last)
		}
		text := (&strings.Builder{})
		r := Report{GoodMS: 250, Limit: limit, Steps: all}
		if err := r.WriteText(text); err != nil || !strings.Contains(text.String(), "The limit is between") ||
			!strings.Contains(text.String(), "Past it, at") || !strings.Contains(text.String(), "*") {
			t.Errorf("%v\n%s", err, text)
		}
	})
}

func TestSearchWithoutALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := test(func(r *http.Request) (int, error) { return 200, wait(r, time.Millisecond) })
		_, limit, err := l.Search(t.Context(), 10, 100, time.Second)
		if err != nil || limit.Holds != 100 || limit.Fails != 0 || limit.Why == "" {
			t.Errorf("%+v, %v", limit, err)
		}
		_, limit, err = test(func(*http.Request) (int, error) { return 503, nil }).Search(t.Context(), 10, 100, time.Second)
		if err != nil || limit.Holds != 0 || limit.Fails != 10 {
			t.Errorf("%+v, %v", limit, err)
		}
	})
}

// A machine that is late itself decides nothing.
func TestTheGeneratorIsLate(t *testing.T) {
	c := newTally(250 * time.Millisecond)
	c.due = 100
	for range 100 {
		c.put(0, 80*time.Millisecond, 400*time.Millisecond, "", true)
	}
	r := c.result(Step{100, 100, time.Second}, time.Second, false)
	if !r.Generator || r.Holds || !strings.Contains(r.Line(), "THIS MACHINE WAS LATE") {
		t.Errorf("%+v", r)
	}
	if l := LimitOf([]Result{r}); l.Fails != 0 || l.Why == "" {
		t.Errorf("%+v", l)
	}
	if r.FromPlan.P50 < 399 || r.FromSend.P50 > 321 {
		t.Errorf("%+v", r)
	}
}

func TestErrorsByKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		l := test(nil)
		l.door = door(func(r *http.Request) (int, error) {
			switch n++; n % 4 {
			case 0:
				return 503, nil
			case 1:
				return 0, io.ErrUnexpectedEOF
			case 2:
				return 0, wait(r, time.Hour)
			}
			return 200, nil
		})
		l.Most = 1
		l.Timeout = 300 * time.Millisecond
		kinds := map[string]int{}
		l.Each = func(_, _ time.Duration, kind string) error { kinds[kind]++; return nil }
		all, err := l.Run(t.Context(), []Step{{100, 100, 10 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		e := all[0].Errors
		if e["503"] == 0 || e["reset"] == 0 || e["timeout"] == 0 || kinds[""] == 0 || kinds["timeout"] != e["timeout"] {
			t.Errorf("%v %v", e, kinds)
		}
		full := errors.New("the disk is full")
		l.Each = func(time.Duration, time.Duration, string) error { return full }
		if _, err := l.Run(t.Context(), []Step{{100, 100, time.Second}}); !errors.Is(err, full) {
			t.Error(err)
		}
	})
}

// On real sockets, HTTP/1.1 and HTTP/2 in the clear: four workers of 20 ms, so
// 200 a second. The search, which is the same in virtual time, is above.
func TestRealServer(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP/2 %v", h2), func(t *testing.T) { realServer(t, h2) })
	}
}

func realServer(t *testing.T, h2 bool) {
	slots := make(chan struct{}, 4)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if (r.ProtoMajor == 2) != h2 || r.Method != http.MethodPost || r.Header.Get("X-Tenant") != "a" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		select {
		case slots <- struct{}{}:
			time.Sleep(20 * time.Millisecond)
			<-slots
		case <-r.Context().Done():
		}
	}))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	defer s.Close()
	l := test(nil)
	l.door, l.URL, l.HTTP2, l.Method, l.Body = nil, s.URL, h2, http.MethodPost, []byte("{}")
	l.Header = http.Header{"X-Tenant": {"a"}}
	all, err := l.Run(t.Context(), []Step{{150, 150, time.Second}, {300, 300, 1500 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	limit := LimitOf(all)
	if limit.Why == tooBusy {
		t.Skipf("the tool says of itself that this machine was late: %+v", limit)
	}
	// What is good beyond the limit is what is done in the time that an answer may
	// take, before the queue is longer than that.
	if limit.Holds != 150 || limit.Fails != 300 || limit.Best > 230 || all[1].Answered < 250 || all[0].Good < 100 {
		t.Errorf("%+v", limit)
		for _, r := range all {
			t.Log(r.Line())
		}
	}
}
