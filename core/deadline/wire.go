package deadline

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// The headers that carry the time left. Each names a duration as it was when
// the request was sent.
const (
	// Header is Seakeep's own: decimal milliseconds. 0 means the time is up.
	Header = "X-Seakeep-Deadline"
	// EnvoyHeader is set by Envoy: decimal milliseconds. Envoy writes 0 for
	// "no limit", and 1 when the time is up.
	EnvoyHeader = "X-Envoy-Expected-Rq-Timeout-Ms"
	// GRPCHeader is set by gRPC clients: up to eight digits and a unit.
	GRPCHeader = "Grpc-Timeout"
)

// longest stands for "later than anyone can wait", where a value on the wire
// exceeds the range of a Duration (292 years).
const longest = time.Duration(math.MaxInt64)

// grpcDigits is how many digits grpc-timeout allows.
const grpcDigits = 8

// Margin returns how much of a time that came in a header to keep back. It was
// right when the request was sent: since then the request was on its way, and
// whoever wrote it may have rounded it up. Without a margin the sender's limit
// passes before ours, it leaves, and nobody here learns that time ran out.
//
// A twentieth, because a short time can spare less; at least a millisecond,
// which is what rounding adds, and at most five, which is more than one way
// takes within a region; and never more than half.
func Margin(left time.Duration) time.Duration {
	const least, most = time.Millisecond, 5 * time.Millisecond
	return max(min(max(left/20, least), most, left/2), 0)
}

type grpcUnit struct {
	letter byte
	length time.Duration
}

// grpcUnits is ordered from fine to coarse, so that encoding loses the least.
var grpcUnits = [...]grpcUnit{
	{'n', time.Nanosecond}, {'u', time.Microsecond}, {'m', time.Millisecond},
	{'S', time.Second}, {'M', time.Minute}, {'H', time.Hour},
}

// EncodeGRPC writes d as a grpc-timeout value, in the finest unit that holds
// it in eight digits and rounded up to that unit: the peer never gets less
// time than there is. A d of 0 or less is "0n".
func EncodeGRPC(d time.Duration) string {
	const limit = 99_999_999
	for _, u := range grpcUnits {
		if n := ceilDiv(max(d, 0), u.length); n <= limit {
			return strconv.FormatInt(n, 10) + string(u.letter)
		}
	}
	return "" // not reached: the longest Duration is 2,562,048 hours
}

// DecodeGRPC reads a grpc-timeout value: one to eight digits and one of the
// units H, M, S, m, u and n. A value beyond the range of a Duration becomes
// the longest one. Anything else is an error, never a silent zero.
func DecodeGRPC(s string) (time.Duration, error) {
	digits := len(s) - 1
	if digits < 1 || digits > grpcDigits || !allDigits(s[:digits]) {
		return 0, malformed(GRPCHeader, s, "one to eight digits and a unit, such as 250m")
	}
	for _, u := range grpcUnits {
		if u.letter == s[digits] {
			return saturate(s[:digits], u.length), nil
		}
	}
	return 0, malformed(GRPCHeader, s, "a unit out of H, M, S, m, u and n")
}

// EncodeMillis writes d as decimal milliseconds, rounded up: less than one
// millisecond is "1", because "0" says that the time is up. A d of 0 or less
// is "0".
func EncodeMillis(d time.Duration) string {
	return strconv.FormatInt(ceilDiv(max(d, 0), time.Millisecond), 10)
}

// DecodeMillis reads decimal milliseconds. A negative number means that the
// time was up before the request was sent and reads as 0; a number beyond the
// range of a Duration becomes the longest one. Anything else is an error.
func DecodeMillis(s string) (time.Duration, error) {
	return decodeMillis(Header, s)
}

func decodeMillis(header, s string) (time.Duration, error) {
	if allDigits(s) {
		return saturate(s, time.Millisecond), nil
	}
	if len(s) > 1 && s[0] == '-' && allDigits(s[1:]) {
		return 0, nil
	}
	return 0, malformed(header, s, "whole milliseconds, such as 250")
}

// Read looks for a deadline in a request's headers, through a function such as
// http.Header.Get that answers "" for a header that is not there. It returns
// the smallest of those present. A malformed header is ignored and reported:
// err may come together with a deadline found in another header.
func Read(get func(name string) string) (left time.Duration, found bool, err error) {
	left = longest
	note := func(d time.Duration, e error) {
		if e != nil {
			err = errors.Join(err, e)
			return
		}
		left, found = min(left, d), true
	}
	if s := get(Header); s != "" {
		note(decodeMillis(Header, s))
	}
	if s := get(EnvoyHeader); s != "" {
		// Envoy's 0 is "no limit": to read it as "time is up" would refuse a
		// call that nobody wants to end.
		if d, e := decodeMillis(EnvoyHeader, s); e != nil || d > 0 {
			note(d, e)
		}
	}
	if s := get(GRPCHeader); s != "" {
		note(DecodeGRPC(s))
	}
	if !found {
		left = 0
	}
	return left, found, err
}

func malformed(header, value, want string) error {
	const keep = 40 // a header may be long and hostile; its beginning tells enough
	if len(value) > keep {
		value = value[:keep] + "..."
	}
	return fmt.Errorf("deadline: %s is %q; want %s", header, value, want)
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// saturate returns digits times unit, or the longest Duration if that is less.
func saturate(digits string, unit time.Duration) time.Duration {
	limit := int64(longest / unit)
	var n int64
	for i := range len(digits) {
		digit := int64(digits[i] - '0')
		if n > (limit-digit)/10 {
			return longest
		}
		n = n*10 + digit
	}
	return time.Duration(n) * unit
}

func ceilDiv(d, unit time.Duration) int64 {
	n := int64(d / unit)
	if d%unit != 0 {
		n++
	}
	return n
}
