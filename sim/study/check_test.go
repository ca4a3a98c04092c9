package study

import (
	"math"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/config"
)

func expectation(t *testing.T, text string) config.Expectation {
	t.Helper()
	e, err := config.ParseExpectation(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestJudge(t *testing.T) {
	f := Figure{Unit: Share, Mean: 0.99, Low: 0.98, High: 1, Half: 0.01}
	exact := Figure{Unit: Number, Mean: 3, Low: 3, High: 3}
	none := Figure{Mean: math.NaN(), Low: math.NaN(), High: math.NaN(), Half: math.NaN()}
	for _, tc := range []struct {
		text        string
		f           Figure
		holds, sure bool
	}{
		{"x.y > 95%", f, true, true},
		{"x.y > 98.5%", f, true, false},
		{"x.y > 99.5%", f, false, false},
		{"x.y < 97%", f, false, true},
		{"x.y <= 99%", f, true, false},
		{"x.y >= 99%", f, true, false},
		{"x.y < 99%", f, false, false},
		{"x.y = 99.5%", f, true, false},
		{"x.y = 97%", f, false, true},
		{"x.y = 3", exact, true, true},
		{"x.y > 2.5", exact, true, true},
		{"x.y < 3", none, false, false},
		{"x.y = 3", none, false, true},
	} {
		got := judge(expectation(t, tc.text), tc.f)
		if got.Holds != tc.holds || got.Sure != tc.sure {
			t.Errorf("%s, it is %v to %v: holds %v, sure %v", tc.text, tc.f.Low, tc.f.High, got.Holds, got.Sure)
		}
	}
	for want, got := range map[string]Finding{
		"holds: x.y > 95%, it is 99.0 % ±1.0":               judge(expectation(t, "x.y > 95%"), f),
		"fails, not surely: x.y > 99.5%, it is 99.0 % ±1.0": judge(expectation(t, "x.y > 99.5%"), f),
		"fails: x.y > 1, but there is no such figure":       judge(expectation(t, "x.y > 1"), none),
	} {
		if !strings.HasPrefix(got.Text(), want) {
			t.Errorf("%q, want %q", got.Text(), want)
		}
	}
}

func TestCheck(t *testing.T) {
	s := checkout(t, "", "expect: [endpoints.pricing.success > 99%, services.checkout.busy < 30]\n")
	sum := Summarise(runs(t, s, 2))
	found, err := sum.Check(s.Expect)
	if err != nil || len(found) != 2 || !found[0].Holds || !found[1].Holds {
		t.Errorf("%+v, %v", found, err)
	}
	_, err = sum.Check([]config.Expectation{expectation(t, "endpoints.pricin.success > 1%")})
	if err == nil || !strings.Contains(err.Error(), "did you mean endpoints.pricing.success?") {
		t.Errorf("%v", err)
	}
}

func TestParseWish(t *testing.T) {
	for text, want := range map[string]Wish{
		"endpoints.pricing.success=0.5%": {"endpoints.pricing.success", 0.005, true},
		"endpoints.pricing.p99=2ms":      {"endpoints.pricing.p99", 0.002, false},
		"services.checkout.rate=3/s":     {"services.checkout.rate", 3, false},
		"services.checkout.busy=0.1":     {"services.checkout.busy", 0.1, false},
	} {
		if w, err := ParseWish(text); err != nil || !near(w.Half, want.Half, 1e-12) || w.Key != want.Key ||
			w.part != want.part {
			t.Errorf("%s: %+v, %v", text, w, err)
		}
	}
	for _, text := range []string{"", "x", "a.b", "a.b=", "a.b=0%", "a.b=-1", "a.b=x", "a.b<1", "=1%"} {
		if w, err := ParseWish(text); err == nil || !strings.Contains(err.Error(), "is not a figure") {
			t.Errorf("%q: %+v, %v", text, w, err)
		}
	}
}

func TestMore(t *testing.T) {
	sum := Summarise(runs(t, checkout(t, "", slow), 5))
	f, err := sum.Get("endpoints.pricing.success")
	if err != nil {
		t.Fatal(err)
	}
	wish := func(half float64) []Wish { return []Wish{{"endpoints.pricing.success", half, true}} }
	for _, tc := range []struct {
		wishes []Wish
		most   int
		want   int
	}{
		{nil, 100, 5},
		{wish(f.Half * 1.01), 100, 5},
		{wish(f.Half / 1.2), 100, 8},
		{wish(f.Half / 100), 1000, 20}, // four times as many at once
		{wish(f.Half / 100), 12, 12},
		{wish(f.Half / 100), 5, 5},
		// A part of a figure that is no share itself.
		{[]Wish{{"services.checkout.busy", 0.9, true}}, 100, 5},
	} {
		if n, err := sum.More(tc.wishes, tc.most); err != nil || n != tc.want {
			t.Errorf("%+v, at most %d: %d runs, want %d (%v)", tc.wishes, tc.most, n, tc.want, err)
		}
	}
	if _, err := sum.More([]Wish{{Key: "x.y", Half: 1}}, 10); err == nil {
		t.Error("a wish for no figure was heard")
	}
	if !sum.Met(wish(1)[0]) || sum.Met(wish(1e-9)[0]) || sum.Met(Wish{Key: "x.y", Half: 1}) {
		t.Error("wishes are met that are not, or the other way round")
	}
}
