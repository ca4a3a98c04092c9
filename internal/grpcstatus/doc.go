// Package grpcstatus is what the statuses of gRPC mean to the policies, without
// gRPC: the adapter and the HTTP side, which sees them in trailers, go by one
// table. docs/grpc.md shows it.
package grpcstatus
