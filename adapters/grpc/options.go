package seakeepgrpc

import (
	"math"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Idempotent is a call option that says that running this call twice is as good
// as once, so that it may be repeated after any failure, and copied.
// seakeep.With says the same for all calls made with a context.
func Idempotent() grpc.CallOption { return idempotentOption{} }

type idempotentOption struct{ grpc.EmptyCallOption }

// options are a call's options: those that every attempt is sent with, and
// those that the caller gets the end of the call by, which are told once.
type options struct {
	pass       []grpc.CallOption
	headers    []*metadata.MD
	trailers   []*metadata.MD
	peers      []*peer.Peer
	finished   []func(error)
	idempotent bool
}

func (o *options) sort(opts []grpc.CallOption) {
	plain := true
	for _, opt := range opts {
		switch opt.(type) {
		case grpc.HeaderCallOption, grpc.TrailerCallOption, grpc.PeerCallOption,
			grpc.OnFinishCallOption, idempotentOption:
			plain = false
		}
	}
	if plain {
		o.pass = opts
		return
	}
	for _, opt := range opts {
		switch opt := opt.(type) {
		case grpc.HeaderCallOption:
			o.headers = append(o.headers, opt.HeaderAddr)
		case grpc.TrailerCallOption:
			o.trailers = append(o.trailers, opt.TrailerAddr)
		case grpc.PeerCallOption:
			o.peers = append(o.peers, opt.PeerAddr)
		case grpc.OnFinishCallOption:
			o.finished = append(o.finished, opt.OnFinish)
		case idempotentOption:
			o.idempotent = true
		default:
			o.pass = append(o.pass, opt)
		}
	}
}

// largest bounds an answer's messages by the policy file, unless the caller's own
// bound is the smaller.
func (o *options) largest(body int64) {
	if body == 0 {
		return
	}
	n := int(min(body, math.MaxInt32))
	for _, opt := range o.pass {
		if own, ok := opt.(grpc.MaxRecvMsgSizeCallOption); ok {
			n = min(n, own.MaxRecvMsgSize)
		}
	}
	o.pass = append(o.pass[:len(o.pass):len(o.pass)], grpc.MaxCallRecvMsgSize(n))
}

// give tells the caller of the attempt that the call ended with; nil: there was
// none.
func (o *options) give(s *sending) {
	if s == nil {
		return
	}
	for _, to := range o.headers {
		*to = s.header
	}
	for _, to := range o.trailers {
		*to = s.trailer
	}
	for _, to := range o.peers {
		*to = s.peer
	}
}

func (o *options) finish(err error) {
	for _, f := range o.finished {
		f(err)
	}
}

// sending is what gRPC tells of one attempt.
type sending struct {
	header, trailer metadata.MD
	peer            peer.Peer // empty: no connection was found
	ended           bool      // gRPC itself has seen the attempt end
}

// with returns the options to send the attempt with.
func (s *sending) with(o *options, ended func(error)) []grpc.CallOption {
	return append(o.pass[:len(o.pass):len(o.pass)], grpc.Header(&s.header), grpc.Trailer(&s.trailer),
		grpc.Peer(&s.peer), grpc.OnFinish(ended))
}

// unsent reports whether nothing of the attempt can have left: gRPC has ended it
// without having found a connection. That nobody has named a connection proves
// nothing, for an interceptor behind ours may have dropped our options.
func (s *sending) unsent() bool { return s.ended && s.peer.Addr == nil }

// declared remembers what the .proto files say, by method. It has at most as
// many entries as there are methods linked into the program.
var declared sync.Map

// declaredIdempotent reports whether a method's option idempotency_level says
// that it may run twice.
func declaredIdempotent(method string) bool {
	if known, ok := declared.Load(method); ok {
		return known.(bool)
	}
	if method == "" {
		return false
	}
	name := []byte(method[1:])
	for i, c := range name {
		if c == '/' {
			name[i] = '.'
		}
	}
	d, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(name))
	m, ok := d.(protoreflect.MethodDescriptor)
	if err != nil || !ok {
		return false
	}
	o, _ := m.Options().(*descriptorpb.MethodOptions)
	level := o.GetIdempotencyLevel()
	safe := level == descriptorpb.MethodOptions_NO_SIDE_EFFECTS ||
		level == descriptorpb.MethodOptions_IDEMPOTENT
	declared.Store(method, safe)
	return safe
}

// fill makes reply, which is the caller's, equal to another.
func fill(reply any, from proto.Message) {
	to := reply.(proto.Message)
	proto.Reset(to)
	proto.Merge(to, from)
}
