package seakeepgrpc

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/idempotency"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/internal/grpcstatus"
)

// The names of the fields that go with a request, as metadata has them.
var (
	criticalityField = strings.ToLower(config.CriticalityHeader)
	faultField       = strings.ToLower(config.FaultHeader)
)

const (
	hedgeField = "x-seakeep-hedge"
	keyField   = "idempotency-key"
)

// exchange is what a call has, of whichever kind.
type exchange struct {
	ctx     context.Context // the caller's
	info    *seakeep.Call
	adapter seakeep.Adapter
	options options
	method  string // "/package.Service/Method"
	key     string // of a breaker kept per key
	safety  retry.Safety
	several bool          // there is more than one endpoint, by the file's word
	tied    bool          // copies would be, which over gRPC none is
	idle    time.Duration // longest wait for a stream's next message; 0: any
}

func (c *Client) begin(x *exchange, ctx context.Context, opts []grpc.CallOption, to target) {
	x.ctx, x.info, x.method = ctx, seakeep.CallOf(ctx), to.method
	x.options.sort(opts)
	policy, header := c.whole, ""
	if c.set != nil {
		if m, ok := c.set.Match(c.name, seakeep.HTTPRequest{Method: http.MethodPost, Host: to.host(),
			Path: to.method, Header: x.outgoing}); ok {
			policy, header = m.Policy, m.Settings.KeyHeader
			x.tied, x.idle = m.Settings.Tied, m.Settings.Response.Idle
			x.options.largest(m.Settings.Response.Body)
		}
		x.several = severalEndpoints(c.set.File(), c.name)
	}
	x.adapter = policy.Adapter()
	x.safety = x.knownSafety()
	x.key = x.info.Key
	if x.key == "" && header != "" {
		x.key = x.outgoing(header)
	}
	if x.key == "" && x.adapter.Plan().Config().Keys > 0 {
		x.key = to.method
	}
}

// severalEndpoints reports whether a copy may be worth its while: it goes where
// the balancer sends it, which with one endpoint is the same.
func severalEndpoints(f *config.File, name string) bool {
	for _, d := range f.Dependencies {
		if d.Name == name {
			return len(d.Endpoints) > 1 || d.Resolve != nil
		}
	}
	return false
}

// outgoing returns a field of the request, whose name may be written as HTTP
// does.
func (x *exchange) outgoing(name string) string {
	md, _ := metadata.FromOutgoingContext(x.ctx)
	if values := md.Get(name); len(values) > 0 {
		return values[0]
	}
	return ""
}

// knownSafety says whether the method may run twice: by the caller's word, by a
// key that the other side knows the call by, or by the method's own option in
// its .proto file.
func (x *exchange) knownSafety() retry.Safety {
	switch {
	case x.options.idempotent || x.info.Idempotent || declaredIdempotent(x.method):
		return retry.Idempotent
	case x.info.IdempotencyKey != "":
		return retry.Keyed
	}
	return retry.Unsafe
}

// request says how the call enters the ladder.
func (x *exchange) request() call.Request {
	r := call.Request{Deadline: core.Never, Key: x.key, RetriedAbove: x.info.RetriedAbove}
	if x.adapter.Plan().Throttled() { // what the context says counts before this
		r.Class, _ = core.ParseCriticality(x.outgoing(criticalityField))
	}
	if t, ok := x.ctx.Deadline(); ok {
		r.Deadline = seakeep.InstantOf(t)
	}
	return r
}

// hedged reports whether copies of the call may be sent.
func (x *exchange) hedged() bool {
	return x.adapter.Plan().Hedges(x.safety, x.several) && !x.info.RetriedAbove && !x.tied
}

// facts is what another attempt depends on. A call can always be sent again.
// Where it goes is not ours to choose, so that nothing is gained by repeating at
// once what found no server.
func (x *exchange) facts(r core.Result) call.Facts {
	return call.Facts{Safety: x.safety, Replayable: true,
		Elsewhere: x.several && r.Cause != core.Unsent}
}

// tell returns the context to send an attempt with. What the caller says itself
// about what we know better does not count.
func (x *exchange) tell(ctx context.Context, attempt int, copied bool) context.Context {
	var pairs [12]string
	add := pairs[:0]
	if c, said := seakeep.LookupCriticality(x.ctx); said {
		add = append(add, criticalityField, c.String())
	}
	if x.info.RetriedAbove {
		attempt++
	}
	if attempt > 0 { // a mark that came from above only grows
		above, _ := strconv.Atoi(x.outgoing(grpcstatus.AttemptsField))
		add = append(add, grpcstatus.AttemptsField, strconv.Itoa(max(attempt, above)))
	}
	if copied {
		add = append(add, hedgeField, "1")
	}
	if key := x.info.IdempotencyKey; key != "" && x.outgoing(keyField) == "" {
		add = append(add, keyField, idempotency.FormatKey(key))
	}
	add = x.traced(ctx, add)
	if len(add) == 0 {
		return ctx
	}
	md, _ := metadata.FromOutgoingContext(ctx)
	if md == nil {
		md = make(metadata.MD, len(add)/2)
	}
	for i := 0; i < len(add); i += 2 {
		md[add[i]] = []string{add[i+1]}
	}
	return metadata.NewOutgoingContext(ctx, md)
}
