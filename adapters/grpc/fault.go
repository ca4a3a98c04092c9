package seakeepgrpc

import (
	"context"
	"net/http"
	"strings"

	"google.golang.org/grpc/metadata"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core/fault"
)

// injury decides whether an attempt is hurt on purpose; nil: it is not.
func (x *exchange) injury() *seakeep.Hurt {
	f, operation := x.adapter.Faults()
	if f.Idle() || x.info.Unhurt {
		return nil
	}
	md, _ := metadata.FromOutgoingContext(x.ctx)
	marks := append(md[faultField], x.info.Faults)
	return f.Begin(fault.Target{Operation: operation, Method: http.MethodPost, Path: x.method,
		Marks: strings.Join(marks, ",")})
}

// before does what a fault does before a stream is opened. What comes later
// hurts no stream.
func before(ctx context.Context, h *seakeep.Hurt) error {
	if h == nil {
		return nil
	}
	defer h.End()
	if err := h.Before(ctx); err != nil {
		return withStatus(err)
	}
	return nil
}

// injured makes an attempt as far as a fault lets it. What slows a body down
// does nothing here: gRPC hands out whole messages.
func injured(ctx context.Context, h *seakeep.Hurt, send func(context.Context) error) error {
	if h == nil {
		return send(ctx)
	}
	defer h.End()
	if err := h.Before(ctx); err != nil {
		return withStatus(err)
	}
	if h.Body.Cut == 0 {
		h.End()
		return send(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	broken := h.Broken()
	defer h.Cut(func() { cancel(broken) })()
	err := send(ctx)
	if err != nil && context.Cause(ctx) == broken {
		err = withStatus(broken)
	}
	return err
}
