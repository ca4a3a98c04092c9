package seakeepgrpc

import (
	"context"
	"io"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
)

// pulled is a stream of answers to one request. The request is kept, so that
// until the answer begins the stream may be opened again, or twice at once. The
// ladder runs beside the caller, who may open many streams before it reads one.
type pulled struct {
	s     *stream
	req   any
	asked atomic.Bool
	sent  chan struct{} // closed when the first attempt is on its way
	done  chan struct{} // closed when the ladder has ended
	once  sync.Once     // closes sent

	line     *line // that the call goes by
	last     *line // the latest that failed
	err      error // nil: line is open
	panicked any

	mu   sync.Mutex // guards live
	live int        // attempts under way
}

func newPulled(s *stream) *pulled {
	return &pulled{s: s, sent: make(chan struct{}), done: make(chan struct{})}
}

// SendMsg sends the request. It returns once it is on its way or was refused,
// with a status for a refusal.
func (p *pulled) SendMsg(m any) error {
	if p.asked.Swap(true) {
		return errSentTwice
	}
	p.req = m
	go p.run()
	select {
	case <-p.sent:
		return nil
	case <-p.done:
		return p.outcome()
	}
}

// outcome is the error of a ladder that has ended.
func (p *pulled) outcome() error {
	if p.panicked != nil {
		panic(p.panicked)
	}
	return p.err
}

func (p *pulled) run() {
	returned := false
	defer func() {
		if !returned {
			p.panicked = recover() // the caller's to see, as if it had run the ladder itself
		}
		close(p.done)
	}()
	s := p.s
	ask := s.request()
	ask.Tail = true
	var end seakeep.Ending
	if s.hedged() && p.copyable() {
		ask.Hedge = true
		end = s.adapter.Race(s.ctx, ask, seakeep.Racer{Try: p.race,
			Facts: func() call.Facts { return s.facts(core.Result{}) }})
	} else {
		end = s.adapter.Run(s.ctx, ask, p.try)
	}
	returned = true
	if end.Verdict != call.Succeeded {
		p.err = s.failed(&end, p.last)
		return
	}
	p.line.keep(end.Tail)
	p.err = p.line.answered()
}

// copyable is that of unary.
func (p *pulled) copyable() bool {
	req, ok := p.req.(proto.Message)
	if ok {
		p.req = proto.Clone(req)
	}
	return ok
}

func (p *pulled) try(ctx context.Context, attempt int) seakeep.Tried {
	l := &line{s: p.s}
	r := p.begin(ctx, l, wish{attempt: attempt, req: p.req})
	p.note(l, r)
	return p.s.tried(l, r)
}

func (p *pulled) race(ctx context.Context, attempt int) seakeep.Tried {
	p.mu.Lock()
	copied := p.live > 0
	p.live++
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.live--
		p.mu.Unlock()
	}()
	l := &line{s: p.s}
	r := p.begin(ctx, l, wish{attempt: attempt, copied: copied, req: p.req})
	return seakeep.Tried{Result: r, Facts: p.s.facts(r), Note: &seakeep.Note{Faults: l.hurt.Names(),
		Then: func(kept bool) {
			if kept {
				p.note(l, r)
			}
		}}}
}

func (p *pulled) note(l *line, r core.Result) {
	if r.Outcome == core.Success {
		p.line = l
		return
	}
	p.last = l
}

// begin makes one attempt: it ends when the answer has begun, by its header, or
// has ended without one.
func (p *pulled) begin(ctx context.Context, l *line, w wish) core.Result {
	l.err = p.ask(ctx, l, w)
	if l.err == io.EOF {
		l.err = nil
	}
	if l.err != nil {
		l.called() // nobody will read it
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return p.s.result(ctx, &l.sending, l.err)
}

func (p *pulled) ask(ctx context.Context, l *line, w wish) error {
	if err := l.connect(ctx, w); err != nil {
		return err
	}
	if err := l.SendMsg(w.req); err != nil && err != io.EOF {
		return err
	}
	if err := l.CloseSend(); err != nil && err != io.EOF {
		return err
	}
	p.once.Do(func() { close(p.sent) })
	if md, err := l.ClientStream.Header(); err != nil || md != nil {
		return err
	}
	return l.ClientStream.RecvMsg(new(emptypb.Empty)) // there is none, but its error
}

// CloseSend has nothing left to do: the one request was sent whole.
func (p *pulled) CloseSend() error {
	if !p.asked.Load() {
		return errNothingSent
	}
	return nil
}

// opened waits for the line, which only comes after the request.
func (p *pulled) opened() (*line, error) {
	if !p.asked.Load() {
		select {
		case <-p.sent:
		case <-p.done:
		case <-p.s.ctx.Done():
			return nil, withStatus(p.s.ctx.Err())
		}
	}
	<-p.done
	return p.line, p.outcome()
}

// Header implements grpc.ClientStream.
func (p *pulled) Header() (metadata.MD, error) {
	l, err := p.opened()
	if err != nil {
		return nil, err
	}
	return l.Header()
}

// Trailer implements grpc.ClientStream.
func (p *pulled) Trailer() metadata.MD {
	l, err := p.opened()
	switch {
	case err == nil:
		return l.Trailer()
	case p.last != nil:
		return p.last.trailer
	}
	return nil
}

// Context implements grpc.ClientStream. It is the caller's until the answer has
// begun.
func (p *pulled) Context() context.Context {
	select {
	case <-p.done:
		if p.err == nil && p.panicked == nil {
			return p.line.Context()
		}
	default:
	}
	return p.s.ctx
}

// RecvMsg implements grpc.ClientStream.
func (p *pulled) RecvMsg(m any) error {
	l, err := p.opened()
	if err != nil {
		return err
	}
	return l.RecvMsg(m)
}
