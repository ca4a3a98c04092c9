package demo

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/seakeephttp"
)

// maxAnswer bounds what is read of an answer. Those here have a few bytes.
const maxAnswer = 64 << 10

// checkout is the program that the demo is about.
type checkout struct {
	life  context.Context // ends with the run
	heeds bool            // that users leave, and when
	pool  *pool
	to    [len(names)]*upstream
}

// upstream is how checkout calls one dependency.
type upstream struct {
	url       string
	transport *seakeephttp.Transport
}

// handler returns checkout's endpoints.
func (c *checkout) handler() http.Handler {
	mux := http.NewServeMux()
	for i, name := range names {
		up := c.to[i]
		mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, r *http.Request) {
			c.serve(w, r, up)
		})
	}
	return mux
}

// serve handles one request with one worker.
func (c *checkout) serve(w http.ResponseWriter, r *http.Request, up *upstream) {
	ctx, cancel := c.context(r)
	defer cancel()
	if err := c.pool.take(ctx); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	defer c.pool.give()
	if !live.Pause(ctx, ownWork) {
		return // nobody is waiting
	}
	c.answer(ctx, w, up)
}

// context returns what limits the work for a request: what the user said, or
// the run.
func (c *checkout) context(r *http.Request) (context.Context, context.CancelFunc) {
	if !c.heeds {
		return c.life, func() {}
	}
	if left, found, _ := deadline.Read(r.Header.Get); found {
		return context.WithTimeout(r.Context(), left)
	}
	return context.WithCancel(r.Context())
}

// answer calls the dependency and passes its answer on.
func (c *checkout) answer(ctx context.Context, w http.ResponseWriter, up *upstream) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, up.url, http.NoBody)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	resp, err := up.transport.RoundTrip(req)
	if err != nil {
		refuse(w, err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		refuse(w, err)
		return
	}
	for _, name := range []string{"Content-Type", seakeephttp.FallbackHeader} {
		if value := resp.Header.Get(name); value != "" {
			w.Header().Set(name, value)
		}
	}
	w.WriteHeader(resp.StatusCode)
	_, _ = w.Write(body) // a user who has left shows in the user's figures
}

// refuse is the honest error: whose fault, and when to come back.
func refuse(w http.ResponseWriter, err error) {
	status := http.StatusBadGateway
	var r *seakeep.Rejection
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		status = http.StatusGatewayTimeout
	case errors.As(err, &r):
		status = http.StatusServiceUnavailable
		if r.RetryAfter > 0 {
			seconds := (r.RetryAfter + time.Second - 1) / time.Second
			w.Header().Set("Retry-After", strconv.Itoa(int(seconds)))
		}
	}
	http.Error(w, err.Error(), status)
}
