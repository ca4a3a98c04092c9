package overload

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func flooded(t *testing.T, o TenantOptions) *TenantReport {
	t.Helper()
	o.open = inMemory
	r, err := Tenants(t.Context(), o, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// withoutTheTenth refuses one tenant's flood, which no guard is told about.
func withoutTheTenth(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(tenantHeader) == "tenant-10" {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Bare, the flood of one takes all down. Without that one, nothing happens.
func TestOneTenantFloodsAll(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := TenantDefaults()
		o.guard = inside(withoutTheTenth)
		r := flooded(t, o)
		if q := r.Bare.Quiet; q.Success != 1 || q.OK != q.Offered || q.Worst != 1 || q.P99 == nil ||
			q.Tenth.OK != q.Tenth.Offered || q.Tenth.Offered < 5 {
			t.Errorf("quiet: %+v", q)
		}
		if f := r.Bare.Flooded; f.Success > 0.1 || f.Worst > f.Success || f.Tenth.Offered < 1900 {
			t.Errorf("flooded: %+v", f)
		}
		f := r.Protected.Flooded
		if f.Success != 1 || f.Tenth.OK != 0 || f.Tenth.Shed != f.Tenth.Offered {
			t.Errorf("protected: %+v", f)
		}
		if len(r.Holds) != 3 || !r.Held() {
			t.Errorf("%+v", r.Holds)
		}
	})
}

// A guard that guards nothing keeps none of the promises.
func TestTenantPromisesCanBeBroken(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := TenantDefaults()
		o.guard = inside(func(next http.Handler) http.Handler { return next })
		r := flooded(t, o)
		for _, h := range r.Holds[1:] {
			if h.Held || h.Why == "" {
				t.Errorf("%+v", h)
			}
		}
		if r.Held() {
			t.Error("it says that all held")
		}
	})
}

// The nine send the same with the flood and without it, and the flood begins
// with what is counted.
func TestTheNineSendTheSame(t *testing.T) {
	o := TenantDefaults()
	quiet, flood := o.scene(bare{}, false).next, o.scene(bare{}, true).next
	of := func(next func() *guest, nine bool) (all []guest) {
		for g := next(); g.at < o.Warm+o.For; g = next() {
			if (g.kind < neighbours) == nine {
				all = append(all, *g)
			}
		}
		return all
	}
	a, b := of(quiet, true), of(flood, true)
	if len(a) != len(b) || len(a) < 1200 {
		t.Fatalf("%d and %d come", len(a), len(b))
	}
	for i := range a {
		if a[i] != b[i] || i > 0 && a[i].at < a[i-1].at {
			t.Fatalf("%+v and %+v", a[i], b[i])
		}
	}
	before, after := 0, 0
	for _, g := range of(o.scene(bare{}, true).next, false) {
		if g.at < o.Warm {
			before++
		} else {
			after++
		}
	}
	if before > 80 || after < 23_000 || after > 25_000 {
		t.Errorf("the tenth sends %d before the flood and %d in it", before, after)
	}
}

func TestTenantOptionsThatCannotBe(t *testing.T) {
	for problem, change := range map[string]func(*TenantOptions){
		"--flood is 0":           func(o *TenantOptions) { o.Flood = 0 },
		"--flood is 30":          func(o *TenantOptions) { o.Flood = 30 },
		"--flood 10 is 50000 re": func(o *TenantOptions) { o.Machine.Workers = 100 },
		"--for is 0s":            func(o *TenantOptions) { o.For = 0 },
		"--workers is 0":         func(o *TenantOptions) { o.Machine.Workers = 0 },
	} {
		o := TenantDefaults()
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%v, want %s", err, problem)
		}
		if _, err := Tenants(t.Context(), o, io.Discard); err == nil {
			t.Error("it runs all the same")
		}
	}
}

func TestInterruptedFlood(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 8*time.Second)
		defer stop()
		o := TenantDefaults()
		o.open, o.guard = inMemory, nil
		r, err := Tenants(ctx, o, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Interrupted || r.Bare.Quiet == nil || r.Bare.Flooded != nil || len(r.Holds) != 0 ||
			r.Protected != nil {
			t.Errorf("%+v", r)
		}
	})
}
