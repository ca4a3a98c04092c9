package connpool

import (
	"io"
	"net/http"
	"sync/atomic"
)

// upload follows a request's body, to know whether it can be sent again.
type upload struct {
	io.ReadCloser
	read   bool
	closed atomic.Bool
}

// Read implements io.Reader.
func (u *upload) Read(p []byte) (int, error) {
	u.read = true
	return u.ReadCloser.Read(p)
}

// Close implements io.Closer.
func (u *upload) Close() error {
	if u.closed.Swap(true) {
		return nil
	}
	return u.ReadCloser.Close()
}

// follow returns the request to be sent, and what its body comes to.
func follow(req *http.Request) (*http.Request, *sendBody) {
	if req.Body == nil || req.Body == http.NoBody {
		return req, nil
	}
	out := *req
	b := &sendBody{now: &upload{ReadCloser: req.Body}}
	out.Body = b.now
	return &out, b
}

// sendBody is a request's body, as it is sent once or more.
type sendBody struct{ now *upload }

// rewind makes the body ready to be sent again, and reports whether it can be.
func (b *sendBody) rewind(req *http.Request) bool {
	switch {
	case b == nil, !b.now.read && !b.now.closed.Load():
		return true
	case req.GetBody == nil:
		return false
	}
	_ = b.now.Close()
	again, err := req.GetBody()
	if err != nil {
		return false
	}
	b.now = &upload{ReadCloser: again}
	req.Body = b.now
	return true
}

// finish closes the body, if that has not been done.
func (b *sendBody) finish() {
	if b != nil {
		_ = b.now.Close()
	}
}
