package seakeepgrpc

import (
	"context"
	"strconv"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	reflectpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"

	"github.com/seakeep/seakeep"
)

// guarded serves a backend behind a door.
func guarded(t testing.TB, b testpb.TestServiceServer, serveText string) (testpb.TestServiceClient, *seakeep.Set) {
	t.Helper()
	set := setOf(t, "serve: "+serveText+"\n")
	server, err := NewServer(set)
	if err != nil {
		t.Fatal(err)
	}
	return testpb.NewTestServiceClient(dial(t, nil, serve(t, b, server.ServerOptions()...))), set
}

func TestADoorNeedsASection(t *testing.T) {
	if _, err := NewServer(setOf(t, "dependencies: {a: {}}\n")); err == nil {
		t.Error("there is none, and no error")
	}
}

func TestTooManyAreRefusedWithAStatus(t *testing.T) {
	enter, leave := make(chan struct{}), make(chan struct{})
	b := &backend{unary: func(context.Context, int) error { enter <- struct{}{}; <-leave; return nil }}
	client, set := guarded(t, b, "{concurrency: {algorithm: fixed, limit: 1}}")
	first := make(chan error)
	go func() {
		_, err := client.UnaryCall(context.Background(), &testpb.SimpleRequest{})
		first <- err
	}()
	<-enter
	var trailer metadata.MD
	_, err := client.UnaryCall(context.Background(), &testpb.SimpleRequest{}, grpc.Trailer(&trailer))
	if status.Code(err) != codes.Unavailable {
		t.Errorf("the error is %v", err)
	}
	ms, bad := strconv.Atoi(trailer.Get("grpc-retry-pushback-ms")[0])
	if bad != nil || ms < 1000 || ms > 6000 {
		t.Errorf("the trailer is %v", trailer)
	}
	close(leave)
	if err := <-first; err != nil {
		t.Error(err)
	}
	within(t, "the slot is given back", func() bool { return set.Door().Snapshot().Slots.InUse == 0 })
}

func TestTenantsOverTheirShareAreExhausted(t *testing.T) {
	enter, leave := make(chan struct{}), make(chan struct{})
	b := &backend{unary: func(context.Context, int) error { enter <- struct{}{}; <-leave; return nil }}
	client, _ := guarded(t, b, "{concurrency: {algorithm: fixed, limit: 10}, tenants: {header: X-Tenant, limit: 1}}")
	ctx := metadata.AppendToOutgoingContext(context.Background(), "x-tenant", "a")
	first := make(chan error)
	go func() {
		_, err := client.UnaryCall(ctx, &testpb.SimpleRequest{})
		first <- err
	}()
	<-enter
	var trailer metadata.MD
	_, err := client.UnaryCall(ctx, &testpb.SimpleRequest{}, grpc.Trailer(&trailer))
	if status.Code(err) != codes.ResourceExhausted || trailer.Get("grpc-retry-pushback-ms")[0] != "-1" {
		t.Errorf("%v with %v", err, trailer)
	}
	close(leave)
	if err := <-first; err != nil {
		t.Error(err)
	}
}

func TestShedCallsSayWhenToComeBack(t *testing.T) {
	client, set := guarded(t, &backend{}, "{concurrency: {}, shed: {}, recovery: {}}")
	if err := set.Door().Admit(0, 0); err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func(...grpc.CallOption) error{
		"unary": func(opts ...grpc.CallOption) error {
			_, err := client.UnaryCall(context.Background(), &testpb.SimpleRequest{}, opts...)
			return err
		},
		"stream": func(opts ...grpc.CallOption) error {
			ss, err := client.StreamingOutputCall(context.Background(), &testpb.StreamingOutputCallRequest{}, opts...)
			if err == nil {
				_, err = ss.Recv()
			}
			return err
		},
	} {
		var trailer metadata.MD
		err := call(grpc.Trailer(&trailer))
		st := status.Convert(err)
		if st.Code() != codes.Unavailable || trailer.Get("grpc-retry-pushback-ms")[0] != "-1" {
			t.Errorf("%s: %v with %v", name, err, trailer)
		}
		for _, d := range st.Details() {
			if info, ok := d.(*errdetails.RetryInfo); !ok || info.RetryDelay.AsDuration() <= 0 {
				t.Errorf("%s: detail %v", name, d)
			}
		}
	}
}

func TestDeadOnArrival(t *testing.T) {
	b := &backend{}
	client, _ := guarded(t, b, "{deadline: {default: 1s, needs: 200ms}}")
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := client.UnaryCall(ctx, &testpb.SimpleRequest{}); status.Code(err) != codes.DeadlineExceeded || len(b.seen()) != 0 {
		t.Errorf("%v after %d calls", err, len(b.seen()))
	}
	if _, err := client.UnaryCall(context.Background(), &testpb.SimpleRequest{}); err != nil {
		t.Fatal(err)
	}
	if left := b.seen()[0].left; left <= 0 || left > time.Second {
		t.Errorf("the handler has %v", left)
	}
}

// The handler's time ends before the caller's, which gRPC has in its context as
// it was when the call was sent.
func TestHandlersEndBeforeTheirCallers(t *testing.T) {
	b := &backend{unary: func(ctx context.Context, _ int) error {
		<-ctx.Done()
		return ctx.Err()
	}}
	client, _ := guarded(t, b, "{concurrency: {max: 5}}")
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	_, err := client.UnaryCall(ctx, &testpb.SimpleRequest{})
	if status.Code(err) != codes.DeadlineExceeded || len(b.seen()) != 1 || b.seen()[0].left > 195*time.Millisecond {
		t.Errorf("%v; %+v", err, b.seen())
	}
}

func TestAPanicGivesTheSlotBack(t *testing.T) {
	b := &backend{unary: func(context.Context, int) error { panic("boom") },
		output: func(int, testpb.TestService_StreamingOutputCallServer) error { panic("boom") }}
	set := setOf(t, "serve: {concurrency: {algorithm: fixed, limit: 1}}\n")
	server, err := NewServer(set)
	if err != nil {
		t.Fatal(err)
	}
	rescue := func(err *error) {
		if recover() != nil {
			*err = status.Error(codes.Internal, "rescued")
		}
	}
	opts := append([]grpc.ServerOption{
		grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (_ any, err error) {
			defer rescue(&err)
			return h(ctx, req)
		}),
		grpc.ChainStreamInterceptor(func(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, h grpc.StreamHandler) (err error) {
			defer rescue(&err)
			return h(srv, ss)
		})}, server.ServerOptions()...)
	client := testpb.NewTestServiceClient(dial(t, nil, serve(t, b, opts...)))
	for range 2 {
		if _, err := client.UnaryCall(context.Background(), &testpb.SimpleRequest{}); status.Code(err) != codes.Internal {
			t.Errorf("the error is %v", err)
		}
		ss, err := client.StreamingOutputCall(context.Background(), &testpb.StreamingOutputCallRequest{})
		if err == nil {
			_, err = ss.Recv()
		}
		if status.Code(err) != codes.Internal {
			t.Errorf("the error is %v", err)
		}
	}
	if n := set.Door().Snapshot().Slots.InUse; n != 0 {
		t.Errorf("%d slots are held", n)
	}
}

// asking serves health checks and reflection beside a backend, behind a door
// that lets nobody in.
func asking(t *testing.T, admit float64) *grpc.ClientConn {
	t.Helper()
	set := setOf(t, "serve: {concurrency: {}, recovery: {}}\n")
	server, err := NewServer(set)
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Door().Admit(admit, 0); err != nil {
		t.Fatal(err)
	}
	return dial(t, clientOf(t, tight), serveWith(t, &backend{}, func(s *grpc.Server) {
		healthpb.RegisterHealthServer(s, health.NewServer())
		reflection.Register(s)
	}, server.ServerOptions()...))
}

func TestHealthIsAnsweredWhenNobodyIsLetIn(t *testing.T) {
	conn := asking(t, 0)
	client := healthpb.NewHealthClient(conn)
	got, err := client.Check(context.Background(), &healthpb.HealthCheckRequest{})
	if err != nil || got.Status != healthpb.HealthCheckResponse_SERVING {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := client.Check(context.Background(), &healthpb.HealthCheckRequest{Service: "x"}); status.Code(err) != codes.NotFound {
		t.Errorf("of an unknown service: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	watch, err := client.Watch(ctx, &healthpb.HealthCheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := watch.Recv(); err != nil || got.Status != healthpb.HealthCheckResponse_SERVING {
		t.Errorf("%v, %v", got, err)
	}
}

func TestReflectionPasses(t *testing.T) {
	for admit, want := range map[float64]codes.Code{1: codes.OK, 0: codes.Unavailable} {
		ss, err := reflectpb.NewServerReflectionClient(asking(t, admit)).ServerReflectionInfo(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		_ = ss.Send(&reflectpb.ServerReflectionRequest{
			MessageRequest: &reflectpb.ServerReflectionRequest_ListServices{ListServices: "*"}})
		got, err := ss.Recv()
		if status.Code(err) != want {
			t.Errorf("admitting %v: %v", admit, err)
		}
		if want == codes.OK && len(got.GetListServicesResponse().GetService()) < 3 {
			t.Errorf("the services are %v", got)
		}
		_ = ss.CloseSend()
		if _, err := drain(ss.Recv); status.Code(err) != want {
			t.Errorf("admitting %v, at the end: %v", admit, err)
		}
	}
}
