package seakeephttp

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// quota bounds the memory that all kept bodies of a transport take together.
type quota struct {
	max  int64
	used atomic.Int64
}

// take reports whether there is room for n more bytes, and takes it.
func (q *quota) take(n int64) bool {
	if q.used.Add(n) > q.max {
		q.used.Add(-n)
		return false
	}
	return true
}

func (q *quota) give(n int64) { q.used.Add(-n) }

var (
	errBodyGone  = errors.New("seakeephttp: the request's body cannot be sent again")
	errBodyMoved = errors.New("seakeephttp: the request's body is being sent by a later attempt")
)

// upload is a request's body on its way through several attempts. Each reads it
// from the start through a reader of its own; what was read is kept as long as
// it fits, and the rest comes from the source as it arrives. So the first
// attempt waits for nothing, and a body that was never touched can be sent
// again however large it is.
//
// A transport may go on reading a body after it has given up on the request.
// Therefore only the newest reader counts: what a former one still takes from
// the source is kept for it. If the upload is shared all readers count, each at
// its own pace; once more was read than may be kept, only the one that is
// furthest goes on.
type upload struct {
	src   io.ReadCloser
	limit int64
	quota *quota

	reading sync.Mutex // held while the source is read; taken before mu

	mu     sync.Mutex
	kept   []byte
	err    error // what the source ended with
	lost   bool  // more was read than may be kept
	over   bool  // no further attempt follows
	closed bool  // the source is
	open   int   // readers that their transport has not closed
	newest *uploadReader
	shared bool // attempts are under way at once
}

// share lets attempts read at once. Call it before the first.
func (u *upload) share() { u.shared = true }

// newUpload keeps up to limit bytes of src, whose length is size, or -1.
func newUpload(src io.ReadCloser, size, limit int64, q *quota) *upload {
	u := &upload{src: src, limit: limit, quota: q}
	switch {
	case size > limit:
		u.limit = 0 // it could never be kept whole
	case size > 0 && q.take(size):
		u.kept = make([]byte, 0, size)
	}
	return u
}

// leave leaves the upload to one of its readers: the others' attempts are over.
func (u *upload) leave(to io.ReadCloser) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if r, ok := to.(*uploadReader); ok && u.shared {
		u.newest, u.shared = r, false
	}
}

// next returns the whole body once more, for the next attempt.
func (u *upload) next() (io.ReadCloser, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.lost || u.over {
		return nil, errBodyGone
	}
	r := &uploadReader{upload: u}
	u.newest = r
	u.open++
	return r, nil
}

// replayable reports whether next will work. With pause the reader before gets
// no further, so that the answer stays true.
func (u *upload) replayable(pause bool) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.lost || u.over {
		return false
	}
	if pause && !u.shared {
		u.newest = nil
	}
	return true
}

// end says that no further attempt follows. The source is closed once, when
// the last transport is done with it.
func (u *upload) end() {
	u.mu.Lock()
	u.over = true
	last := u.last()
	u.mu.Unlock()
	if last {
		_ = u.src.Close()
	}
}

// last reports whether it is time to close the source. The caller holds mu.
func (u *upload) last() bool {
	if !u.over || u.open > 0 || u.closed {
		return false
	}
	u.closed = true
	u.drop()
	return true
}

func (u *upload) drop() {
	u.quota.give(int64(cap(u.kept)))
	u.kept = nil
}

// keep takes note of what r has read from the source.
func (u *upload) keep(r *uploadReader, p []byte, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if err != nil {
		u.err = err
	}
	if r != u.newest && !u.shared && !u.lost && !u.closed {
		u.grow(len(p), true) // the newest reader needs it, whatever the limits
		u.kept = append(u.kept, p...)
		return
	}
	if u.lost || u.over {
		return
	}
	if int64(len(u.kept)+len(p)) > u.limit || !u.grow(len(p), false) {
		u.lost, u.newest = true, r
		u.drop()
		return
	}
	u.kept = append(u.kept, p...)
	r.at = len(u.kept)
}

// grow makes room for n more bytes and reports false if there is none to have.
func (u *upload) grow(n int, force bool) bool {
	need := len(u.kept) + n
	have := cap(u.kept)
	if need <= have {
		return true
	}
	const smallest = 512
	size := max(need, 2*have, smallest)
	if extra := int64(size - have); force {
		u.quota.used.Add(extra)
	} else if !u.quota.take(extra) {
		return false
	}
	larger := make([]byte, len(u.kept), size)
	copy(larger, u.kept)
	u.kept = larger
	return true
}

// uploadReader is the body of one attempt.
type uploadReader struct {
	upload *upload
	at     int // into upload.kept; of no meaning once that is lost
	closed bool
}

// Read implements io.Reader.
func (r *uploadReader) Read(p []byte) (int, error) {
	if n, err, ok := r.again(p); ok {
		return n, err
	}
	u := r.upload
	u.reading.Lock()
	defer u.reading.Unlock()
	if n, err, ok := r.again(p); ok { // a former reader was at it
		return n, err
	}
	n, err := u.src.Read(p)
	u.keep(r, p[:n], err)
	return n, err
}

// again reads what was kept. It is not ok if the source must be read.
func (r *uploadReader) again(p []byte) (n int, err error, ok bool) {
	u := r.upload
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case r.closed, r != u.newest && !u.shared:
		return 0, errBodyMoved, true
	case u.shared && u.lost && r != u.newest:
		return 0, errBodyGone, true
	case r.at < len(u.kept):
		n = copy(p, u.kept[r.at:])
		r.at += n
		return n, nil, true
	case u.err != nil:
		return 0, u.err, true
	}
	return 0, nil, false
}

// Close implements io.Closer. The source lives on while it may be needed.
func (r *uploadReader) Close() error {
	u := r.upload
	u.mu.Lock()
	last := false
	if !r.closed {
		r.closed = true
		u.open--
		last = u.last()
	}
	u.mu.Unlock()
	if last {
		return u.src.Close()
	}
	return nil
}
