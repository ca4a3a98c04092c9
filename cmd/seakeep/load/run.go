package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// drained is how much of an answer is read; the rest is left and its connection
// closed.
const drained = 16 << 20

// Test is a load test of one URL.
type Test struct {
	URL, Method string
	Header      http.Header
	Body        []byte
	Good        time.Duration // an answer within this is good
	Timeout     time.Duration // how long users wait; at least Good
	Most        int           // requests under way, and connections
	HTTP2       bool          // HTTP/2, in the clear too
	Seed        uint64
	// Each, if not nil, is told of every request that was sent, one at a time:
	// when it was planned since the first step began, how long it took from then,
	// and what came of it: "" for a 2xx. What it returns ends the run.
	Each func(planned, latency time.Duration, kind string) error
	// Between, if not nil, is told of each step as it ends.
	Between func(Result)

	door    http.RoundTripper // in tests, in place of the network
	client  *http.Client
	began   time.Time
	streams uint64
	mu      sync.Mutex // of Each
	failed  error
}

// open makes the client. Its pool holds as many connections as requests may be
// under way, so that none waits here for one.
func (t *Test) open() (stop func()) {
	tr := &http.Transport{MaxIdleConns: t.Most, MaxIdleConnsPerHost: t.Most, MaxConnsPerHost: t.Most,
		DisableCompression: true, DialContext: (&net.Dialer{Timeout: t.Timeout}).DialContext}
	if t.HTTP2 {
		tr.Protocols = new(http.Protocols)
		tr.Protocols.SetHTTP2(true)
		tr.Protocols.SetUnencryptedHTTP2(true)
	}
	var door http.RoundTripper = tr
	if t.door != nil {
		door = t.door
	}
	t.client = &http.Client{Transport: door, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // it is an answer, and not a 2xx
	}}
	t.began = time.Now()
	return tr.CloseIdleConnections
}

// Run goes through the steps, one after the other.
func (t *Test) Run(ctx context.Context, steps []Step) (all []Result, err error) {
	defer t.open()()
	for _, s := range steps {
		r, err := t.step(ctx, s, false)
		if err != nil {
			return all, err
		}
		all = append(all, r)
	}
	return all, nil
}

// step makes the requests of one step and waits until all have ended. With cut it
// makes no more once the step cannot hold.
func (t *Test) step(ctx context.Context, s Step, cut bool) (Result, error) {
	t.streams++
	due := newArrivals(s, t.Seed, t.streams)
	count := newTally(t.Good)
	spare := int((1 - Held) * s.Planned() * 1.1)
	free := make(chan struct{}, t.Most)
	var under sync.WaitGroup
	began, ran, early := time.Now(), s.For, false
	offset := began.Sub(t.began)
	for ctx.Err() == nil {
		at, more := due.next()
		if !more {
			live.Pause(ctx, s.For-time.Since(began))
			break
		}
		if wait := at - time.Since(began); wait > 0 && !live.Pause(ctx, wait) {
			break
		}
		if cut && count.bad() > spare+3 {
			ran, early = time.Since(began), true
			break
		}
		count.due++
		select {
		case free <- struct{}{}:
		default:
			count.skip()
			continue
		}
		under.Go(func() {
			defer func() { <-free }()
			sent := time.Since(began)
			kind, answered, why := t.ask(ctx, began.Add(at))
			ended := time.Since(began)
			if ctx.Err() != nil {
				return
			}
			count.put(at, sent, ended, kind, answered)
			count.explain(kind, why)
			t.tell(offset+at, ended-at, kind)
		})
	}
	under.Wait()
	if err := errors.Join(ctx.Err(), t.failure()); err != nil {
		return Result{}, err
	}
	r := count.result(s, ran, early)
	if t.Between != nil {
		t.Between(r)
	}
	return r, nil
}

// ask makes one request. Its user has left when the patience since the planned
// moment is over. Why is what went wrong, in the words of whoever noticed.
func (t *Test) ask(ctx context.Context, planned time.Time) (kind string, answered bool, why error) {
	ctx, leave := context.WithDeadline(ctx, planned.Add(t.Timeout))
	defer leave()
	req, err := http.NewRequestWithContext(ctx, t.Method, t.URL, bytes.NewReader(t.Body))
	if err != nil {
		return "request", false, err
	}
	for k, v := range t.Header {
		req.Header[k] = v
	}
	if host := t.Header.Get("Host"); host != "" {
		req.Host = host
	}
	resp, err := t.client.Do(req)
	if err != nil {
		return kindOf(err), false, err
	}
	_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, drained))
	_ = resp.Body.Close()
	switch {
	case err != nil:
		return kindOf(err), false, err
	case resp.StatusCode/100 == 3 && resp.Header.Get("Location") != "":
		return strconv.Itoa(resp.StatusCode), true, fmt.Errorf("%s, to %.200q, which is not followed", resp.Status,
			resp.Header.Get("Location"))
	case resp.StatusCode/100 != 2:
		return strconv.Itoa(resp.StatusCode), true, errors.New(resp.Status)
	}
	return "", true, nil
}

// kindOf says in a word what went wrong.
func kindOf(err error) string {
	var named *net.DNSError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF),
		errors.Is(err, io.ErrUnexpectedEOF):
		return "reset"
	case errors.As(err, &named):
		return "dns"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.EADDRNOTAVAIL):
		return "no more sockets here"
	}
	return "other"
}

// tell passes a request on to Each.
func (t *Test) tell(planned, latency time.Duration, kind string) {
	if t.Each == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed == nil {
		t.failed = t.Each(planned, latency, kind)
	}
}

func (t *Test) failure() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}
