package proxy

import (
	"net/http"
	"sync"
	"time"
)

// headWait is how long an answer's head waits for the first of its body, which
// mostly has come with it: to send both at once costs half.
const headWait = time.Millisecond

// lateHead sends an answer's head if its body lets it wait.
type lateHead struct {
	mu    sync.Mutex // held while it is sent
	over  bool
	timer *time.Timer
}

func flushLater(rc *http.ResponseController) *lateHead {
	h := &lateHead{}
	h.timer = time.AfterFunc(headWait, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if !h.over {
			_ = rc.Flush() // a client that has gone shows with the first piece
		}
	})
	return h
}

// stop leaves the head to whoever calls it, who sends the first piece or ends the
// answer. It may be called again.
func (h *lateHead) stop() {
	if h == nil || h.over {
		return
	}
	h.timer.Stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
}
