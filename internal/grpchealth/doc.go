// Package grpchealth is as much of gRPC and of Protocol Buffers as
// grpc.health.v1 needs: a request with a text, answers with a number or with
// numbers by name. Those who ask for health and those who tell of it share it.
package grpchealth
