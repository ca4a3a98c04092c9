package problem

import (
	"encoding/json"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"
)

func TestF041ComeBack(t *testing.T) {
	for _, tc := range []struct {
		after time.Duration
		draw  float64
		want  int
	}{
		{2 * time.Second, 0, 2}, {2 * time.Second, 0.99, 3}, {2001 * time.Millisecond, 0, 3},
		{time.Millisecond, 0, 1}, {time.Minute, 0, 60}, {time.Minute, 0.999, 72},
		{0, 0, 1}, {0, 0.7, 2}, {-time.Second, 0.2, 1},
	} {
		if got := (Problem{RetryAfter: tc.after}).comeBack(tc.draw); got != tc.want {
			t.Errorf("comeBack(%v, %v) is %d, want %d", tc.after, tc.draw, got, tc.want)
		}
	}
}

// Whoever is sent away comes back at different times, and never at once.
func TestF128RetryAfterIsSpread(t *testing.T) {
	seen := map[int]bool{}
	for i := range 1000 {
		w := httptest.NewRecorder()
		Write(w, Problem{Status: 503, Spread: 5 * time.Second, Attempts: -1})
		seconds, err := strconv.Atoi(w.Header().Get("Retry-After"))
		if err != nil || seconds < 1 || seconds > 5 {
			t.Fatalf("answer %d says Retry-After %q", i, w.Header().Get("Retry-After"))
		}
		seen[seconds] = true
	}
	if len(seen) != 5 {
		t.Errorf("of 1 to 5 seconds only %v occur", seen)
	}
}

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{"": `""`, "a": `"a"`, "a\"\\b": `"a\"\\b"`, "é\n": `"???"`} {
		if got := Quote(text); got != want {
			t.Errorf("Quote(%q) is %s, want %s", text, got, want)
		}
	}
}

func TestWrite(t *testing.T) {
	w := httptest.NewRecorder()
	Write(w, Problem{Status: 429, Type: QuotaExceeded, Detail: "No.", Error: RequestError,
		Policy: "checkout", Reason: "tenant-limit", Cause: "x\n", Attempts: -1,
		RetryAfter: 1500 * time.Millisecond, NoRetry: true})
	var got map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{"type": QuotaExceeded, "title": "Too Many Requests",
		"status": 429.0, "detail": "No.", "error": RequestError, "policy": "checkout",
		"reason": "tenant-limit", "retry_after_ms": 1500.0, "attempts": nil} {
		if got[key] != want {
			t.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
	for name, want := range map[string]string{"Content-Type": "application/problem+json",
		"Retry-After": "2", "X-Seakeep-No-Retry": "1", "Cache-Control": "no-store",
		"Proxy-Status": `seakeep; error=http_request_error; status-code=429; details="tenant-limit: x?"`} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
