package seakeephttp

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/fault"
	"github.com/seakeep/seakeep/internal/grpcstatus"
)

// InjectedHeader names the faults that an answer was hurt by on purpose.
const InjectedHeader = "X-Seakeep-Fault-Injected"

// roundTrip sends the request.
func (s *sending) roundTrip(x *exchange) (*http.Response, error) {
	if x.adapter.Traced() {
		return s.follows(x)
	}
	return s.send(x)
}

// send sends the request. Its answer's body is within the limits that there are.
func (s *sending) send(x *exchange) (*http.Response, error) {
	resp, err := s.faulted(x)
	switch {
	case s.stop == nil:
	case err != nil:
		s.stop(nil)
	default:
		return bounded(resp, x.file.Response, s)
	}
	return resp, err
}

// faulted sends the request, unless a fault does something to it.
func (s *sending) faulted(x *exchange) (*http.Response, error) {
	base := x.pool.of.base
	f, operation := x.adapter.Faults()
	if f.Idle() || x.info.Unhurt {
		return roundTrip(base, &s.req)
	}
	t := fault.Target{Operation: operation, Method: x.req.Method, Path: x.req.URL.EscapedPath(),
		Marks: faultMarks(s.req.Header, x.info)}
	if t.Method == "" {
		t.Method = http.MethodGet
	}
	if to := x.at.to; to != nil {
		t.Endpoint = to.name
	}
	if s.hurt = f.Begin(t); s.hurt == nil {
		return roundTrip(base, &s.req)
	}
	resp, err := s.injured(base)
	if err == nil {
		mark(resp, s.hurt.By)
	}
	return resp, err
}

// hurtBy names the faults that the attempt was hurt by; empty: by none.
func (s *sending) hurtBy() string {
	if s == nil { // it came to nothing before it was one
		return ""
	}
	return s.hurt.Names()
}

// faultMarks are the faults that a request asks for.
func faultMarks(h http.Header, c *seakeep.Call) string {
	all := strings.Join(h[config.FaultHeader], ",")
	if c.Faults != "" {
		all += "," + c.Faults
	}
	return all
}

func mark(resp *http.Response, by string) {
	if resp.Header == nil {
		resp.Header = make(http.Header, 1)
	}
	setMark(resp.Header, by)
}

// setMark says in an answer what has hurt it, beside what those below have said.
func setMark(h http.Header, by string) {
	if below := h.Get(InjectedHeader); below != "" {
		by += ", " + below
	}
	h[InjectedHeader] = []string{by}
}

// injured carries out what comes before the request, and hands on what does
// something to it or to its answer.
func (s *sending) injured(base http.RoundTripper) (*http.Response, error) {
	h := s.hurt
	err := h.Before(s.req.Context())
	if err == nil {
		if h.Body == (fault.Body{}) {
			h.End()
			return roundTrip(base, &s.req)
		}
		return s.paced(base)
	}
	h.End()
	closeBody(&s.req)
	// As if a server had been there: what only seems to hang may have run.
	s.got.Store(h.Blow.Kind != fault.Refused)
	var f *seakeep.FaultError
	if errors.As(err, &f) {
		switch f.Hurt.Kind {
		case fault.Error:
			return faulty(&s.req, f), nil
		case fault.Refused:
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
		}
	}
	return nil, err
}

// faulty is the answer of a dependency that is said to fail.
func faulty(req *http.Request, f *seakeep.FaultError) *http.Response {
	status, text := f.Hurt.Status, f.Error()+"\n"
	h := http.Header{"Content-Type": {"text/plain; charset=utf-8"}}
	if f.Hurt.GRPC > 0 {
		status, text = http.StatusOK, ""
		h = http.Header{"Content-Type": {grpcstatus.ContentType}}
		grpcstatus.Set(h, grpcstatus.Code(f.Hurt.GRPC), f.Error(), "")
	}
	h["Content-Length"] = []string{strconv.Itoa(len(text))}
	resp := &http.Response{Status: strconv.Itoa(status) + " " + http.StatusText(status),
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h,
		ContentLength: int64(len(text)), Body: io.NopCloser(strings.NewReader(text)), Request: req}
	if req.Method == http.MethodHead || text == "" {
		resp.Body = http.NoBody
	}
	return resp
}

// classify is classifyAnswer for an answer that may be faulty: a fault
// with a code of gRPC fails, whatever its status.
func (s *sending) classify(resp *http.Response) core.Result {
	if s.hurt != nil && s.hurt.Blow.GRPC > 0 {
		return s.hurt.Blow.Result()
	}
	return classifyAnswer(resp)
}

// paced sends the request, and breaks its connection or slows its answer's body
// down.
func (s *sending) paced(base http.RoundTripper) (*http.Response, error) {
	h := s.hurt
	ctx, cancel := context.WithCancelCause(s.req.Context())
	b := &pacedBody{h: h, ctx: ctx, cancel: cancel, broken: h.Broken()}
	b.stop = h.Cut(func() { cancel(b.broken) })
	resp, err := roundTrip(base, s.req.WithContext(ctx))
	if err != nil {
		err = b.why(err)
		b.end()
		return nil, err
	}
	b.rc, b.began = resp.Body, seakeep.Now()
	if resp.StatusCode == http.StatusSwitchingProtocols {
		b.tunnel(resp)
		return resp, nil
	}
	resp.Body = b
	return resp, nil
}

// pacedBody is a body that a fault slows down, or breaks off.
type pacedBody struct {
	rc     io.ReadCloser
	h      *seakeep.Hurt
	ctx    context.Context
	cancel context.CancelCauseFunc
	broken error // what it breaks off with
	stop   func()
	began  core.Instant
	read   int64
}

// Read implements io.Reader.
func (b *pacedBody) Read(p []byte) (int, error) {
	p, err := b.wait(p)
	n := 0
	if err == nil {
		n, err = b.rc.Read(p)
	}
	b.read += int64(n)
	if err != nil && err != io.EOF {
		err = b.why(err)
	}
	if err != nil {
		b.end()
	}
	return n, err
}

// ticks is how often a second a body of limited bandwidth moves on.
const ticks = 20

// wait does what comes before the next piece, and returns how much of p it may
// fill.
func (b *pacedBody) wait(p []byte) ([]byte, error) {
	body := &b.h.Body
	if body.Piece > 0 && !b.h.Over(fault.SlowBody) {
		if !b.h.Pause(b.ctx, body.Pause, fault.SlowBody) {
			return p, context.Cause(b.ctx)
		}
		p = p[:min(int64(len(p)), body.Piece)]
	}
	if body.Rate > 0 && !b.h.Over(fault.Bandwidth) {
		p = p[:min(int64(len(p)), max(1, body.Rate/ticks))]
		due := b.began.Add(time.Duration(float64(b.read+int64(len(p))) / float64(body.Rate) * 1e9))
		if !b.h.Pause(b.ctx, due.Sub(seakeep.Now()), fault.Bandwidth) {
			return p, context.Cause(b.ctx)
		}
	}
	return p, nil
}

// why is the error of a connection, which the fault may have broken.
func (b *pacedBody) why(err error) error {
	if cause := context.Cause(b.ctx); cause == b.broken {
		return cause
	}
	return err
}

// Close implements io.Closer.
func (b *pacedBody) Close() error {
	err := b.rc.Close()
	b.end()
	return err
}

func (b *pacedBody) end() {
	b.stop()
	b.cancel(nil)
	b.h.End()
}

// tunnel lets a connection that has changed protocols be, but for its end.
func (b *pacedBody) tunnel(resp *http.Response) {
	rw, ok := resp.Body.(io.ReadWriteCloser)
	if !ok {
		b.end()
		return
	}
	b.stop()
	b.stop = b.h.Cut(func() { _ = rw.Close() })
	resp.Body = &pacedTunnel{rw, b}
}

type pacedTunnel struct {
	io.ReadWriteCloser
	b *pacedBody
}

// Close implements io.Closer.
func (t *pacedTunnel) Close() error { return t.b.Close() }

// CloseWrite ends one direction, where the connection can do that.
func (t *pacedTunnel) CloseWrite() error {
	if c, ok := t.ReadWriteCloser.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return http.ErrNotSupported
}
