//go:build unix

package h1

import (
	"errors"
	"net"
	"syscall"
)

// canWatch is whether a client's leaving can be seen without reading.
const canWatch = true

// left waits until the client says something and reports whether that is its
// end. A deadline for reading ends the wait.
func left(tcp *net.TCPConn) (gone bool) {
	raw, err := tcp.SyscallConn()
	if err != nil {
		return false
	}
	var one [1]byte
	err = raw.Read(func(fd uintptr) bool {
		for {
			n, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
			switch {
			case err == syscall.EINTR:
				continue
			case err == syscall.EAGAIN:
				return false
			}
			gone = err != nil || n == 0
			return true
		}
	})
	return gone || errors.Is(err, net.ErrClosed) // it was ended from here
}
