package proxy

import (
	"errors"
	"maps"
	"net/http"
	"net/textproto"
	"sync"
)

// maxInterim bounds the answers before the answer: net/http leaves that to
// whoever passes them on.
const maxInterim = 100

var errInterim = errors.New("more than 100 interim answers")

// interim passes on the answers with a status below 200 that come before the
// final one. They have no bearing on anything else. They arrive on other
// goroutines, perhaps from an attempt that was given up.
type interim struct {
	w   http.ResponseWriter
	old bool // the client does not know them

	mu    sync.Mutex
	count int
	over  bool
}

// got passes one on. 100 Continue is left to net/http, which sends it when the
// request's body is read.
func (i *interim) got(status int, fields textproto.MIMEHeader) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.over {
		return nil
	}
	if i.count++; i.count > maxInterim {
		return errInterim
	}
	if i.old || status == http.StatusContinue {
		return nil
	}
	from := http.Header(fields)
	stripHop(from)
	h := i.w.Header()
	final := maps.Clone(h)
	clear(h)
	maps.Copy(h, from)
	i.w.WriteHeader(status)
	clear(h)
	maps.Copy(h, final)
	return nil
}

// close makes the final answer the only one from here on.
func (i *interim) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.over = true
}
