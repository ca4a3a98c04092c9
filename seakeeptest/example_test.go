package seakeeptest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/seakeephttp"
	"github.com/seakeep/seakeep/seakeeptest"
)

// The first question to a policy: what becomes of everything else when pricing
// takes 2 s? Without protection a quarter of it fails.
func TestOurPolicySurvivesPricingAtTwoSeconds(t *testing.T) {
	f := seakeeptest.SimulatePolicy(t, "../examples/checkout/seakeep.yaml",
		"testdata/slow-pricing.yaml")
	f.Want(
		"endpoints.inventory.success > 99%",
		"endpoints.recommendations.success > 99%",
		"dependencies.checkout.pricing.attempts < 100/s", // of 333/s, so that it can recover
		"services.checkout.most-busy < 150",              // of 200
	)
	bare := seakeeptest.SimulatePolicy(t, "testdata/bare.yaml", "testdata/slow-pricing.yaml")
	if bare.Holds("endpoints.inventory.success > 80%") {
		t.Error("the scenario hurts nobody, so that a policy survives it says nothing")
	}
}

// How far may pricing go? Each row is the same scenario with one key changed.
func TestOurPolicySurvivesOtherLatencies(t *testing.T) {
	for _, mean := range []string{"100ms", "300ms", "1s", "10s"} {
		t.Run(mean, func(t *testing.T) {
			f := seakeeptest.Simulate(t, "testdata/slow-pricing.yaml", "for=10s", "runs=2",
				"services.pricing.work={floor: 5ms, mean: "+mean+"}")
			f.Want("endpoints.inventory.success > 99%")
		})
	}
}

// Our client asks again when the backend says when: in fake time, so that the
// two seconds take none.
func TestOurClientHeedsRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := seakeeptest.NewMemoryBackend(t,
			seakeeptest.Answer{Status: 503, Header: map[string]string{"Retry-After": "2"}},
			seakeeptest.Answer{Body: "42", After: 20 * time.Millisecond})
		pricing, err := seakeep.New(seakeep.Config{Name: "pricing",
			Timeout: seakeep.Timeout{Request: 250 * time.Millisecond, Total: 5 * time.Second},
			Retry:   &seakeep.Retry{Attempts: 3}})
		if err != nil {
			t.Fatal(err)
		}
		client := http.Client{Transport: seakeephttp.Wrap(pricing, b.Transport())}
		began := time.Now()
		resp, err := client.Get(b.URL() + "/price")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if took := time.Since(began); resp.StatusCode != 200 || took != 2020*time.Millisecond {
			t.Errorf("status %d after %v", resp.StatusCode, took)
		}
		asked := b.Requests()
		if len(asked) != 2 || asked[1].Attempt != 2 || asked[1].At-asked[0].At != 2*time.Second {
			t.Errorf("the backend was asked %+v", asked)
		}
	})
}

// A Script stands in for whatever a program calls through Do.
func ExampleScript() {
	stock := seakeeptest.NewScript(
		seakeeptest.Step[int]{Err: errors.New("connection reset"), Times: 2},
		seakeeptest.Step[int]{Value: 7})
	inventory, err := seakeep.New(seakeep.Config{Name: "inventory",
		Retry: &seakeep.Retry{Attempts: 3, Backoff: seakeep.Backoff{Base: time.Nanosecond}}})
	if err != nil {
		panic(err)
	}
	ctx := seakeep.With(context.Background(), seakeep.Call{Idempotent: true})
	n, err := seakeep.Do(ctx, inventory, stock.Call)
	fmt.Println(n, err, len(stock.Calls()))
	// Output: 7 <nil> 3
}
