package retry

import (
	"math"
	"strings"
	"testing"
	"time"
)

// sunday is the instant RFC 9110 uses in its examples of dates.
var sunday = time.Date(1994, time.November, 6, 8, 49, 37, 0, time.UTC)

func TestF039RetryAfterSaturates(t *testing.T) {
	const limit = 30 * time.Second
	tests := map[string]time.Duration{
		"0": 0, "5": 5 * time.Second, "29": 29 * time.Second, "30": limit, "31": limit,
		"9223372036": limit, "9223372037": limit, "9223372036854775807": limit,
		"9223372036854775808": limit, "1234567890123456789012345": limit,
	}
	for value, want := range tests {
		if got, ok := ParseRetryAfter(value, sunday, limit); !ok || got != want {
			t.Errorf("%q: %v, %v; want %v", value, got, ok, want)
		}
	}
	for _, value := range []string{"-1", "+1", "1.5", "abc", "", "5 s", " 5", "5s", "0x5", "٥"} {
		if got, ok := ParseRetryAfter(value, sunday, limit); ok {
			t.Errorf("%q is read as %v, but says nothing", value, got)
		}
	}
	if got, _ := ParseRetryAfter("9223372037", sunday, 0); got != math.MaxInt64 {
		t.Errorf("without a cap it does not saturate: %v", got)
	}
}

func TestF040RetryAfterDates(t *testing.T) {
	const limit = time.Hour
	c := Config{Attempts: 2, Backoff: Backoff{Base: time.Second, Jitter: None}, MaxWait: limit}
	tests := map[string]time.Duration{
		"Sun, 06 Nov 1994 08:49:47 GMT":  10 * time.Second,
		"Sunday, 06-Nov-94 08:49:47 GMT": 10 * time.Second,
		"Sun Nov  6 08:49:47 1994":       10 * time.Second,
		// A date that has passed leaves the wait to the backoff.
		"Sun, 06 Nov 1994 08:49:07 GMT": time.Second,
		// A date in a far year is capped like a huge number.
		"Fri, 31 Dec 9999 23:59:59 GMT": limit,
	}
	for value, want := range tests {
		d, ok := ParseRetryAfter(value, sunday, limit)
		if !ok || d < 0 {
			t.Errorf("%q: %v, %v", value, d, ok)
		}
		if got := c.Wait(1, 0, retryAfter(d), 0); got != want {
			t.Errorf("%q: wait %v, want %v", value, got, want)
		}
	}
	for _, value := range []string{
		"Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 PST", "Sun, 06 Nov 1994",
		"1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37",
	} {
		if d, ok := ParseRetryAfter(value, sunday, limit); ok {
			t.Errorf("%q is read as %v, but says nothing", value, d)
		}
	}
}

func TestF041RetryAfterIsSeconds(t *testing.T) {
	d, ok := ParseRetryAfter("2", sunday, time.Minute)
	if !ok || d != 2*time.Second {
		t.Fatalf("\"2\" is %v, %v", d, ok)
	}
	// The backoff's jitter only ever adds: the wait is the longer of the two.
	c := Config{Attempts: 2, Backoff: Backoff{Base: time.Second, Cap: 4 * time.Second}}
	for i := range 100 {
		if wait := c.Wait(3, 0, retryAfter(d), float64(i)/100); wait < d || wait > 4*time.Second {
			t.Errorf("draw %d %%: wait %v", i, wait)
		}
	}
}

func TestF069Pushback(t *testing.T) {
	tests := []struct {
		values []string
		d      time.Duration
		retry  bool
		ok     bool
	}{
		{nil, 0, true, false},
		{[]string{"500"}, 500 * ms, true, true},
		{[]string{"0"}, 0, true, true},
		{[]string{"2147483647"}, math.MaxInt32 * ms, true, true},
		{[]string{"-1"}, 0, false, true},
		{[]string{"abc"}, 0, false, true},
		{[]string{""}, 0, false, true},
		{[]string{"500", "500"}, 0, false, true},
		{[]string{"2147483648"}, 0, false, true},
		{[]string{"99999999999999999999"}, 0, false, true},
		{[]string{"0500"}, 0, false, true},
		{[]string{"+500"}, 0, false, true},
		{[]string{"1.5"}, 0, false, true},
	}
	for _, test := range tests {
		d, retry, ok := ParsePushback(test.values)
		if d != test.d || retry != test.retry || ok != test.ok {
			t.Errorf("%q: %v, %v, %v; want %v, %v, %v",
				test.values, d, retry, ok, test.d, test.retry, test.ok)
		}
	}
}

func TestAttemptMark(t *testing.T) {
	for value, want := range map[string]int{
		"1": 1, "2": 2, "007": 7, "255": 255, "256": 255, "99999999999999999999": 255,
	} {
		if got, ok := ParseAttempt(value); !ok || got != want {
			t.Errorf("%q: %d, %v; want %d", value, got, ok, want)
		}
	}
	zeros := strings.Repeat("0", 1000)
	for _, value := range []string{"", "0", "000", "-1", "+1", "1.0", "one", " 1", zeros} {
		if got, ok := ParseAttempt(value); ok {
			t.Errorf("%q is read as %d", value, got)
		}
	}
}

func FuzzParseRetryAfter(f *testing.F) {
	for _, seed := range []string{"5", "-1", "9223372037", "Sun Nov  6 08:49:47 1994",
		"Sunday, 06-Nov-94 08:49:47 GMT", "Sun, 06 Nov 1994 08:49:47 GMT", "1e9"} {
		f.Add(seed, int64(0), int64(30*time.Second))
	}
	f.Add("5", int64(math.MaxInt64), int64(-5))
	f.Fuzz(func(t *testing.T, value string, unix, limit int64) {
		d, ok := ParseRetryAfter(value, time.Unix(unix, 0), time.Duration(limit))
		if d < 0 || limit > 0 && d > time.Duration(limit) || !ok && d != 0 {
			t.Errorf("%q: %v, %v", value, d, ok)
		}
	})
}

func FuzzParsePushback(f *testing.F) {
	f.Add("500", "", false)
	f.Add("-1", "500", true)
	f.Add("99999999999999999999", "", false)
	f.Fuzz(func(t *testing.T, first, second string, two bool) {
		values := []string{first}
		if two {
			values = append(values, second)
		}
		d, retry, ok := ParsePushback(values)
		if !ok || d < 0 || d > math.MaxInt32*ms || two && retry || !retry && d != 0 {
			t.Errorf("%q: %v, %v, %v", values, d, retry, ok)
		}
	})
}

func FuzzParseAttempt(f *testing.F) {
	for _, seed := range []string{"1", "0", "-1", "99999999999999999999", "1.5"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		n, ok := ParseAttempt(value)
		if ok && (n < 1 || n > maxAttemptMark) || !ok && n != 0 {
			t.Errorf("%q: %d, %v", value, n, ok)
		}
	})
}
