package seakeepgrpc

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
)

// stream is a stream on its way through the ladder.
type stream struct {
	exchange
	desc *grpc.StreamDesc
	open func(ctx context.Context, opts []grpc.CallOption) (grpc.ClientStream, error)
}

// line is one attempt's stream. It is ended by gRPC's own word, which comes
// whether the stream was read to its end, its context was cancelled or its
// connection closed.
type line struct {
	grpc.ClientStream
	sending
	s    *stream
	err  error
	hurt *seakeep.Hurt
	stop context.CancelFunc // ends a stream whose next message is too long in coming; nil: none is

	mu     sync.Mutex // guards what follows, and sending
	kept   bool       // the call goes by this one
	begun  bool
	silent bool // too long, which has ended it
	over   bool
	final  error
	tail   seakeep.Tail
}

// connect opens the attempt's stream.
func (l *line) connect(ctx context.Context, w wish) error {
	s := l.s
	if ctx != s.ctx { // a stream may outlive its attempt's limit, and its server should know
		ctx = &lifted{ctx, s.ctx}
	}
	if s.idle > 0 {
		ctx, l.stop = context.WithCancel(ctx)
	}
	opts := l.with(&s.options, l.ended)
	l.hurt = s.injury()
	if l.err = before(ctx, l.hurt); l.err == nil {
		l.ClientStream, l.err = s.open(s.tell(ctx, w.attempt, w.copied), opts)
	}
	if l.err != nil {
		l.called()
	}
	return l.err
}

// called ends the stream's own context.
func (l *line) called() {
	if l.stop != nil {
		l.stop()
	}
}

// lifted is an attempt's context that does not tell the attempt's limit, which
// ends when the answer begins.
type lifted struct {
	context.Context
	caller context.Context
}

// Deadline is the caller's.
func (c *lifted) Deadline() (t time.Time, ok bool) { return c.caller.Deadline() }

// AfterFunc lets derived contexts hear of the end without a goroutine each.
func (c *lifted) AfterFunc(f func()) (stop func() bool) { return context.AfterFunc(c.Context, f) }

// ended is gRPC's word that the stream is over.
func (l *line) ended(err error) {
	l.mu.Lock()
	l.sending.ended = true
	l.mu.Unlock()
	l.end(err)
}

// end closes the accounts of the stream, once.
func (l *line) end(err error) {
	if err == io.EOF {
		err = nil
	}
	l.mu.Lock()
	first := !l.over
	if first {
		l.over, l.final = true, err
	}
	settle := first && l.kept
	l.mu.Unlock()
	if settle {
		l.settle()
	}
}

// keep makes the line the one that the call goes by.
func (l *line) keep(t seakeep.Tail) {
	l.mu.Lock()
	l.kept, l.tail = true, t
	over := l.over
	l.mu.Unlock()
	if over {
		l.settle()
	}
}

// settle gives everything back, once the line is kept and over.
func (l *line) settle() {
	if l.wasSilent() {
		l.final = errIdle
	}
	r := l.s.result(l.s.ctx, &l.sending, l.final)
	l.tail.End(r.Outcome)
	l.called()
	l.s.options.give(&l.sending)
	l.s.options.finish(l.final)
}

// answered takes note that the answer has begun in time, from where on only the
// caller's own context limits it.
func (l *line) answered() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.begun || l.over {
		return nil
	}
	if l.begun = true; l.tail.Begun(true) {
		return nil
	}
	return status.FromContextError(context.DeadlineExceeded).Err()
}

// Header returns the header once it is there.
func (l *line) Header() (metadata.MD, error) {
	md, err := l.ClientStream.Header()
	if err == nil && md != nil {
		err = l.answered()
	}
	return md, err
}

// RecvMsg implements grpc.ClientStream.
func (l *line) RecvMsg(m any) error {
	err := l.next(m)
	if err == nil {
		err = l.answered()
	}
	if err != nil || !l.s.desc.ServerStreams {
		l.end(err)
	}
	return err
}

var errIdle = status.Error(codes.DeadlineExceeded, "seakeepgrpc: the next message was too long in coming")

// next waits for a message, and no longer than a stream may be silent. The first
// has the attempt's limit.
func (l *line) next(m any) error {
	if begun := l.started(); l.stop == nil || !begun {
		err := l.ClientStream.RecvMsg(m)
		if err == io.EOF && !begun { // gRPC itself may have repeated it, and tells the status only if asked again
			err = l.ClientStream.RecvMsg(m)
		}
		return err
	}
	timer := time.AfterFunc(l.s.idle, func() {
		l.mu.Lock()
		l.silent = true
		l.mu.Unlock()
		l.stop()
	})
	err := l.ClientStream.RecvMsg(m)
	timer.Stop()
	if err != nil && status.Code(err) == codes.Canceled && l.wasSilent() {
		err = errIdle
	}
	return err
}

func (l *line) started() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.begun
}

func (l *line) wasSilent() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.silent
}

// openPushed opens a stream on which the caller sends at its own pace. Nobody
// else has what it sends, so that an attempt is to open the stream and no more.
func openPushed(s *stream) (grpc.ClientStream, error) {
	ask := s.request()
	ask.Tail = true
	var last *line
	end := s.adapter.Run(s.ctx, ask, func(ctx context.Context, attempt int) seakeep.Tried {
		last = &line{s: s}
		r := s.result(ctx, &last.sending, last.connect(ctx, wish{attempt: attempt}))
		return s.tried(last, r)
	})
	if end.Verdict == call.Succeeded {
		last.keep(end.Tail)
		return last, nil
	}
	return nil, s.failed(&end, last)
}

// tried is what an attempt tells the ladder.
func (s *stream) tried(l *line, r core.Result) seakeep.Tried {
	t := seakeep.Tried{Result: r, Note: seakeep.NoteOf(l.hurt.Names())}
	if r.Outcome != core.Success {
		t.Facts = s.facts(r)
	}
	return t
}

// failed is the error of a stream that did not come about. Fallbacks are for
// single answers.
func (s *stream) failed(end *seakeep.Ending, last *line) error {
	end.Tail.End(end.Last.Outcome)
	var err error
	if last != nil {
		err = last.err
	}
	err = withStatus(s.adapter.Failure(s.ctx, s.key, *end, err))
	if s.adapter.WantsFallback(end) {
		err = s.adapter.Unanswered(err, errStream)
	}
	leaveWord(s.ctx, err, end)
	if last != nil {
		s.options.give(&last.sending)
	}
	s.options.finish(err)
	return err
}

var (
	errSentTwice   = status.Error(codes.Internal, "seakeepgrpc: a second message on a stream that takes one")
	errStream      = errors.New("a stream has none")
	errNothingSent = status.Error(codes.Internal, "seakeepgrpc: the request is missing")
)
