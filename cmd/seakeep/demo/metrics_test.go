package demo

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/seakeep/seakeep/internal/promtest"
)

// A real Prometheus scrapes the running demo, and sees the breaker open and the
// fallback answer while the others' calls go on.
func TestPrometheusScrapesTheDemo(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := Defaults(time.Minute) // it ends when it was seen
	o.Rate, o.Admin = 150, l.Addr().String()
	o.Slow = []Slow{{Name: "recommendations", Mean: 2 * time.Second, Length: time.Minute}}
	_ = l.Close()
	s := promtest.Start(t, o.Admin)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, err := Run(ctx, o, Screen{Out: io.Discard})
		ended <- err
	}()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	for _, q := range []string{
		`sum(rate(seakeep_calls_total{dependency="pricing",outcome="success"}[5s])) > 10`,
		`seakeep_breaker_state{dependency="recommendations",state="open"} == 1`,
		`sum(rate(seakeep_fallback_total{dependency="recommendations",outcome="answered"}[5s])) > 10`,
		`seakeep_bulkhead_in_flight{dependency="inventory"} / seakeep_bulkhead_limit < 1`,
	} {
		for until := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
			if found, ready := s.Query(q); ready && len(found) > 0 {
				break
			}
			if time.Now().After(until) {
				t.Fatalf("never true: %s", q)
			}
		}
	}
}

func TestAdminInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	o := Defaults(time.Second)
	o.Admin = l.Addr().String()
	if _, err := Run(context.Background(), o, Screen{Out: io.Discard}); err == nil {
		t.Error("two listen at one address")
	}
}
