package wire

import (
	"net/textproto"
	"strings"
)

// FieldName is a field's name as net/http writes it. Those that are common cost
// nothing.
func FieldName(name string) string {
	if known, ok := names[name]; ok {
		return known
	}
	return textproto.CanonicalMIMEHeaderKey(name)
}

// LowerName is a field's name as HTTP/2 writes it.
func LowerName(name string) string {
	if known, ok := lowers[name]; ok {
		return known
	}
	return strings.ToLower(name)
}

// IsPlainPath reports whether a target's path is written as it is meant: it has
// none but letters, digits and what never needs to be escaped.
func IsPlainPath(target string) bool {
	for i := range len(target) {
		switch c := target[i]; {
		case c == '?':
			return true
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '/', c == '-', c == '_', c == '.', c == '~':
		default:
			return false
		}
	}
	return true
}

var names, lowers = func() (names, lowers map[string]string) {
	names, lowers = map[string]string{}, map[string]string{}
	for _, name := range []string{"Accept", "Accept-Encoding", "Accept-Language", "Age", "Authorization",
		"Cache-Control", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Cookie",
		"Date", "Etag", "Expires", "Forwarded", "Grpc-Accept-Encoding", "Grpc-Encoding", "Grpc-Message",
		"Grpc-Status", "Grpc-Timeout", "Host", "Idempotency-Key", "If-Modified-Since", "If-None-Match",
		"Last-Modified", "Location", "Origin", "Proxy-Status", "Range", "Referer", "Retry-After",
		"Server", "Set-Cookie", "Te", "Traceparent", "Tracestate", "Trailer", "User-Agent", "Vary",
		"Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Request-Id",
		"X-Seakeep-Criticality", "X-Seakeep-Deadline", "X-Tenant"} {
		known, lower := textproto.CanonicalMIMEHeaderKey(name), strings.ToLower(name)
		names[known], names[lower] = known, known
		lowers[known], lowers[lower] = lower, lower
	}
	return names, lowers
}()
