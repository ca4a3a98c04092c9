package tune

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/review/check"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/internal/race"
)

// guessed is a file with one dependency, which has no limits worth the name yet.
const guessed = `version: 1
service: shop
dependencies:
  pricing:
    kind: critical # and so it stays
    endpoints: [http://127.0.0.1:9101]
    timeout: {request: 5s, total: 12s} # somebody guessed
    retry: {attempts: 2, budget: {ratio: 10%, floor: 3/s}}
    breaker: {window: 10s, calls: 20, failures: 50%, open: {for: 5s, jitter: 20%}}
    bulkhead: {limit: 10}
    when-down: No prices.
`

func parse(t testing.TB, text string) *config.File {
	t.Helper()
	f, err := config.Parse("seakeep.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// valueOf is what is proposed for a key, or "".
func valueOf(r *Report, key string) string {
	for _, p := range r.Advice[0].Proposals {
		if p.Path == "dependencies.pricing."+key {
			return p.Value
		}
	}
	return ""
}

// timeoutOf is what is proposed for a sample in a file, in seconds.
func timeoutOf(t *testing.T, text string, sample Sample, o Options) float64 {
	t.Helper()
	r, err := Run(parse(t, text), []Sample{sample}, "", o)
	if err != nil {
		t.Fatal(err)
	}
	d, err := time.ParseDuration(valueOf(r, "timeout.request"))
	if err != nil {
		t.Fatalf("%v: %+v", err, r.Advice[0])
	}
	return d.Seconds()
}

// TestFalseTimeouts: of the true distribution, which nobody knows outside a test,
// the proposed timeout cuts off what was accepted, within a factor of two. A
// million calls are drawn of each shape, and the smaller samples are parts of
// them. Of those with ten calls beyond the quantile one in a hundred is out by
// chance, as TestTails counts it; here one of all may be.
func TestFalseTimeouts(t *testing.T) {
	race.OneGoroutine(t)
	for name, s := range shapes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := s.calls(1e6, 1, 333)
			for _, size := range []struct{ n, samples, out int }{{1e4, 20, 1}, {1e5, 5, 0}, {1e6, 1, 0}} {
				out := 0
				for i := range size.samples {
					sample := sampleOf("pricing", all[i*size.n:(i+1)*size.n])
					for _, share := range []float64{0.001, 0.01} {
						took := timeoutOf(t, guessed, sample, Options{FalseTimeouts: share, Headroom: -1})
						if got := s.beyond(took); got < share/2 || got > share*2 {
							t.Logf("sample %d of %d calls: %v s cuts off %.3g, accepted %g", i, size.n, took,
								got, share)
							out++
						}
					}
				}
				if out > size.out {
					t.Errorf("of %d calls: %d of %d timeouts are beyond a factor of two", size.n, out, 2*size.samples)
				}
			}
		})
	}
}

// TestAcceptedShare: a share that was asked for is written down, so that check
// takes it, and the next run proposes nothing.
func TestAcceptedShare(t *testing.T) {
	sample := sampleOf("pricing", shapes()["exponential"].calls(1e5, 2, 333))
	for _, share := range []float64{0.0005, 0.001, 0.003, 0.01, 0.1} {
		r, err := Run(parse(t, guessed), []Sample{sample}, "", Options{FalseTimeouts: share, Headroom: -1})
		if err != nil {
			t.Fatal(err)
		}
		if got := valueOf(r, "timeout.false-timeouts"); got != inFile(share) {
			t.Errorf("%g: false-timeouts %q", share, got)
		}
		took, err := time.ParseDuration(valueOf(r, "timeout.request"))
		if want := 0.020 * math.Log(1/share); err != nil || math.Abs(took.Seconds()/want-1) > 0.1 {
			t.Errorf("%g: %v, want %v s, %v", share, took, want, err)
		}
		// What is cut off fails, and may be tried again.
		budget := map[float64]string{0.1: "20%"}[share]
		if got := valueOf(r, "retry.budget.ratio"); got != budget {
			t.Errorf("%g: retry.budget.ratio %q, want %q", share, got, budget)
		}
		if found, err := finds("after", r.After); err != nil || len(found) > 0 {
			t.Errorf("%g: check finds %+v, %v", share, found, err)
		}
		again, err := Run(parse(t, string(r.After)), []Sample{sample}, "", Options{Headroom: -1})
		if err != nil || again.Patch != "" {
			t.Errorf("%g: a second run proposes\n%s%v", share, again.Patch, err)
		}
	}
}

func TestTooFew(t *testing.T) {
	calls := shapes()["exponential"].calls(10_000, 1, 333)
	for n, says := range map[int]string{
		10_000: "", 9_999: "the p99.9 needs 10,000", 999: "the p99 needs 1,000", 5: "too few",
	} {
		r, err := Run(parse(t, guessed), []Sample{sampleOf("pricing", calls[:n])}, "", Options{Headroom: -1})
		if err != nil {
			t.Fatal(err)
		}
		if v := valueOf(r, "timeout.request"); (v != "") != (says == "") {
			t.Errorf("of %d calls a timeout of %q is proposed", n, v)
		}
		if kept := strings.Join(r.Advice[0].Kept, "\n"); !strings.Contains(kept, says) {
			t.Errorf("%d calls: %q is not in\n%s", n, says, kept)
		}
	}
}

// TestPricing: a p99.9 of 110 ms gives 150 to 250 ms, and 333 calls a second with
// a p99 of 75 ms 50 to 70 slots.
func TestPricing(t *testing.T) {
	// Between p50 20 ms and p99.9 110 ms, with the p99 at 75 ms.
	calls := make([]logged, 100_000)
	for i := range calls {
		q := (float64(i) + 0.5) / float64(len(calls))
		points := [][2]float64{{0, 0.005}, {0.5, 0.020}, {0.99, 0.075}, {0.999, 0.110}, {1, 0.150}}
		for k := 1; k < len(points); k++ {
			if a, b := points[k-1], points[k]; q <= b[0] {
				calls[i].latency = a[1] + (q-a[0])/(b[0]-a[0])*(b[1]-a[1])
				break
			}
		}
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
	for i := range calls {
		calls[i].at = float64(i) / 333
	}
	r, err := Run(parse(t, guessed), []Sample{sampleOf("", calls)}, "", Options{Headroom: -1})
	if err != nil {
		t.Fatal(err)
	}
	d, err := time.ParseDuration(valueOf(r, "timeout.request"))
	if err != nil || d < 150*time.Millisecond || d > 250*time.Millisecond {
		t.Errorf("timeout %v, %v", d, err)
	}
	var limit int
	if _, err := fmt.Sscan(valueOf(r, "bulkhead.limit"), &limit); err != nil || limit < 50 || limit > 70 {
		t.Errorf("bulkhead %d, %v", limit, err)
	}
	if r.Patch == "" || !strings.Contains(string(r.After), "# and so it stays") ||
		!strings.Contains(string(r.After), "# somebody guessed") {
		t.Errorf("comments are lost:\n%s", r.After)
	}
}

// TestCheckAgrees: check finds no mistake in what is proposed, whatever was
// measured and asked for, in a file that is bare and in one that has every rung.
func TestCheckAgrees(t *testing.T) {
	example, err := os.ReadFile("../../../examples/checkout/seakeep.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range shapes() {
		for i, rate := range []float64{2, 333, 20_000} {
			sample := drawn(s, 20_000, 3, rate)
			for _, text := range []string{guessed, string(example)} {
				if text != guessed && (rate != 333 || name == "exponential") {
					continue // the example takes long
				}
				share := []float64{0, 0.02, 0.0005}[i]
				r, err := Run(parse(t, text), []Sample{sample}, "", Options{FalseTimeouts: share, Headroom: -1})
				if err != nil {
					t.Errorf("%s at %v/s: %v", name, rate, err)
					continue
				}
				for _, f := range check.Files([]*config.File{parse(t, string(r.After))}) {
					if f.Severity == check.Error || f.Severity == check.Warning && r.Advice[0].changed(f.Path) {
						t.Errorf("%s at %v/s: %s: %s: %s\n%s", name, rate, f.Path, f.Rule, f.Why, r.Patch)
					}
				}
			}
		}
	}
}

// changed reports whether a key was changed, the figures that were seen apart.
func (a *Advice) changed(path string) bool {
	return slices.ContainsFunc(a.Proposals, func(p Proposal) bool {
		return p.Path == path && !strings.HasSuffix(path, ".measured")
	})
}

// TestDrift: halves that differ are told, and the slower decides.
func TestDrift(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	calls := make([]logged, 40_000)
	for i := range calls {
		calls[i] = logged{at: float64(i) / 333, latency: 0.010 * r.ExpFloat64()}
		if i >= len(calls)/2 {
			calls[i].latency *= 3
		}
	}
	got, err := Run(parse(t, guessed), []Sample{sampleOf("pricing", calls)}, "",
		Options{FalseTimeouts: 0.001, Headroom: -1})
	if err != nil {
		t.Fatal(err)
	}
	d, _ := time.ParseDuration(valueOf(got, "timeout.request"))
	if late := 0.030 * math.Log(1000); d.Seconds() < late/1.2 {
		t.Errorf("%v, and the second half needs %.0f ms", d, 1000*late)
	}
	var text strings.Builder
	if err := got.WriteText(&text); err != nil || !strings.Contains(text.String(), "drift") ||
		strings.Contains(text.String(), "drift  none") {
		t.Errorf("%v: %s", err, &text)
	}
}

func TestWhoseSampleItIs(t *testing.T) {
	s := drawn(shapes()["lognormal"], 100, 1, 10)
	s.Dependency = "other"
	if _, err := Run(parse(t, guessed), []Sample{s}, "", Options{}); err == nil || !strings.Contains(err.Error(), "other") {
		t.Errorf("a stranger's: %v", err)
	}
	s.Dependency = ""
	if _, err := Run(parse(t, guessed), []Sample{s}, "nobody", Options{}); err == nil || !strings.Contains(err.Error(), "pricing") {
		t.Errorf("of nobody: %v", err)
	}
}
