// Package proxy is seakeep proxy: it stands in front of what a program calls,
// and carries each request through the policies of the file.
//
// Every dependency with a listen address has a listener of its own. What comes
// in there goes to the dependency's endpoints through a seakeephttp.Transport,
// which is the whole ladder; this package adds what a proxy owes both sides of
// the connection.
//
// # One request
//
// Package wire lets pass only requests that can be read in one way. An exchange
// takes the fields away that were meant for this hop, adds its own, reads the
// caller's deadline, and sends the request on. The answer streams back as it
// comes, with its trailer, its length and any 1xx before it. If there is no
// answer the exchange makes one: a status, a Proxy-Status that names the cause,
// problem+json that says who refused and why, and a Retry-After.
//
// Three things are never done. An answer that broke off is not ended as if it
// were whole: the client's connection breaks too. A client that left is not
// counted against anybody. A request's body is not read before the ladder has
// let the request in, so that a client which waits for 100 Continue is refused
// without having sent anything.
//
// # Reload and drain
//
// A new policy file is read in full and its listeners are opened before
// anything changes; if either fails, nothing does. Listeners at the same
// address go on with their connections, and policies keep their state. To
// drain, the proxy first says that it is not ready, then stops accepting, then
// waits for what is under way.
package proxy
