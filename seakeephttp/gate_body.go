package seakeephttp

import (
	"io"
	"net/http"
	"time"

	"github.com/seakeep/seakeep"
)

// timedBody is the body of a request whose deadline also ends the wait for what
// its client sends. A context alone does not: a read that waits for the network
// does not look at it, and whoever lets a body trickle would keep a slot for as
// long as he likes.
type timedBody struct {
	io.ReadCloser
	rc *http.ResponseController
}

// timeBody gives a request that came through the door a body that ends with its
// deadline. It returns nil where there is none, or nothing to end.
func timeBody(w http.ResponseWriter, r *http.Request) *timedBody {
	v := seakeep.VisitOf(r.Context())
	if v == nil || r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	left, limited := v.Left()
	rc := http.NewResponseController(w)
	if !limited || rc.SetReadDeadline(time.Now().Add(left)) != nil {
		return nil
	}
	b := &timedBody{r.Body, rc}
	r.Body = b
	return b
}

// Read implements io.Reader. Behind the end of the body net/http watches the
// connection for the client's leaving, which has no deadline.
func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.lift()
	}
	return n, err
}

// lift takes the deadline off.
func (b *timedBody) lift() {
	if b != nil {
		_ = b.rc.SetReadDeadline(time.Time{})
	}
}
