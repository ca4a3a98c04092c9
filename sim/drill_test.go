package sim

import (
	"testing"
	"time"

	"github.com/seakeep/seakeep/internal/race"
)

// The drill keeps its objective while what can be done without, or has something
// that stands in, is ill. Nothing stands in for inventory.
func TestDrillKeepsItsObjective(t *testing.T) {
	race.OneGoroutine(t)
	r := shipped(t, "drill")
	between01(t, "purchases", succeeded(r, "buyers"), 0.9995, 1)
	between01(t, "pages", succeeded(r, "visitors"), 0.9995, 1)
	if p99, _ := r.Endpoint("purchase").Latency.Quantile(0.99); p99 > 2500*time.Millisecond {
		t.Errorf("the p99 of a purchase is %v", p99)
	}
	r = shipped(t, "drill", "changes=[{at: 60s, for: 60s, service: inventory, down: true}]", "for=3m")
	between01(t, "purchases without inventory", succeeded(r, "buyers"), 0.3, 0.7)
	for _, set := range []string{"checkout:dependencies.fraud.fallback=none",
		"checkout:dependencies.payments.fallback=none", "checkout:dependencies.pricing.fallback=none"} {
		between01(t, set, succeeded(shipped(t, "drill", set), "buyers"), 0, 0.97)
	}
}
