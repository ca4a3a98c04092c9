package proxy

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/seakeep/seakeep/internal/problem"
)

// closeTime is how long the second direction of a tunnel may outlive the
// first: enough for the last bytes, since some ends never close.
const closeTime = 10 * time.Second

// switchTo turns the exchange into a tunnel. From here on no limit holds and
// nothing is retried; the call keeps its place in the bulkhead until the end.
func (x *exchange) switchTo(resp *http.Response) {
	got := upgradeOf(resp.Header)
	far, ok := resp.Body.(io.ReadWriteCloser)
	if !ok || x.upgrade == "" || !strings.EqualFold(got, x.upgrade) {
		x.make(x.odd("http_upgrade_failed",
			"The dependency changed to a protocol that was not asked for."))
		return
	}
	near, brw, err := http.NewResponseController(x.w).Hijack()
	if err != nil {
		x.make(problem.Problem{Status: http.StatusInternalServerError, Error: problem.InternalError,
			Detail: "The connection cannot be upgraded: " + err.Error() + "."})
		return
	}
	x.sent, x.status = true, http.StatusSwitchingProtocols
	x.answered()
	end := &tunnelEnd{near, far}
	defer end.Close()
	if !x.front.tunnels.add(end) {
		return
	}
	defer x.front.tunnels.remove(end)
	_ = near.SetDeadline(time.Time{})
	stripHop(resp.Header)
	resp.Header["Connection"], resp.Header["Upgrade"] = []string{"Upgrade"}, []string{got}
	_, _ = brw.WriteString("HTTP/1.1 101 Switching Protocols\r\n")
	_ = resp.Header.Write(brw)
	_, _ = brw.WriteString("\r\n")
	if brw.Flush() == nil {
		pump(brw.Reader, near, far)
	}
}

// tunnelEnd closes both ends of a tunnel.
type tunnelEnd struct{ near, far io.Closer }

// Close implements io.Closer.
func (t *tunnelEnd) Close() error {
	_ = t.near.Close()
	return t.far.Close()
}

// pump copies both ways until both directions have ended, or one has and the
// other does not follow.
func pump(early *bufio.Reader, near, far io.ReadWriter) {
	ended := make(chan struct{}, 2)
	go func() {
		n := int64(early.Buffered())
		if _, err := io.CopyN(far, early, n); err == nil {
			_, _ = io.Copy(far, near)
		}
		closeWrite(far)
		ended <- struct{}{}
	}()
	go func() {
		_, _ = io.Copy(near, far)
		closeWrite(near)
		ended <- struct{}{}
	}()
	<-ended
	last := time.NewTimer(closeTime)
	defer last.Stop()
	select {
	case <-ended:
	case <-last.C:
	}
}

// closeWrite ends one direction, where that is possible.
func closeWrite(w io.Writer) {
	if half, ok := w.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}
