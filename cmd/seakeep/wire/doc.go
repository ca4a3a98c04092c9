// Package wire stands between the sockets of an HTTP server and net/http,
// and lets pass only requests whose ends everybody sees in the same place.
//
// A proxy forwards requests to servers that parse them again. Where two
// parsers may disagree on where a request ends, a client can hide a second
// request in the first (request smuggling). net/http repairs some doubtful
// requests before a handler can see them: it drops a Content-Length beside a
// Transfer-Encoding and takes a bare line feed for a line end. So the bytes
// are judged before net/http reads them, and a doubtful request is answered
// with 400 and the end of its connection.
//
// # What is refused
//
// Content-Length together with Transfer-Encoding; a Transfer-Encoding other
// than exactly one "chunked"; Content-Lengths that differ or are not plain
// digits; line ends other than CR LF; space before a colon; folded fields;
// control characters; a Host that is missing or given twice; a malformed
// request line, chunk or trailer; any version but HTTP/1.0 and 1.1; and a head
// that is longer than the limit.
//
// # HTTP/2
//
// A connection that begins with the preface of HTTP/2 passes unseen: its frames
// leave no doubt about where a request ends, and net/http keeps the fields away
// that are a matter of one hop. What it does not look at (the characters of a
// method, a target, a host) Handler judges by the rules above, because a request
// may leave as HTTP/1.1. Over TLS the protocol is the one that was agreed on.
// "Upgrade: h2c" is no offer, and stays HTTP/1.1.
//
// # The end
//
// A connection that is closed over bytes that nobody has read is reset by the
// kernel, and the reset may overtake the answer. So Close ends our half first, and
// reads and drops for a moment what the client still sends; nothing of it reaches
// the server.
//
// # How
//
// A Conn follows the framing of the requests that are read through it. It
// holds a request's head back until all of it has come and is found good. In
// place of a bad head net/http gets a short request that no client can send,
// because its version would be refused; Handler knows it by that and has it
// answered, behind the answers to the requests before it. Doubt within a body
// ends the body with an error, which is a *Refusal.
//
// Bodies are not copied or held. After a request that asks for an upgrade
// nobody can tell what follows, so the bytes pass unseen, and Handler sees to
// it that the connection ends with that request unless it is upgraded.
package wire
