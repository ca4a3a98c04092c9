package seakeepgrpc

import (
	"context"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// backend is gRPC's own test service with functions in place of its methods.
type backend struct {
	testpb.UnimplementedTestServiceServer
	unary  func(ctx context.Context, n int) error // nil: succeeds; n counts calls from 0
	output func(n int, ss testpb.TestService_StreamingOutputCallServer) error
	input  func(testpb.TestService_StreamingInputCallServer) error
	duplex func(testpb.TestService_FullDuplexCallServer) error

	mu    sync.Mutex
	calls []arrived
}

// arrived is a call as the server saw it.
type arrived struct {
	at       time.Time
	md       metadata.MD
	left     time.Duration // 0: no deadline
	finished context.Context
}

func (b *backend) note(ctx context.Context) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	md, _ := metadata.FromIncomingContext(ctx)
	a := arrived{at: time.Now(), md: md, finished: ctx}
	if t, ok := ctx.Deadline(); ok {
		a.left = time.Until(t)
	}
	b.calls = append(b.calls, a)
	return len(b.calls) - 1
}

func (b *backend) seen() []arrived {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]arrived(nil), b.calls...)
}

func (b *backend) UnaryCall(ctx context.Context, _ *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
	n := b.note(ctx)
	if b.unary != nil {
		if err := b.unary(ctx, n); err != nil {
			return nil, err
		}
	}
	return &testpb.SimpleResponse{Username: "answer " + strconv.Itoa(n)}, nil
}

func (b *backend) StreamingOutputCall(_ *testpb.StreamingOutputCallRequest,
	ss testpb.TestService_StreamingOutputCallServer) error {
	n := b.note(ss.Context())
	if b.output != nil {
		return b.output(n, ss)
	}
	for range 3 {
		if err := ss.Send(&testpb.StreamingOutputCallResponse{}); err != nil {
			return err
		}
	}
	return nil
}

func (b *backend) StreamingInputCall(ss testpb.TestService_StreamingInputCallServer) error {
	b.note(ss.Context())
	return b.input(ss)
}

func (b *backend) FullDuplexCall(ss testpb.TestService_FullDuplexCallServer) error {
	b.note(ss.Context())
	return b.duplex(ss)
}

// serve starts a server on a loopback port and returns its address.
func serve(t testing.TB, b testpb.TestServiceServer, opts ...grpc.ServerOption) string {
	t.Helper()
	return serveWith(t, b, func(*grpc.Server) {}, opts...)
}

// serveWith is serve with more services.
func serveWith(t testing.TB, b testpb.TestServiceServer, more func(*grpc.Server), opts ...grpc.ServerOption) string {
	t.Helper()
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(opts...)
	testpb.RegisterTestServiceServer(s, b)
	more(s)
	var ended sync.WaitGroup
	ended.Go(func() { _ = s.Serve(at) })
	t.Cleanup(func() { s.Stop(); ended.Wait() })
	return at.Addr().String()
}

// dial connects to an address through a client.
func dial(t testing.TB, c *Client, address string, opts ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	opts = append(opts, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if c != nil {
		opts = append(opts, c.DialOptions()...)
	}
	conn, err := grpc.NewClient(address, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// setOf reads a policy file.
func setOf(t testing.TB, text string) *seakeep.Set {
	t.Helper()
	file, err := config.Parse("seakeep.yaml", []byte("version: 1\nservice: shop\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	set, err := seakeep.NewSet(file, seakeep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// clientOf protects calls to a dependency named pricing with these settings.
func clientOf(t testing.TB, settings string) *Client {
	t.Helper()
	c, err := NewClient(setOf(t, "dependencies:\n  pricing:\n"+settings), "pricing")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// pair is a backend, and a connection to it with these settings.
func pair(t testing.TB, b *backend, settings string) (testpb.TestServiceClient, *Client) {
	t.Helper()
	c := clientOf(t, settings)
	return testpb.NewTestServiceClient(dial(t, c, serve(t, b))), c
}

// settled waits until no call holds a slot any more.
func settled(t testing.TB, p *seakeep.Policy) {
	t.Helper()
	within(t, "slots are given back", func() bool {
		s := p.Snapshot()
		return s.Bulkhead == nil || s.Bulkhead.InUse == 0
	})
}

// within waits for what must become true soon.
func within(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for until := time.Now().Add(10 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("not within ten seconds: %s", what)
		}
	}
}
