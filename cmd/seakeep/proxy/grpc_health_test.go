package proxy

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

const (
	serving    = grpc_health_v1.HealthCheckResponse_SERVING
	notServing = grpc_health_v1.HealthCheckResponse_NOT_SERVING
	noService  = grpc_health_v1.HealthCheckResponse_SERVICE_UNKNOWN
)

func named(service string) *grpc_health_v1.HealthCheckRequest {
	return &grpc_health_v1.HealthCheckRequest{Service: service}
}

// The admin address answers for the proxy, and for each dependency as it sees it.
func TestGRPCHealthOfTheProxy(t *testing.T) {
	u := start(t, policy("http://127.0.0.1:1", "breaker: {window: 10s, calls: 1, failures: 50%, open: 10s}"))
	c := grpc_health_v1.NewHealthClient(u.dialGRPC("admin"))
	check := func(service string, want grpc_health_v1.HealthCheckResponse_ServingStatus) {
		t.Helper()
		if s, err := c.Check(soon(t), named(service)); err != nil || s.Status != want {
			t.Errorf("%q is %v, %v; want %v", service, s, err, want)
		}
	}
	check("", serving)
	check("dep", serving)
	if _, err := c.Check(soon(t), named("nobody")); status.Code(err) != codes.NotFound {
		t.Errorf("an unknown name: %v", err)
	}
	u.get("/") // fails, and the breaker opens
	check("dep", notServing)
	check("", serving) // one bad dependency does not empty the fleet
	list, err := c.List(soon(t), &grpc_health_v1.HealthListRequest{})
	if err != nil || len(list.Statuses) != 2 || list.Statuses[""].Status != serving ||
		list.Statuses["dep"].Status != notServing {
		t.Errorf("the list is %v, %v", list, err)
	}
	if d := u.set.File().Dependency("dep"); u.dependencyView(d).Ready {
		t.Error("the admin view says that it is ready")
	}
}

// Who watches hears of each change, and of the drain before anything else ends.
func TestGRPCHealthIsWatched(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	u := start(t, policy(web(t, func(http.ResponseWriter, *http.Request) { <-release })))
	c := grpc_health_v1.NewHealthClient(u.dialGRPC("admin"))
	watch := func(service string) func() (grpc_health_v1.HealthCheckResponse_ServingStatus, error) {
		stream, err := c.Watch(soon(t), named(service))
		if err != nil {
			t.Fatal(err)
		}
		return func() (grpc_health_v1.HealthCheckResponse_ServingStatus, error) {
			s, err := stream.Recv()
			return s.GetStatus(), err
		}
	}
	whole, dep, late := watch(""), watch("dep"), watch("late")
	for _, tc := range []struct {
		next func() (grpc_health_v1.HealthCheckResponse_ServingStatus, error)
		want grpc_health_v1.HealthCheckResponse_ServingStatus
	}{{whole, serving}, {dep, serving}, {late, noService}} {
		if got, err := tc.next(); got != tc.want || err != nil {
			t.Errorf("at first %v, %v; want %v", got, err, tc.want)
		}
	}
	u.write(strings.Replace(policy("http://127.0.0.1:1"), "dep:", "late:", 1))
	if err := u.Reload(); err != nil {
		t.Fatal(err)
	}
	if got, err := late(); got != serving || err != nil {
		t.Errorf("a name that a reload brings: %v, %v", got, err)
	}
	if got, err := dep(); got != noService || err != nil {
		t.Errorf("a name that it takes away: %v, %v", got, err)
	}
	began := time.Now()
	u.stop()
	if got, err := whole(); got != notServing || err != nil {
		t.Errorf("in the drain: %v, %v", got, err)
	}
	if took := time.Since(began); took > watchEvery {
		t.Errorf("the drain is told after %v", took)
	}
	close(release)
	if _, err := whole(); status.Code(err) != codes.Unavailable {
		t.Errorf("at the end: %v", err)
	}
	if err := u.wait(); err != nil {
		t.Error(err)
	}
}

// There is an end to those who watch.
func TestGRPCHealthWatchesAreBounded(t *testing.T) {
	u := start(t, policy("http://127.0.0.1:1"))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	u.watches.Store(maxWatches)
	stream, err := grpc_health_v1.NewHealthClient(u.dialGRPC("admin")).Watch(ctx, named(""))
	if err == nil {
		_, err = stream.Recv()
	}
	if status.Code(err) != codes.ResourceExhausted {
		t.Errorf("one too many: %v", err)
	}
}

// Health at a dependency's listener is the dependency's own.
func TestGRPCHealthPasses(t *testing.T) {
	h := health.NewServer()
	h.SetServingStatus("shop.Pricing", grpc_health_v1.HealthCheckResponse_NOT_SERVING)
	u := start(t, overH2C(grpcServer(t, &service{}, func(s *grpc.Server) {
		grpc_health_v1.RegisterHealthServer(s, h)
	})))
	c := grpc_health_v1.NewHealthClient(u.dialGRPC("dep"))
	if s, err := c.Check(soon(t), named("shop.Pricing")); err != nil || s.Status != notServing {
		t.Errorf("the service is %v, %v", s, err)
	}
	stream, err := c.Watch(soon(t), named("shop.Pricing"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []grpc_health_v1.HealthCheckResponse_ServingStatus{notServing, serving} {
		if s, err := stream.Recv(); err != nil || s.Status != want {
			t.Fatalf("watched: %v, %v; want %v", s, err, want)
		}
		h.SetServingStatus("shop.Pricing", serving)
	}
}

// Who asks in something else is told so, and bytes that are no message are
// refused.
func TestGRPCHealthOddRequests(t *testing.T) {
	u := start(t, policy("http://127.0.0.1:1"))
	for kind, want := range map[string]string{"application/json": "415", "application/grpc": "grpc 3"} {
		req, _ := http.NewRequest("POST", "http://"+u.Addr("admin").String()+"/grpc.health.v1.Health/Check",
			strings.NewReader("{}"))
		req.Header.Set("Content-Type", kind)
		resp, err := h2c(t).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		got := resp.Status[:3]
		if s := resp.Header.Get("Grpc-Status"); s != "" {
			got = "grpc " + s
		}
		if got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
}
