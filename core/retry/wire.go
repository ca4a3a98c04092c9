package retry

import (
	"math"
	"time"
)

// The marks by which layers agree that one of them retries.
const (
	// AttemptHeader is set on requests: 1 for the first attempt, 2 for the
	// next. A layer that receives 2 or more makes one attempt only, because
	// the layer above is retrying already.
	AttemptHeader = "X-Seakeep-Attempt"
	// EnvoyAttemptHeader is what Envoy calls the same.
	EnvoyAttemptHeader = "X-Envoy-Attempt-Count"
	// NoRetryHeader is set to 1 on answers that the layer above must not try
	// again: this layer has retried already, or sheds on purpose.
	NoRetryHeader = "X-Seakeep-No-Retry"
)

// maxAttemptMark bounds what ParseAttempt returns. It is what one byte holds.
const maxAttemptMark = math.MaxUint8

// ParseAttempt reads the value of AttemptHeader or EnvoyAttemptHeader: a
// decimal number from 1 up. A number over 255 reads as 255. Anything else is
// not ok and says nothing.
func ParseAttempt(value string) (n int, ok bool) {
	count, ok := digits(value)
	if !ok || count == 0 {
		return 0, false
	}
	return int(min(count, maxAttemptMark)), true
}

// httpDates are the three forms of a date in HTTP. The zone is spelled out,
// which keeps Parse from asking the machine for its own.
var httpDates = [...]string{
	"Mon, 02 Jan 2006 15:04:05 GMT",
	"Monday, 02-Jan-06 15:04:05 GMT",
	"Mon Jan _2 15:04:05 2006",
}

// ParseRetryAfter reads a Retry-After value: whole seconds, or an HTTP date
// that is compared with wall, the time of day. The answer saturates and is
// then capped by limit, where 0 means no cap. A date in the past is 0. A value
// in neither form is not ok and says nothing.
func ParseRetryAfter(value string, wall time.Time, limit time.Duration) (d time.Duration, ok bool) {
	if limit <= 0 {
		limit = math.MaxInt64
	}
	if seconds, ok := digits(value); ok {
		if seconds > int64(limit/time.Second) {
			return limit, true
		}
		return time.Duration(seconds) * time.Second, true
	}
	for _, layout := range httpDates {
		if date, err := time.ParseInLocation(layout, value, time.UTC); err == nil {
			return min(max(date.Sub(wall), 0), limit), true
		}
	}
	return 0, false
}

// ParsePushback reads the values of gRPC's grpc-retry-pushback-ms. Without a
// value it is not ok, and retry is true. With one, retry says whether to try
// again, exactly after d. A value that is negative, malformed or repeated
// means "do not": to read it as 0 would hammer a server that asked for peace.
func ParsePushback(values []string) (d time.Duration, retry bool, ok bool) {
	if len(values) == 0 {
		return 0, true, false
	}
	ms, plain := digits(values[0])
	leadingZero := len(values[0]) > 1 && values[0][0] == '0'
	if len(values) > 1 || !plain || leadingZero || ms > math.MaxInt32 {
		return 0, false, true
	}
	return time.Duration(ms) * time.Millisecond, true, true
}

// digits reads a decimal number without sign, saturating.
func digits(s string) (n int64, ok bool) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		digit := int64(s[i] - '0')
		if n > (math.MaxInt64-digit)/10 {
			n = math.MaxInt64
			continue
		}
		n = n*10 + digit
	}
	return n, s != ""
}
