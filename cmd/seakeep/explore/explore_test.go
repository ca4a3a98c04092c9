package explore

import (
	"bytes"
	"encoding/json"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/internal/race"
	"github.com/seakeep/seakeep/sim/search"
)

func draft(t *testing.T, name string) config.Draft {
	t.Helper()
	d, err := config.OpenDraft("../../../testdata/scenarios/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func scenario(t *testing.T, name string) *config.Scenario {
	t.Helper()
	s, err := draft(t, name).Parse()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestScale(t *testing.T) {
	for _, c := range []struct {
		from, to string
		mid      float64
		want     string
	}{
		{"20", "2000", 573.4, "573"},
		{"50ms", "2s", 250e6, "250ms"},
		{"10%", "90%", 12.5, "12.5%"},
		{"100/s", "200/s", 150.25, "150.25/s"},
		{"0.5", "2.5", 1.25, "1.25"},
		{"10 calls", "500 calls", 99.7, "99 calls"},
	} {
		s, low, high, err := ParseScale(c.from, c.to)
		if err != nil || !(low < high) {
			t.Fatalf("%s to %s: %v", c.from, c.to, err)
		}
		if got := s.Value(c.mid); got != c.want {
			t.Errorf("%v is %q, want %q", c.mid, got, c.want)
		}
		if x, ok := s.Read(c.from); !ok || x != low {
			t.Errorf("%s reads as %v, %v", c.from, x, ok)
		}
	}
	for _, bad := range [][2]string{{"1", "1s"}, {"2", "1"}, {"a", "b"}, {"1%", "x%"}, {"1", "1"},
		{"1 calls", "9"}, {"1 calls", "2.5 calls"}} {
		if _, _, _, err := ParseScale(bad[0], bad[1]); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
}

// The cliff of the checkout model: from throughput times patience on, everybody
// who is served has left already. (576/s x (1 s - 0.05 s) is about 573 places.)
func TestEdgeFindsTheQueueCliff(t *testing.T) {
	race.OneGoroutine(t)
	a, err := Edge(EdgeQuestion{Draft: draft(t, "checkout-cascade.yaml"),
		Key: "services.checkout.queue.length", From: "20", To: "2000",
		Until: "endpoints.pricing.success < 30%", Runs: 3})
	if err != nil {
		t.Fatal(err)
	}
	if !a.Found || math.Abs(a.Number-573) > 40 || a.Present != "20" || a.Safety < 20 {
		t.Errorf("edge %+v", a)
	}
	var text, data bytes.Buffer
	if err := a.Text(&text); err != nil || !strings.Contains(text.String(), "safety factor") {
		t.Errorf("text %q, %v", text.String(), err)
	}
	if err := a.JSON(&data); err != nil || !json.Valid(data.Bytes()) {
		t.Errorf("json %s, %v", data.String(), err)
	}
}

// Several keys get the same value: threads cannot be fewer in one place only.
func TestEdgeOfSeveralKeys(t *testing.T) {
	d := draft(t, "checkout-cascade.yaml")
	for _, set := range [][2]string{{"for", "6s"}, {"warmup", "2s"}, {"clients.users.rate", "50/s"}} {
		var err error
		if d, err = d.Set(set[0], set[1]); err != nil {
			t.Fatal(err)
		}
	}
	q := EdgeQuestion{Draft: d, Key: "services.pricing.work.mean, services.inventory.work.mean",
		From: "6ms", To: "30s", Until: "endpoints.inventory.success < 50%", Runs: 1, Within: 0.5}
	a, err := Edge(q)
	if err != nil || !a.Found || a.AtFrom || !a.AtTo {
		t.Errorf("%+v, %v", a, err)
	}
	q.Key = "services.pricing.work.mean,,"
	if _, err := Edge(q); err == nil {
		t.Error("a key without a name was taken")
	}
}

func TestEdgeRefuses(t *testing.T) {
	race.OneGoroutine(t)
	d := draft(t, "checkout-cascade.yaml")
	for name, q := range map[string]EdgeQuestion{
		"an unknown key": {Draft: d, Key: "services.checkout.quue.length", From: "1", To: "9",
			Until: "endpoints.pricing.success < 30%"},
		"an unknown figure": {Draft: d, Key: "services.checkout.workers", From: "1", To: "9",
			Until: "endpoints.prcing.success < 30%"},
		"no statement": {Draft: d, Key: "services.checkout.workers", From: "1", To: "9", Until: "what"},
	} {
		if _, err := Edge(q); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

// Two scenarios that share nothing are not "the same in every figure".
func TestCompareRefusesWhatHasNothingInCommon(t *testing.T) {
	race.OneGoroutine(t)
	a, b := scenario(t, "checkout-cascade.yaml"), scenario(t, "metastable-spike.yaml")
	_, err := Compare(Sides{A: a, B: b, NameA: "a", NameB: "b"}, 1)
	if err == nil || !strings.Contains(err.Error(), "no figure in common") {
		t.Errorf("%v", err)
	}
}

// A database that is cut off is cut off in one way: the map has one row.
func TestMapOfATriggerWithoutSize(t *testing.T) {
	race.OneGoroutine(t)
	a, err := Metastable(MetastableQuestion{Scenario: scenario(t, "buffered-outage.yaml"),
		Sizes: []float64{0.5, 1, 2}, Lengths: []time.Duration{time.Second}, Watch: 5 * time.Second,
		Cuts: []time.Duration{time.Second}, Steps: 2})
	if err != nil || len(a.Map) != 1 || a.Map[0].Size != 1 {
		t.Fatalf("%+v, %v", a, err)
	}
}

func TestCompareText(t *testing.T) {
	a := scenario(t, "checkout-cascade.yaml")
	a.For, a.Warmup = 15*time.Second, 6*time.Second
	b := search.Clone(a)
	b.Services[0].Workers = 400
	c, err := Compare(Sides{A: a, B: b, NameA: "200", NameB: "400"}, 3)
	if err != nil {
		t.Fatal(err)
	}
	if c.Saved == 0 || c.Lost > c.Saved/20 || c.DivergedS == nil || *c.DivergedS < 5 {
		t.Errorf("saved %d, lost %d, diverged %v", c.Saved, c.Lost, c.DivergedS)
	}
	found := false
	for _, d := range c.Differences {
		found = found || d.Key == "endpoints.pricing.success" && d.Real() && d.By > 0.3
	}
	if !found {
		t.Errorf("pricing's gain is not among the differences: %+v", c.Differences)
	}
	var text, data bytes.Buffer
	if err := c.Text(&text); err != nil || !strings.Contains(text.String(), "answered only in B") {
		t.Errorf("text %q, %v", text.String(), err)
	}
	if err := c.JSON(&data); err != nil || !json.Valid(data.Bytes()) {
		t.Errorf("json, %v", err)
	}
}

func TestMetastable(t *testing.T) {
	race.OneGoroutine(t)
	a, err := Metastable(MetastableQuestion{Scenario: scenario(t, "metastable-spike.yaml"),
		Sizes: []float64{1}, Lengths: []time.Duration{2 * time.Second, 3 * time.Second},
		Watch: 110 * time.Second, Cuts: []time.Duration{60 * time.Second}, Steps: 6})
	if err != nil {
		t.Fatal(err)
	}
	if a.Map[0].Phase == "stuck" || a.Map[1].Phase != "stuck" {
		t.Errorf("map %+v", a.Map)
	}
	if math.Abs(a.SafeLoad.Load-33) > 2 {
		t.Errorf("safe load %+v, want about 33", a.SafeLoad)
	}
	var text, page, data bytes.Buffer
	if err := a.Text(&text); err != nil || !strings.Contains(text.String(), "two states") {
		t.Errorf("text %q, %v", text.String(), err)
	}
	if err := a.HTML(&page); err != nil || strings.Count(page.String(), "<svg") != 2 ||
		strings.Contains(page.String(), "http") {
		t.Errorf("page with %d pictures, %v", strings.Count(page.String(), "<svg"), err)
	}
	if err := a.JSON(&data); err != nil || !json.Valid(data.Bytes()) {
		t.Errorf("json, %v", err)
	}
}

// The number of processors must not show in a result.
func TestParallelIsInOrder(t *testing.T) {
	s := scenario(t, "checkout-cascade.yaml")
	s.For, s.Warmup = 4*time.Second, time.Second
	text := func(procs int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		runs, err := Parallel(s, search.Seeds(6))
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(runs)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if text(1) != text(2) {
		t.Error("two processors gave another result than one")
	}
}
