package config

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// F169: a time without a unit is 400 ns to one program and 400 s to the next.
func TestF169DurationsNeedAUnit(t *testing.T) {
	for _, bad := range []string{`400`, `"400"`, `1.5`, `"5 s"`, `"1d"`, `""`, `"1e3s"`, `"NaNs"`,
		`"2562048h"`, `-1s`, `+1s`, `.5s`, `1s5`, `s`, `1 s`, `"1,5s"`, `0`, `-400`, `.inf`, `.nan`,
		`true`, `1S`, `1ms1`, `"\t1s"`, `1s.`, `9999999999999999999999s`, `2000-01-01`} {
		t.Run(bad, func(t *testing.T) {
			wants(t, dependency("timeout: {request: "+bad+"}"), "4:",
				"dependencies.a.timeout.request: ", "such as 250ms")
		})
	}
	for good, want := range map[string]time.Duration{
		`400ms`: 400 * time.Millisecond, `"400ms"`: 400 * time.Millisecond,
		`1.5s`: 1500 * time.Millisecond, `1m30s`: 90 * time.Second, `1us`: time.Microsecond, `1µs`: time.Microsecond,
		`1μs`: time.Microsecond, `8760h`: 8760 * time.Hour, `0h1m`: time.Minute,
	} {
		f := mustParse(t, dependency("timeout: {request: "+good+"}"))
		if got := f.Dependencies[0].Call.Timeout.Request; got != want {
			t.Errorf("%s is read as %v", good, got)
		}
	}
	wants(t, dependency("timeout: {request: 400}"), "400 has no unit")
	wants(t, dependency("timeout: {request: -1s}"), `"-1s" is negative`)
	wants(t, dependency("timeout: {request: 2562048h}"), "is longer than a year (8760h)")
	wants(t, dependency("timeout: {request: 0s}"), "is below 1µs")
}

// F169: zero is a value where the key's page says so, and an error elsewhere.
func TestF169ZeroTimes(t *testing.T) {
	for _, zero := range []string{"0s", "0ms", "0h0m0s", "0.0s"} {
		mustParse(t, dependency("timeout: {reserve: "+zero+", needs: "+zero+"}"))
		wants(t, dependency("timeout: {total: "+zero+"}"), "timeout.total")
	}
}

// F176: the bounds in the message are those in the code, and those in the
// table of docs/policy-file.md, which TestPolicyFilePage tries one by one.
func TestF176Shares(t *testing.T) {
	for _, bad := range []string{"0", "0%", "0.00001", "100.1%", "101%", "50", "1.5", "-1", "-1%",
		".nan", ".inf", "NaN", `"Inf%"`, "1e-1", `"%"`, "5 %", "50%%", "0x1", "9e99"} {
		t.Run(bad, func(t *testing.T) {
			wants(t, dependency("breaker: {failures: "+bad+"}"), "dependencies.a.breaker.failures",
				"give a share from 0.01% to 100%, such as 50%")
		})
	}
	for good, want := range map[string]float64{"0.01%": 0.0001, "0.0001": 0.0001, "50%": 0.5,
		"0.5": 0.5, `"0.5"`: 0.5, "100%": 1, "100.0%": 1, "33.3%": 0.333, "0.999": 0.999} {
		f := mustParse(t, dependency("breaker: {failures: "+good+"}"))
		if got := f.Dependencies[0].Call.Breaker.Failures; math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is read as %v", good, got)
		}
	}
	wants(t, dependency("breaker: {failures: 1}"), "1 may mean 1% or 100%")
	wants(t, dependency("breaker: {failures: 1.0}"), "may mean 1% or 100%")
	wants(t, dependency("breaker: {failures: 50}"), "50 is above 1 and has no % sign")
}

// F176: the longest time that Go can hold is beyond what the file takes, so no
// sum or product of settings can overflow.
func TestF176LongestTime(t *testing.T) {
	top := time.Duration(math.MaxInt64)
	for _, text := range []string{top.String(), "9223372036854775808ns", "8760h0m0.000000001s"} {
		wants(t, dependency("timeout: {total: "+text+"}"), "is longer than a year (8760h)")
	}
	f := mustParse(t, dependency("breaker: {open: 8760h}"))
	if got := f.Dependencies[0].Call.Breaker.Open.Cap; got != longest {
		t.Errorf("the cap of the longest open time is %v", got)
	}
}

func TestSizesAndRates(t *testing.T) {
	for text, want := range map[string]int64{
		"0B": 0, "1B": 1, "64KiB": 65536, "1kB": 1000, "1KB": 1000, "1MB": 1e6, "1MiB": 1 << 20, "1GB": 1e9, "1GiB": 1 << 30} {
		if got, problem := parseSize(text); got != want || problem != "" {
			t.Errorf("%s is read as %d (%s)", text, got, problem)
		}
	}
	for _, bad := range []string{"64", "-1B", "1.5MiB", "1TB", "MiB", "1 MB", "1mb", "",
		"9223372036854775808B", "9999999999GiB"} {
		if got, problem := parseSize(bad); problem == "" {
			t.Errorf("%q is read as %d", bad, got)
		}
	}
	for text, want := range map[string]float64{
		"333/s": 333, "30/m": 0.5, "3600/h": 1, "0.5/s": 0.5} {
		if got, problem := parseRate(text); got != want || problem != "" {
			t.Errorf("%s is read as %v (%s)", text, got, problem)
		}
	}
	for _, bad := range []string{"333", "333/d", "-1/s", "1e3/s", "/s", "1000000001/s", "NaN/s",
		"1 / s", strings.Repeat("9", 400) + "/s"} {
		if got, problem := parseRate(bad); problem == "" {
			t.Errorf("%q is read as %v", bad, got)
		}
	}
}

func TestIntegers(t *testing.T) {
	for _, bad := range []string{"0", "-1", "1.0", "1e3", "0x10", "010", "0b1", "0o7", "1_000",
		"99999999999999999999", "many", "true", "~", "[60]"} {
		wants(t, dependency("bulkhead: {limit: "+bad+"}"), "4:", "dependencies.a.bulkhead.limit: ",
			"give a whole number from 1 to 1000000, such as 60")
	}
	wants(t, dependency(`bulkhead: {limit: "60"}`),
		`"60" is text; write it without quotes, such as 60`)
}

func TestBooleans(t *testing.T) {
	for _, bad := range []string{"yes", "on", "1", `"true"`, "~", "no"} {
		wants(t, dependency("retry: {attempts: 2, ignore-retry-after: "+bad+"}"),
			"retry.ignore-retry-after")
	}
	if !mustParse(t, dependency("retry: {attempts: 2, ignore-retry-after: True}")).
		Dependencies[0].Call.Retry.IgnoreRetryAfter {
		t.Error("True is not true")
	}
}

// What Effective shows can be written back.
func TestShownValuesAreReadBack(t *testing.T) {
	for _, d := range []time.Duration{0, 1000, 25e6, time.Minute, 90 * time.Second, longest,
		time.Hour + time.Second, time.Hour + time.Minute, 1500 * time.Millisecond} {
		if got, problem := parseDuration(showDuration(d)); got != d || problem != "" {
			t.Errorf("%v shows as %s, read as %v %s", d, showDuration(d), got, problem)
		}
	}
	for _, s := range []float64{0, 0.0001, 0.1, 1.0 / 3, 0.5, 0.99, 1} {
		if got, problem := parseShare(showShare(s)); math.Abs(got-s) > 1e-9 || problem != "" {
			t.Errorf("%v shows as %s, read as %v %s", s, showShare(s), got, problem)
		}
	}
	for _, n := range []int64{0, 1, 512, 1000, 65536, 1e6, 1 << 20, 1 << 40, 1000001} {
		if got, problem := parseSize(showSize(n)); got != n || problem != "" {
			t.Errorf("%d shows as %s, read as %v %s", n, showSize(n), got, problem)
		}
	}
	for _, r := range []float64{0, 0.5, 3, 333, 1e6} {
		if got, problem := parseRate(showRate(r)); got != r || problem != "" {
			t.Errorf("%v shows as %s, read as %v %s", r, showRate(r), got, problem)
		}
	}
	got := []string{showDuration(5 * time.Minute), showDuration(time.Hour), showDuration(0)}
	if want := []string{"5m", "1h", "0s"}; !slices.Equal(got, want) {
		t.Errorf("times show as %s, want %s", got, want)
	}
}
