package grpcstatus

import (
	"net/http"
	"strconv"
)

// Code is the code of a status.
type Code uint32

// The codes, by gRPC's numbers.
const (
	OK Code = iota
	Cancelled
	Unknown
	InvalidArgument
	DeadlineExceeded
	NotFound
	AlreadyExists
	PermissionDenied
	ResourceExhausted
	FailedPrecondition
	Aborted
	OutOfRange
	Unimplemented
	Internal
	Unavailable
	DataLoss
	Unauthenticated
)

// Codes is how many codes there are.
const Codes = 17

var names = [Codes]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
	"ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
	"ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
	"UNAUTHENTICATED",
}

// String returns the code's name as the specification writes it, or its number
// if it has none.
func (c Code) String() string {
	if c < Codes {
		return names[c]
	}
	return c.digits()
}

// digits writes the value of grpc-status.
func (c Code) digits() string { return strconv.FormatUint(uint64(c), 10) }

// Parse reads the value of grpc-status. What is no number is Unknown and not
// ok; a number that has no name is a code all the same.
func Parse(value string) (c Code, ok bool) {
	n, err := strconv.ParseUint(value, 10, 32)
	if err != nil || value[0] == '+' {
		return Unknown, false
	}
	return Code(n), true
}

// OfHTTP returns the code of an answer that has no grpc-status, by its HTTP
// status: something between the two ends has answered.
func OfHTTP(status int) Code {
	switch status {
	case http.StatusBadRequest, http.StatusRequestHeaderFieldsTooLarge:
		return Internal
	case http.StatusUnauthorized:
		return Unauthenticated
	case http.StatusForbidden:
		return PermissionDenied
	case http.StatusNotFound:
		return Unimplemented
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout:
		return Unavailable
	}
	return Unknown
}
