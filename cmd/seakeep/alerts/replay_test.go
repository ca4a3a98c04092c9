package alerts

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/internal/race"
)

func parse(t testing.TB, text string) *config.File {
	t.Helper()
	f, err := config.Parse("seakeep.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const checkout = "version: 1\nservice: shop\nserve: {}\nslo:\n  - {name: checkout, objective: 99.9%}\n"

// The times of the workbook's alerts with nothing but errors, to the step of the
// evaluation: 52 s, 2.2 min, 4.3 min and 4.3 min.
func TestTimesOfBurnAlerts(t *testing.T) {
	race.OneGoroutine(t)
	r, err := Run(parse(t, checkout), "checkout", Steady(100, 1, 5*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"1h": 51.84, "6h": 129.6, "1d": 259.2, "3d": 259.2} // seconds
	if len(r.Fired) != 4 {
		t.Fatalf("%+v", r.Fired)
	}
	for _, f := range r.Fired {
		least := want[f.Window]
		if at := f.After.Seconds(); at < least || at > least+(Step+scrape).Seconds() {
			t.Errorf("%s fires after %v, want %.0f s", f.Window, f.After, least)
		}
		if f.Clears < 5*time.Minute {
			t.Errorf("%s clears after %v", f.Window, f.Clears)
		}
	}
	if spent := 5 / 43.2; math.Abs(r.Spent-spent) > 0.001 || math.Abs(1-r.Left-spent) > 0.001 {
		t.Errorf("spent %.4f, left %.4f, want %.4f spent", r.Spent, r.Left, spent)
	}
}

// A fiftieth of all for an hour: 20 times too fast, so that 2 % are spent after
// 43.2 minutes.
func TestSlowBurn(t *testing.T) {
	race.OneGoroutine(t)
	r, err := Run(parse(t, checkout), "checkout", Steady(100, 0.02, time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	for i, least := range []float64{43.2 * 60, 6 * 3600 * 6 / 20} {
		if i == 1 {
			continue // after 108 minutes the six hours would be full enough
		}
		f := r.Fired[i]
		if f.Severity != "page" || f.After.Seconds() < least || f.After.Seconds() > least+45 {
			t.Errorf("%+v, want after %.0f s", f, least)
		}
		if math.Abs(f.Spent-0.02) > 0.0005 {
			t.Errorf("%.4f is spent when it fires", f.Spent)
		}
	}
	if len(r.Fired) != 1 {
		t.Errorf("%+v", r.Fired)
	}
}

// Of few events no alert is made, unless the file asks for it.
func TestGuard(t *testing.T) {
	const rare = 1.0 / 600 // six an hour
	for guard, want := range map[string]bool{"": false, ", min-events: 1, min-errors: 1": true} {
		file := strings.Replace(checkout, "99.9%}", "99.9%, alerts: {pairs: [{share: 2%, window: 1h, page: true}]"+guard+"}}", 1)
		r, err := Run(parse(t, file), "checkout", Steady(rare, 1, 20*time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Fired) > 0 != want {
			t.Errorf("%q, of six events an hour: %+v", guard, r.Fired)
		}
	}
}
