package seakeepgrpc

import (
	"context"
	"errors"
	"strings"

	"google.golang.org/grpc"

	"github.com/seakeep/seakeep"
)

// Client carries calls to one dependency through its policy. It is safe for use
// by many goroutines and many connections, and follows reloads of the file.
type Client struct {
	name  string
	set   *seakeep.Set // nil: made by Wrap
	whole *seakeep.Policy
}

// NewClient protects calls to one dependency of a policy file. A method is under
// the first operation that matches it: one with match.grpc, or with the path
// and method POST.
//
// Which server gets a call is the business of the connection's balancer. The
// error is about a name that the file has not, and about a dependency with a
// failover, which needs a connection that nobody here has.
func NewClient(set *seakeep.Set, dependency string) (*Client, error) {
	p, err := set.Policy(dependency)
	if err != nil {
		return nil, err
	}
	for _, d := range set.File().Dependencies {
		if d.Name == dependency && d.Failover != nil {
			return nil, errors.New("seakeepgrpc: " + dependency + " has a failover, which calls of " +
				"gRPC cannot follow: remove it, or use seakeep.DoFailover with a connection for each")
		}
	}
	return &Client{name: dependency, set: set, whole: p}, nil
}

// Wrap protects calls by one policy without a file.
func Wrap(p *seakeep.Policy) *Client { return &Client{name: p.Name(), whole: p} }

// DialOptions installs both interceptors, outside of those that follow in the
// list of options, and switches gRPC's own retries off: two layers that retry
// multiply.
func (c *Client) DialOptions() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(c.Unary()),
		grpc.WithChainStreamInterceptor(c.Stream()), grpc.WithDisableRetry()}
}

// Unary returns the interceptor for calls with one request and one answer. Each
// attempt is one run of the interceptors behind it.
func (c *Client) Unary() grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn,
		invoker grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		u := &unary{req: req, reply: reply, invoke: func(ctx context.Context, w wish,
			opts []grpc.CallOption) error {
			return invoker(ctx, method, w.req, w.reply, cc, opts...)
		}}
		c.begin(&u.exchange, ctx, opts, target{method, cc})
		return u.do()
	}
}

// Stream returns the interceptor for streams.
func (c *Client) Stream() grpc.StreamClientInterceptor {
	return func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string,
		streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s := &stream{desc: desc, open: func(ctx context.Context,
			opts []grpc.CallOption) (grpc.ClientStream, error) {
			return streamer(ctx, desc, cc, method, opts...)
		}}
		c.begin(&s.exchange, ctx, opts, target{method, cc})
		if desc.ClientStreams {
			return openPushed(s)
		}
		return newPulled(s), nil
	}
}

// target is what a call is for.
type target struct {
	method string
	conn   *grpc.ClientConn
}

// host returns the name in the connection's target, without how it is resolved.
func (t target) host() string {
	if t.conn == nil {
		return ""
	}
	name := t.conn.Target()
	return name[strings.LastIndexByte(name, '/')+1:]
}
