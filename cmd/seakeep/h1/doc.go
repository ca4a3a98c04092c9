// Package h1 is the proxy's own front: it serves what nearly all requests
// in HTTP/1.1 look like at a third of what net/http takes, and leaves everything
// else to net/http.
//
// # What is served here
//
// A request on a plain TCP connection, in HTTP/1.1, to a path, with a common
// method, and with no body or one of stated length. One goroutine reads it,
// calls the handler and writes the answer, with one system call each way if the
// answer is small.
//
// Anything else (a transfer coding, Expect, Upgrade, CONNECT, HTTP/1.0, a request
// that package wire has refused) is not looked at twice: the connection goes to a
// net/http.Server, with the bytes that were read, and stays there. So there is one
// implementation of everything that is rare, and it is not ours. Which of the two
// serves a connection is not to be seen from outside; a test runs the same
// exchanges through both. With the preface of HTTP/2, also over TLS, a connection
// goes to whoever serves that.
//
// # What is relied on
//
// Package wire has judged every byte: line ends, names, values, lengths and
// their sum are good, and a head comes whole. The parser here takes apart what
// is known to be well formed and checks again only what memory depends on.
//
// # A client that leaves
//
// net/http has a goroutine that reads while the handler runs. Here the socket is
// looked at once the handler has taken a few milliseconds, which few do: from
// then on a client that leaves ends the request's context at once.
package h1
