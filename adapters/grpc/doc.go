// Package seakeepgrpc protects calls of gRPC: a Client's interceptors carry a
// program's calls through the policies of its file, a Server's interceptors
// protect a service from its callers.
//
//	set, err := seakeep.Open("seakeep.yaml")
//	...
//	pricing, err := seakeepgrpc.NewClient(set, "pricing")
//	conn, err := grpc.NewClient(target, append(pricing.DialOptions(), creds)...)
//
// Every error that a call returns has a status. One that a policy refused is a
// *Refusal, in which errors.As also finds the *seakeep.Rejection.
//
// What each code means to the policies, when a call is repeated, and what a
// stream holds until when, is in docs/grpc.md.
package seakeepgrpc
