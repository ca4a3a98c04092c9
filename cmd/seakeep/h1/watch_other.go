//go:build !unix

package h1

import "net"

// canWatch is whether a client's leaving can be seen without reading. Where it
// is not, net/http serves every connection.
const canWatch = false

func left(*net.TCPConn) bool { return false }
