package seakeepgrpc

import (
	"context"
	"strings"

	"google.golang.org/grpc/status"

	"github.com/seakeep/seakeep"
)

// MethodTrace is a seakeep.AttemptTrace that wants to know what gRPC knows of the
// attempt.
type MethodTrace interface {
	// Calling is told of the attempt before it is sent: the full method, such as
	// shop.Pricing/Quote, and how to set fields of its metadata.
	Calling(method string, set func(field, value string))
	// Status is told of its status by name, such as Unavailable. The attempts of
	// streams have none that is theirs alone.
	Status(code string)
}

// traced has what follows the attempt add its fields.
func (x *exchange) traced(ctx context.Context, add []string) []string {
	if !x.adapter.Traced() {
		return add
	}
	if t, ok := seakeep.AttemptTraceOf(ctx).(MethodTrace); ok {
		t.Calling(strings.TrimPrefix(x.method, "/"), func(field, value string) {
			add = append(add, strings.ToLower(field), value)
		})
	}
	return add
}

// stated tells what follows the attempt how it ended.
func (x *exchange) stated(ctx context.Context, err error) {
	if !x.adapter.Traced() {
		return
	}
	if t, ok := seakeep.AttemptTraceOf(ctx).(MethodTrace); ok {
		t.Status(status.Code(err).String())
	}
}
