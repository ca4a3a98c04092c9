// Package deadline decides how much time a call and each of its attempts may
// take, and says it to the next service.
//
// A timeout alone puts a ceiling on what one slow dependency can hold: rate
// times timeout. It does not add up to a promise, though. Three services that
// each allow one second and one retry keep a user waiting for eight. So one
// deadline is set at the edge, every call gets the smaller of its own limit
// and what is left of that deadline, and the rest travels on.
//
// # Algorithm
//
// Minimum and subtraction, saturating at both ends:
//
//	call    = min(now + Total, caller - Reserve)
//	attempt = min(now + Request, call)
//
// Work that cannot finish is refused before it starts: when less is left than
// the operation usually Needs. The same holds for a wait before a retry.
// Because deadlines are instants and not lengths, calls made one after another
// share what is left, and calls made side by side each get all of it.
//
// What travels is a duration, never a clock time: clocks of two machines
// differ, and a clock time would stretch or shrink by that difference. Three
// headers carry it: gRPC's grpc-timeout, Envoy's
// x-envoy-expected-rq-timeout-ms and our own X-Seakeep-Deadline, in
// milliseconds. Encoding rounds up to the next unit, as gRPC's own encoders
// do, so that a short rest never becomes "expired" on the way.
//
// A deadline that came in a header was right when it was sent. Whoever reads it
// keeps a Margin back, so that it is we who say that time is up and not the
// sender who leaves.
//
// # Locking
//
// None: a Config is a value and every function is pure.
//
// # Source
//
// Deadline propagation is described in "Site Reliability Engineering",
// chapter 22, "Addressing Cascading Failures". The grammar of grpc-timeout is
// from the document "gRPC over HTTP2".
package deadline
