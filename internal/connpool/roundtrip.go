package connpool

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"time"
	"unicode/utf8"
)

// mostResends is how often a request that was not processed goes out again by
// itself. Once is enough for a connection that was closing; more often it is
// the server that does not want it, which is for the caller's policy to judge.
const mostResends = 3

type acquireKey struct{}

// WithAcquire returns a context for requests that may wait for a connection for
// another time than the settings have.
func WithAcquire(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, acquireKey{}, d)
}

// AcquireOf returns the time that WithAcquire has put into a context.
func AcquireOf(ctx context.Context) (d time.Duration, ok bool) {
	d, ok = ctx.Value(acquireKey{}).(time.Duration)
	return d, ok
}

// RoundTrip implements http.RoundTripper.
func (p *Pool) RoundTrip(req *http.Request) (*http.Response, error) {
	m := p.maker.Load()
	if !plain(req.URL) {
		return m.tr.RoundTrip(req) // which knows what to do, or what is wrong
	}
	to := addressOf(req.URL)
	out, body := follow(req)
	for sent := 0; ; sent++ {
		resp, used, err := p.try(m, to, out)
		if err == nil {
			return resp, nil
		}
		ctx := req.Context()
		if ctx.Err() != nil || sent >= mostResends || !p.again(err, used, out) || !body.rewind(out) {
			body.finish()
			return nil, err
		}
		p.resent(to, sent)
	}
}

// plain reports whether a URL is one that lanes lead to: not with letters that
// must be written otherwise first, nor with another scheme.
func plain(u *url.URL) bool {
	for i := range len(u.Host) {
		if u.Host[i] >= utf8.RuneSelf {
			return false
		}
	}
	return (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// try sends a request once.
func (p *Pool) try(m *maker, to address, req *http.Request) (resp *http.Response, used bool, err error) {
	trace := httptrace.ContextClientTrace(req.Context())
	if trace != nil && trace.GetConn != nil {
		trace.GetConn(to.host)
	}
	c, err := p.get(req.Context(), m, to)
	if err != nil {
		return nil, false, err
	}
	used = c.used.Swap(true)
	if trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{Reused: used})
	}
	at := time.Since(began)
	resp, err = c.RoundTrip(req)
	switch {
	case err == nil && c.multi:
		c.settled.Store(true)
		if resp.Body == nil || resp.Body == http.NoBody {
			c.done()
		} else {
			resp.Body = &stream{ReadCloser: resp.Body, c: c}
		}
		return resp, used, nil
	case err == nil:
		return resp, used, nil
	}
	defer c.done()
	switch {
	case c.multi && c.socket != nil && c.socket.heard.Load() < int64(at) &&
		req.Context().Err() == context.DeadlineExceeded:
		c.lane.doubt(c)
	case notProcessed(err):
		err = &unsent{err}
	}
	return nil, used, err
}

// get returns a connection with a place reserved on it, for one request.
func (p *Pool) get(ctx context.Context, m *maker, to address) (*conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if p.resting.Load() {
		p.resting.Store(false)
	}
	l := p.lane(to)
	if len(l.waiting) == 0 {
		if c := l.take(time.Now()); c != nil {
			l.leave()
			return c, nil
		}
	}
	w := &waiter{make(chan handed, 1)}
	l.waiting = append(l.waiting, w)
	l.grow()
	l.leave()
	wait := m.Acquire
	if own, ok := AcquireOf(ctx); ok {
		wait = own
	}
	var limit <-chan time.Time
	if wait > 0 && m.Connections.Max > 0 {
		t := time.NewTicker(wait)
		defer t.Stop()
		limit = t.C
	}
	for {
		select {
		case got := <-w.got:
			return got.c, got.err
		case <-ctx.Done():
			return l.giveUp(w, context.Cause(ctx))
		case <-limit:
			if !l.coming(m) {
				return l.giveUp(w, &AcquireError{Address: to.host, Max: m.Connections.Max, Wait: wait})
			}
		}
	}
}

// coming reports whether there is a new connection under way for each request
// that waits: then the limit for new connections holds, and not this one.
func (l *lane) coming(m *maker) bool {
	l.mu.Lock()
	defer l.leave()
	return l.dialing > 0 && (l.shared(m) || l.dialing >= len(l.waiting))
}

// giveUp ends a wait. If a connection came at the last moment and there is time
// for it, that is what counts.
func (l *lane) giveUp(w *waiter, err error) (*conn, error) {
	l.mu.Lock()
	defer l.leave()
	if i := slices.Index(l.waiting, w); i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
		l.counts.Refused++
		return nil, err
	}
	got := <-w.got
	var late *AcquireError
	if got.c == nil || errors.As(err, &late) {
		return got.c, got.err
	}
	got.c.release()
	l.note(got.c)
	return nil, err
}

// doubt marks a connection on which a request has timed out while nothing at
// all arrived.
func (l *lane) doubt(c *conn) {
	l.mu.Lock()
	if c.doubt == 0 && c.inLane {
		c.doubt, c.doubted = time.Since(began), time.Now()
		l.due(c.doubted.Add(l.of.maker.Load().Connections.PingTimeout))
	}
	l.leave()
}

// resent counts a request that goes out again. If it was the second time in a
// row the other idle connections are hardly better, and go.
func (p *Pool) resent(to address, before int) {
	l := p.lane(to)
	l.counts.Resent++
	if before > 0 {
		l.dropIdle()
	}
	l.leave()
}

// again reports whether a request may go out on another connection by itself:
// it was not processed, or the connection had been idle, was closed at that
// very moment, and the request does no harm.
func (p *Pool) again(err error, used bool, req *http.Request) bool {
	var a *AcquireError
	if errors.As(err, &a) {
		return false
	}
	if notProcessed(err) {
		return true
	}
	if !used || !stale(err) {
		return false
	}
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return req.Header["Idempotency-Key"] != nil || req.Header["X-Idempotency-Key"] != nil
}
