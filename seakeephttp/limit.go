package seakeephttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/config"
)

// The limits of an answer's body that the policy file may have. A BodyError
// wraps the one that was passed.
var (
	// ErrBodyTooLarge: it has more bytes than response.body allows.
	ErrBodyTooLarge = errors.New("larger than response.body allows")
	// ErrBodyIdle: nothing of it came for as long as response.idle allows.
	ErrBodyIdle = errors.New("silent for longer than response.idle allows")
	// ErrBodySlow: it came more slowly than response.rate allows.
	ErrBodySlow = errors.New("slower than response.rate allows")
)

// BodyError is the error of an answer whose body passed a limit of the policy
// file: of the request, if the answer said so beforehand, and otherwise of the
// read that found out.
type BodyError struct {
	Err   error // ErrBodyTooLarge, ErrBodyIdle or ErrBodySlow
	Got   int64 // bytes that came before; or the answer's Content-Length
	Limit string
}

// Error implements error.
func (e *BodyError) Error() string {
	return fmt.Sprintf("the answer's body is %v, %s, at %d bytes", e.Err, e.Limit, e.Got)
}

// Unwrap returns the limit.
func (e *BodyError) Unwrap() error { return e.Err }

// Timeout reports whether the limit is one of time.
func (e *BodyError) Timeout() bool { return e.Err != ErrBodyTooLarge }

// limitedBody is an answer's body within the limits of the policy file. Only
// the time counts that is spent waiting for the other side: how long the reader
// takes is its own business.
type limitedBody struct {
	io.ReadCloser
	limits config.Response
	stop   context.CancelCauseFunc // of the attempt; ends a read under way

	waited time.Duration
	timer  *time.Timer // nil: no limit of time
	hit    atomic.Pointer[BodyError]

	mu    sync.Mutex // held for what the timer looks at
	got   int64
	until error     // what the timer stands for; nil: nobody waits
	due   time.Time // when it may say so
}

// bounded gives an answer a body within limits, or says that it is too large
// beforehand. The answer is closed then.
func bounded(resp *http.Response, limits config.Response, s *sending) (*http.Response, error) {
	switch {
	case resp.StatusCode == http.StatusSwitchingProtocols:
		return resp, nil // no answer any more, but a connection
	case bodyless(&s.req, resp):
		s.stop(nil)
		return resp, nil
	case limits.Body > 0 && resp.ContentLength > limits.Body:
		err := &BodyError{ErrBodyTooLarge, resp.ContentLength, config.ShowSize(limits.Body)}
		s.stop(err)
		_ = resp.Body.Close()
		return nil, err
	}
	b := &limitedBody{ReadCloser: resp.Body, limits: limits, stop: s.stop}
	if limits.Idle > 0 || limits.Rate > 0 {
		b.timer = time.AfterFunc(time.Hour, b.late)
		b.timer.Stop()
	}
	resp.Body = b
	return resp, nil
}

// late runs when a read takes too long. It may come late itself: when that read
// is over, or another is under way.
func (b *limitedBody) late() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until == nil || time.Now().Before(b.due) {
		return
	}
	limit := b.limits.Idle.String()
	if b.until == ErrBodySlow {
		limit = config.ShowSize(b.limits.Rate) + " a second"
	}
	err := &BodyError{b.until, b.got, limit}
	if b.hit.CompareAndSwap(nil, err) {
		b.stop(err)
	}
}

// patience is how long the next read may take.
func (b *limitedBody) patience() (left time.Duration, limit error) {
	left, limit = b.limits.Idle, ErrBodyIdle
	if b.limits.Rate > 0 {
		earned := time.Duration(float64(b.got) / float64(b.limits.Rate) * float64(time.Second))
		if slow := b.limits.Grace + earned - b.waited; b.limits.Idle == 0 || slow < left {
			left, limit = slow, ErrBodySlow
		}
	}
	return left, limit
}

// Read implements io.Reader.
func (b *limitedBody) Read(p []byte) (int, error) {
	if err := b.hit.Load(); err != nil {
		return 0, err
	}
	if most := b.limits.Body; most > 0 && int64(len(p)) > most-b.got+1 {
		p = p[:most-b.got+1] // a byte more, to see whether there is one
	}
	n, err := b.read(p)
	if most := b.limits.Body; most > 0 && b.got > most {
		n -= int(b.got - most)
		b.hit.CompareAndSwap(nil, &BodyError{ErrBodyTooLarge, most, config.ShowSize(most)})
		_ = b.Close()
		return n, b.hit.Load()
	}
	if err != nil && err != io.EOF {
		if hit := b.hit.Load(); hit != nil {
			err = hit
		}
	}
	if err != nil {
		b.stop(nil)
	}
	return n, err
}

// read reads once, and no longer than it may take.
func (b *limitedBody) read(p []byte) (int, error) {
	if b.timer == nil {
		n, err := b.ReadCloser.Read(p)
		b.got += int64(n)
		return n, err
	}
	start := time.Now()
	left, limit := b.patience()
	left = max(left, 0)
	b.mu.Lock()
	b.until, b.due = limit, start.Add(left)
	b.mu.Unlock()
	b.timer.Reset(left)
	n, err := b.ReadCloser.Read(p)
	b.timer.Stop()
	b.waited += time.Since(start)
	b.mu.Lock()
	b.got, b.until = b.got+int64(n), nil
	b.mu.Unlock()
	return n, err
}

// Close implements io.Closer.
func (b *limitedBody) Close() error {
	err := b.ReadCloser.Close()
	b.stop(nil)
	return err
}
