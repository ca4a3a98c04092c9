//go:build unix

package upstream

import "syscall"

// look looks into an idle connection's socket without waiting and without
// taking anything.
func (c *conn) look(fd uintptr) (done bool) {
	for {
		n, _, err := syscall.Recvfrom(int(fd), c.one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		if err == syscall.EINTR {
			continue
		}
		switch {
		case err == syscall.EAGAIN || err == syscall.EWOULDBLOCK:
			c.seen = silence
		case err == nil && n > 0:
			c.seen = bytesCame
		default:
			c.seen = itsEnd
		}
		return true
	}
}

const canLook = true
