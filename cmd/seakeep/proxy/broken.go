package proxy

import (
	"errors"
	"net/http"

	"github.com/seakeep/seakeep/cmd/seakeep/wire"
)

// broken ends an answer that broke off: the client must see that it is not
// whole.
func (x *exchange) broken(resp *http.Response, err error) {
	if x.gone() || errors.Is(err, errClient) {
		x.leave()
	}
	if x.cutShort(resp, err) {
		return
	}
	x.log("an answer broke off", "error", err.Error())
	if x.interim.old && resp.ContentLength < 0 { // its end is that of the connection
		wire.Reset(x.r)
	}
	panic(http.ErrAbortHandler)
}

// statusClientClosed is in the log for requests whose client has left. No
// answer has it.
const statusClientClosed = 499

// leave ends an exchange whose client has left.
func (x *exchange) leave() {
	x.log("the client has left", "status", statusClientClosed)
	panic(http.ErrAbortHandler)
}

// gone reports whether the client has left.
func (x *exchange) gone() bool { return x.r.Context().Err() != nil }
