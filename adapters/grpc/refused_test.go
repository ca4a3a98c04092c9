package seakeepgrpc

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
)

// refusing accepts connections, and refuses every stream with this code of
// HTTP/2.
func refusing(t *testing.T, code http2.ErrCode) (address string, streams *atomic.Int32) {
	t.Helper()
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	streams = new(atomic.Int32)
	var ended sync.WaitGroup
	ended.Go(func() {
		for {
			conn, err := at.Accept()
			if err != nil {
				return
			}
			ended.Go(func() { refuseAll(conn, code, streams) })
		}
	})
	t.Cleanup(func() { _ = at.Close(); ended.Wait() })
	return at.Addr().String(), streams
}

func refuseAll(conn net.Conn, code http2.ErrCode, streams *atomic.Int32) {
	defer conn.Close()
	if _, err := io.ReadFull(conn, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	f := http2.NewFramer(conn, conn)
	_ = f.WriteSettings()
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				_ = f.WriteSettingsAck()
			}
		case *http2.DataFrame: // the request is here: earlier, gRPC may not know why it ended
			streams.Add(1)
			_ = f.WriteRSTStream(frame.StreamID, code)
		}
	}
}

// A stream that the server says it has not begun may be repeated whatever it
// does; one that broke may not.
func TestStreamsThatAreRefused(t *testing.T) {
	for code, want := range map[http2.ErrCode]struct {
		attempts int
		cause    core.Cause
	}{http2.ErrCodeRefusedStream: {3, core.Unsent}, http2.ErrCodeInternal: {1, core.ServerError}} {
		address, streams := refusing(t, code)
		conn := dial(t, clientOf(t, retrying), address)
		report := new(seakeep.Report)
		ctx := seakeep.With(context.Background(), seakeep.Call{Report: report})
		_, err := testpb.NewTestServiceClient(conn).UnaryCall(ctx, &testpb.SimpleRequest{})
		if err == nil || len(report.Attempts) != want.attempts {
			t.Fatalf("%v: %v after %d attempts, which were %d streams", code, err, len(report.Attempts), streams.Load())
		}
		if got := report.Attempts[0].Result.Cause; got != want.cause {
			t.Errorf("%v: the cause is %v", code, got)
		}
		_ = conn.Close()
	}
}

// An interceptor that drops our options leaves us without gRPC's own word, and
// then nothing is taken for unsent.
func TestWithoutGRPCsWordNothingIsUnsent(t *testing.T) {
	c := clientOf(t, retrying)
	calls := 0
	err := c.Unary()(context.Background(), "/s/m", nil, nil, nil, func(context.Context, string, any, any,
		*grpc.ClientConn, ...grpc.CallOption) error {
		calls++
		return unavailable
	})
	if status.Code(err) != codes.Unavailable || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

// gRPC's own repeat of a refused stream may end so, with no status.
func TestAnEndWithoutAStatusHasOne(t *testing.T) {
	c := clientOf(t, retrying)
	for safe, want := range map[bool]int{true: 3, false: 1} {
		opts, calls := []grpc.CallOption(nil), 0
		if safe {
			opts = append(opts, Idempotent())
		}
		err := c.Unary()(context.Background(), "/s/m", nil, nil, nil, func(context.Context, string, any, any,
			*grpc.ClientConn, ...grpc.CallOption) error {
			calls++
			return io.EOF
		}, opts...)
		if status.Code(err) != codes.Unavailable || calls != want {
			t.Errorf("%v after %d calls", err, calls)
		}
	}
}

func TestAMarkFromBelowCounts(t *testing.T) {
	c := clientOf(t, "    breaker: {window: 10s, calls: 1, failures: 1%, open: {for: 1m}}\n")
	for range 2 {
		err := c.Unary()(context.Background(), "/s/m", nil, nil, nil, func(context.Context, string, any, any,
			*grpc.ClientConn, ...grpc.CallOption) error {
			return seakeep.Ignore(unavailable)
		})
		if status.Code(err) != codes.Unavailable || errors.Is(err, seakeep.ErrRejected) {
			t.Errorf("the error is %v", err)
		}
	}
}
