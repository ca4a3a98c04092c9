package grpchealth

import (
	"encoding/binary"
	"errors"
)

// The methods of the protocol, as paths.
const (
	Check = "/grpc.health.v1.Health/Check"
	Watch = "/grpc.health.v1.Health/Watch"
	List  = "/grpc.health.v1.Health/List"
)

// Status is a HealthCheckResponse.ServingStatus.
type Status uint64

// The statuses, by their numbers.
const (
	Unknown Status = iota
	Serving
	NotServing
	ServiceUnknown
)

// MostRequest bounds a request: a name is shorter.
const MostRequest = 4 << 10

// errMessage is what is wrong with a message that cannot be read.
var errMessage = errors.New("the message is not one of grpc.health.v1")

// Request writes a HealthCheckRequest as a message of gRPC.
func Request(service string) []byte {
	if service == "" {
		return frame(nil)
	}
	return frame(text(nil, 1, service))
}

// ParseRequest reads the service that a HealthCheckRequest asks about.
func ParseRequest(b []byte) (service string, err error) {
	err = walk(b, func(field int, _ uint64, value []byte) {
		if field == 1 && value != nil {
			service = string(value)
		}
	})
	return service, err
}

// Response writes a HealthCheckResponse as a message of gRPC.
func Response(s Status) []byte { return frame(response(s)) }

// ParseResponse reads the status out of a HealthCheckResponse.
func ParseResponse(b []byte) (s Status, err error) {
	err = walk(b, func(field int, number uint64, value []byte) {
		if field == 1 && value == nil {
			s = Status(number)
		}
	})
	if err != nil {
		return Unknown, err
	}
	return s, nil
}

// Named is the status of a service.
type Named struct {
	Service string
	Status  Status
}

// ListResponse writes a HealthListResponse as a message of gRPC: a map, whose
// entries are messages of their own.
func ListResponse(all []Named) []byte {
	var m []byte
	for _, n := range all {
		entry := text(nil, 1, n.Service)
		entry = text(entry, 2, string(response(n.Status)))
		m = text(m, 1, string(entry))
	}
	return frame(m)
}

func response(s Status) []byte {
	if s == Unknown { // the zero of a field is not written
		return nil
	}
	return binary.AppendUvarint([]byte{1 << 3}, uint64(s))
}

// text appends a field that is a text or a message.
func text(m []byte, field int, value string) []byte {
	m = binary.AppendUvarint(m, uint64(field)<<3|2)
	m = binary.AppendUvarint(m, uint64(len(value)))
	return append(m, value...)
}

// frame writes what is before a message: that it is not compressed, and its
// length.
func frame(m []byte) []byte {
	out := binary.BigEndian.AppendUint32(make([]byte, 1, 5+len(m)), uint32(len(m)))
	return append(out, m...)
}

// walk reads the fields of the one message of gRPC that b is. A text is given as
// value, which is not nil then, and a number as number; others are passed over.
// Of several fields of one number the last counts, as Protocol Buffers have it,
// so that each must be looked at.
func walk(b []byte, got func(field int, number uint64, value []byte)) error {
	if len(b) < 5 || b[0] != 0 || uint64(binary.BigEndian.Uint32(b[1:])) != uint64(len(b)-5) {
		return errMessage
	}
	for b = b[5:]; len(b) > 0; {
		tag, n := binary.Uvarint(b)
		if n <= 0 || tag>>3 == 0 {
			return errMessage
		}
		b = b[n:]
		number, size, value := uint64(0), 0, []byte(nil)
		switch tag & 7 {
		case 0:
			number, size = binary.Uvarint(b)
		case 1:
			size = 8
		case 2:
			length, n := binary.Uvarint(b)
			if n <= 0 || length > uint64(len(b)-n) {
				return errMessage
			}
			size = n + int(length)
			value = append([]byte{}, b[n:size]...)
		case 5:
			size = 4
		}
		if size <= 0 || size > len(b) {
			return errMessage
		}
		b = b[size:]
		if kind := tag & 7; kind == 0 || kind == 2 {
			got(int(min(tag>>3, 1<<30)), number, value)
		}
	}
	return nil
}
