package proxy

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// refusing answers UNAVAILABLE, with these pushbacks, until it has been called
// often enough.
func refusing(times int32, pushback ...string) *service {
	var calls atomic.Int32
	return &service{unary: func(ctx context.Context, _ *grpc_testing.SimpleRequest,
	) (*grpc_testing.SimpleResponse, error) {
		if calls.Add(1) > times {
			return &grpc_testing.SimpleResponse{}, nil
		}
		for _, p := range pushback {
			_ = grpc.SetTrailer(ctx, metadata.Pairs("grpc-retry-pushback-ms", p))
		}
		return nil, status.Error(codes.Unavailable, "not now")
	}}
}

// The server's pushback is the wait, or the end. Without one a call that may do
// harm twice is not repeated, and one that may not is.
func TestGRPCPushback(t *testing.T) {
	const quick = "retry: {attempts: 3, backoff: {base: 1ms, cap: 1ms}, budget: none"
	for name, tc := range map[string]struct {
		pushback []string
		retry    string
		calls    int
		wait     time.Duration
		code     codes.Code
	}{
		"250":              {[]string{"250"}, quick + "}", 2, 250 * time.Millisecond, codes.OK},
		"0":                {[]string{"0"}, quick + "}", 2, 0, codes.OK},
		"-1":               {[]string{"-1"}, quick + ", idempotent: always}", 1, 0, codes.Unavailable},
		"not a number":     {[]string{"soon"}, quick + ", idempotent: always}", 1, 0, codes.Unavailable},
		"two":              {[]string{"1", "1"}, quick + ", idempotent: always}", 1, 0, codes.Unavailable},
		"above max-wait":   {[]string{"250"}, quick + ", max-wait: 100ms}", 1, 0, codes.Unavailable},
		"none":             {nil, quick + "}", 1, 0, codes.Unavailable},
		"none, idempotent": {nil, quick + ", idempotent: always}", 2, 0, codes.OK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := refusing(1, tc.pushback...)
			u := start(t, overH2C(grpcServer(t, s), tc.retry))
			_, err := u.calls("dep").UnaryCall(soon(t), &grpc_testing.SimpleRequest{})
			if status.Code(err) != tc.code {
				t.Errorf("the call ends with %v", err)
			}
			seen := s.seen()
			if len(seen) != tc.calls {
				t.Fatalf("%d calls, want %d", len(seen), tc.calls)
			}
			if tc.calls == 1 {
				return
			}
			took := seen[1].at.Sub(seen[0].at)
			if took < tc.wait || took > tc.wait+200*time.Millisecond {
				t.Errorf("the second came after %v, want %v", took, tc.wait)
			}
			if a := seen[0].meta.Get("grpc-previous-rpc-attempts"); a != nil {
				t.Errorf("the first call says %v attempts came before", a)
			}
			if a := seen[1].meta.Get("grpc-previous-rpc-attempts"); len(a) != 1 || a[0] != "1" {
				t.Errorf("the second call says %v attempts came before", a)
			}
		})
	}
}

// A method that the file calls idempotent is repeated, another one is not.
func TestGRPCIdempotentMethod(t *testing.T) {
	s := refusing(2)
	u := start(t, overH2C(grpcServer(t, s),
		"retry: {attempts: 4, backoff: {base: 1ms, cap: 1ms}, budget: none}",
		"operations:\n  - {name: echo, match: {grpc: grpc.testing.TestService/UnaryCall},\n"+
			"     retry: {idempotent: always}}"))
	if _, err := u.calls("dep").UnaryCall(soon(t), &grpc_testing.SimpleRequest{}); err != nil {
		t.Error(err)
	}
	if seen := s.seen(); len(seen) != 3 ||
		seen[2].meta.Get("grpc-previous-rpc-attempts")[0] != "2" {
		t.Errorf("the service saw %v", seen)
	}
	// Who says that it repeats by itself is believed, and told nothing else.
	again := refusing(5)
	u = start(t, overH2C(grpcServer(t, again), "retry: {attempts: 3, idempotent: always}"))
	ctx := metadata.AppendToOutgoingContext(soon(t), "x-seakeep-attempt", "2")
	if _, err := u.calls("dep").UnaryCall(ctx, &grpc_testing.SimpleRequest{}); err == nil {
		t.Error("it succeeds")
	}
	if n := len(again.seen()); n != 1 {
		t.Errorf("a repetition is tried %d times", n)
	}
}

// A copy of a slow call is a second call to the service, and the one that loses
// is cancelled there.
func TestGRPCHedge(t *testing.T) {
	var calls, cancelled atomic.Int32
	first := func(ctx context.Context, _ *grpc_testing.SimpleRequest,
	) (*grpc_testing.SimpleResponse, error) {
		if calls.Add(1) > 1 {
			return &grpc_testing.SimpleResponse{Username: "the copy"}, nil
		}
		<-ctx.Done()
		cancelled.Add(1)
		return nil, ctx.Err()
	}
	a, b := &service{unary: first}, &service{unary: first}
	u := start(t, overH2C(grpcServer(t, a)+", "+grpcServer(t, b),
		"retry: {attempts: 1, idempotent: always}",
		"hedge: {after: 30ms, budget: 100%}"))
	answer, err := u.calls("dep").UnaryCall(soon(t), &grpc_testing.SimpleRequest{})
	if err != nil || answer.Username != "the copy" {
		t.Fatalf("the call ends with %v, %v", answer, err)
	}
	until(t, "the first call is cancelled", func() bool { return cancelled.Load() == 1 })
	if n := calls.Load(); n != 2 || len(a.seen()) != 1 || len(b.seen()) != 1 {
		t.Errorf("%d calls, %d and %d of them here and there", n, len(a.seen()), len(b.seen()))
	}
}

// Whoever answers in HTTP is put into gRPC's words, by gRPC's own table.
func TestGRPCAnswersOfHTTP(t *testing.T) {
	for code, want := range map[int]codes.Code{200: codes.Unknown, 400: codes.Internal,
		401: codes.Unauthenticated, 403: codes.PermissionDenied, 404: codes.Unimplemented,
		429: codes.Unavailable, 431: codes.Internal, 500: codes.Unknown, 503: codes.Unavailable} {
		u := start(t, policy(web(t, func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "hello", code)
		})))
		_, err := u.calls("dep").UnaryCall(soon(t), &grpc_testing.SimpleRequest{})
		text := fmt.Sprintf("the dependency answered %d", code)
		if status.Code(err) != want || !strings.Contains(status.Convert(err).Message(), text) {
			t.Errorf("%d comes as %v, want %v", code, err, want)
		}
	}
}

// Our refusals are statuses of gRPC, each in its own words.
func TestGRPCRefusals(t *testing.T) {
	stay := make(chan struct{})
	s := &service{unary: func(ctx context.Context, _ *grpc_testing.SimpleRequest,
	) (*grpc_testing.SimpleResponse, error) {
		select {
		case <-stay:
		case <-ctx.Done():
		}
		return &grpc_testing.SimpleResponse{}, nil
	}}
	defer close(stay)
	u := start(t, overH2C(grpcServer(t, s), "bulkhead: {limit: 1}"))
	c := u.calls("dep")
	go func() { _, _ = c.UnaryCall(context.Background(), &grpc_testing.SimpleRequest{}) }()
	until(t, "the slot is taken", func() bool { return len(s.seen()) == 1 })
	check := func(err error, code codes.Code, words string) {
		t.Helper()
		if status.Code(err) != code || !strings.Contains(status.Convert(err).Message(), words) {
			t.Errorf("got %v, want %v and %q", err, code, words)
		}
	}
	var tail metadata.MD
	_, err := c.UnaryCall(soon(t), &grpc_testing.SimpleRequest{}, grpc.Trailer(&tail))
	check(err, codes.Unavailable, "bulkhead-full: dep refused the call")
	if p := tail.Get("grpc-retry-pushback-ms"); len(p) != 1 || p[0] != "-1" {
		t.Errorf("the trailer is %v", tail)
	}
	gone := start(t, overH2C("http://127.0.0.1:1"))
	_, err = gone.calls("dep").UnaryCall(soon(t), &grpc_testing.SimpleRequest{})
	check(err, codes.Unavailable, "connection refused")
	u.do(http.MethodGet, "/", "") // HTTP is still answered in HTTP
}

// An answer that breaks off behind a message ends with a status, not with a
// stream that is reset.
func TestGRPCBrokenOff(t *testing.T) {
	dep := scripted(t, func(c net.Conn, br *bufio.Reader) {
		p := newPeer(t, c, br)
		id := p.request()
		p.head(id, false, ":status", "200", "content-type", "application/grpc")
		_ = p.WriteData(id, false, []byte{0, 0, 0, 0, 0})
		time.Sleep(20 * time.Millisecond)
		_ = p.WriteRSTStream(id, http2.ErrCodeInternal)
		_, _ = br.ReadByte()
	})
	u := start(t, overH2C(dep.url()))
	stream, err := u.calls("dep").StreamingOutputCall(soon(t), &grpc_testing.StreamingOutputCallRequest{})
	if err == nil {
		_, err = stream.Recv()
	}
	if err != nil {
		t.Fatalf("the first message: %v", err)
	}
	_, err = stream.Recv()
	if status.Code(err) != codes.Unavailable ||
		!strings.Contains(status.Convert(err).Message(), "the dependency's answer broke off") {
		t.Errorf("the end is %v", err)
	}
}
