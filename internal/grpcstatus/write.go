package grpcstatus

import (
	"net/http"
	"strings"
)

// ContentType is what messages of gRPC say they are, perhaps with more behind a
// plus sign or a semicolon.
const ContentType = "application/grpc"

// The names of fields as net/http has them.
const (
	StatusHeader   = "Grpc-Status"
	MessageHeader  = "Grpc-Message"
	PushbackHeader = "Grpc-Retry-Pushback-Ms"
	AttemptsHeader = "Grpc-Previous-Rpc-Attempts"
)

// Speaks reports whether a message is gRPC's, whose ends expect a status of
// gRPC. The dialect for browsers is HTTP to its clients, and understands an
// answer of HTTP.
func Speaks(h http.Header) bool {
	values := h["Content-Type"]
	if len(values) == 0 {
		return false
	}
	rest, ok := strings.CutPrefix(values[0], ContentType)
	return ok && (rest == "" || rest[0] == '+' || rest[0] == ';')
}

// Write answers a call with a status and nothing else, which to its client is a
// status of gRPC and not one of HTTP. An empty pushback is none. Header fields
// that are set already stay.
func Write(w http.ResponseWriter, code Code, message, pushback string) {
	h := w.Header()
	h["Content-Type"] = []string{ContentType}
	Set(h, code, message, pushback)
	w.WriteHeader(http.StatusOK)
}

// Set puts a status into a header, or a trailer.
func Set(h http.Header, code Code, message, pushback string) {
	values := [...]string{code.digits(), EncodeMessage(message), pushback}
	h[StatusHeader] = values[0:1:1]
	if message != "" {
		h[MessageHeader] = values[1:2:2]
	}
	if pushback != "" {
		h[PushbackHeader] = values[2:3:3]
	}
}
