package grpcstatus

import (
	"math"
	"strconv"
	"strings"
	"time"
)

const hex = "0123456789ABCDEF"

// EncodeMessage writes a text as the value of grpc-message: bytes that are not
// printable ASCII, and the percent sign, as % and two digits.
func EncodeMessage(text string) string {
	if plain(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 16)
	for i := range len(text) {
		if c := text[i]; printable(c) {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

// DecodeMessage reads a value of grpc-message. What is not encoded well stays as
// it is: a message is for people, and half of one is better than none.
func DecodeMessage(value string) string {
	if !strings.Contains(value, "%") {
		return value
	}
	var b strings.Builder
	b.Grow(len(value))
	for i := 0; i < len(value); i++ {
		if value[i] == '%' && i+2 < len(value) {
			if n, err := strconv.ParseUint(value[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(value[i])
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

func plain(text string) bool {
	for i := range len(text) {
		if !printable(text[i]) {
			return false
		}
	}
	return true
}

func printable(c byte) bool { return c >= ' ' && c <= '~' && c != '%' }

// millis writes a duration as the 32-bit milliseconds of a pushback.
func millis(d time.Duration) string {
	ms := max(d, 0) / time.Millisecond
	if d > 0 && d%time.Millisecond != 0 {
		ms++
	}
	return strconv.FormatInt(int64(min(ms, math.MaxInt32)), 10)
}
