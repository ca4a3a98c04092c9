package seakeephttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"

	"github.com/seakeep/seakeep/core"
)

// bodyless reports whether the answer ends with its headers.
func bodyless(req *http.Request, resp *http.Response) bool {
	return resp.Body == http.NoBody || req.Method == http.MethodHead
}

// streams reports whether nobody knows where the answer ends. One that the
// transport has decompressed on its own had a length before.
func streams(resp *http.Response) bool {
	if resp.ContentLength >= 0 {
		return false
	}
	hadLength := resp.ProtoMajor == 1 && len(resp.TransferEncoding) == 0 && !resp.Close
	return !(resp.Uncompressed && hadLength)
}

// answerBody is the body that the caller reads: an exchange whose answer was
// handed over.
type answerBody exchange

// Read implements io.Reader.
func (b *answerBody) Read(p []byte) (int, error) {
	n, err := b.rc.Read(p)
	if n > 0 && b.grpc == grpcSilent {
		b.message()
	}
	if b.caching != nil {
		b.caching.record.add(p[:n])
	}
	switch {
	case err == nil:
	case err == io.EOF && b.grpc != noGRPC:
		b.end(b.status())
	case err == io.EOF:
		b.end(core.Success)
	default:
		b.end(broken(err, b.req.Context()))
	}
	return n, err
}

// splicer is a body that can go from socket to socket. Fault says whose fault it
// was when WriteTo has failed: nil is the writer's.
type splicer interface {
	io.WriterTo
	CanSplice() bool
	Fault() error
}

// CanSplice reports whether WriteTo moves the body without reading it, given a
// writer that can do that.
func (b *answerBody) CanSplice() bool {
	s, ok := b.rc.(splicer)
	return ok && b.grpc == noGRPC && (b.caching == nil || b.caching.record == nil) && s.CanSplice()
}

// Fault returns what was wrong with the body when WriteTo has failed; nil: the
// writer failed.
func (b *answerBody) Fault() error {
	if s, ok := b.rc.(splicer); ok {
		return s.Fault()
	}
	return nil
}

// WriteTo implements io.WriterTo. What is stored is read like any other.
func (b *answerBody) WriteTo(w io.Writer) (int64, error) {
	if !b.CanSplice() {
		return io.Copy(w, struct{ io.Reader }{b})
	}
	s := b.rc.(splicer)
	n, err := s.WriteTo(w)
	switch {
	case err == nil:
		b.end(core.Success)
	case s.Fault() != nil:
		b.end(broken(err, b.req.Context()))
	}
	return n, err
}

// Close implements io.Closer. A caller that stops early has what it wanted.
func (b *answerBody) Close() error {
	err := b.rc.Close()
	if b.caching != nil {
		b.caching.record.drop()
	}
	b.end(core.Success)
	return err
}

// end gives everything back, once, however many goroutines use the body.
func (b *answerBody) end(o core.Outcome) {
	b.telling.Lock()
	again := b.ended.Swap(true)
	b.telling.Unlock()
	if again {
		return
	}
	x := (*exchange)(b)
	if o == core.Success && x.caching != nil && x.caching.record != nil {
		x.store(x.caching.record)
	}
	x.close(o)
}

// broken says what a body that ended early means to the policies.
func broken(err error, caller context.Context) core.Outcome {
	switch {
	case caller.Err() == context.Canceled:
		return core.Cancelled
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.Is(err, ErrBodyIdle), errors.Is(err, ErrBodySlow):
		return core.Timeout
	case errors.Is(err, http.ErrBodyReadAfterClose):
		return core.Success
	}
	return core.Failure
}

// tunnel is the connection of an answer that switched protocols. It ends when
// it is closed, since either direction may end before the other.
type tunnel struct {
	body *answerBody
	rw   io.ReadWriteCloser
}

func (t *tunnel) Read(p []byte) (int, error)  { return t.rw.Read(p) }
func (t *tunnel) Write(p []byte) (int, error) { return t.rw.Write(p) }

// Close implements io.Closer.
func (t *tunnel) Close() error {
	err := t.rw.Close()
	t.body.end(core.Success)
	return err
}

// CloseWrite ends one direction, where the connection can do that.
func (t *tunnel) CloseWrite() error {
	if c, ok := t.rw.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return http.ErrNotSupported
}
