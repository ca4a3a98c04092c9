// Package connpool keeps the connections to a dependency's endpoints: those of
// HTTP/1.1, one call at a time, and those of HTTP/2, many at once.
//
// It exists because net/http's own pool cannot be told how long a call may wait
// for a connection, how long a connection may live, how many are opened ahead,
// or that a request never left. Its connections are used as they are: a lane
// for each address keeps http.ClientConns, takes the one that was used last,
// and opens another while it may. Whoever finds none waits in line.
//
// A request that certainly was not processed goes out on another connection by
// itself, whatever its method, if its body can be had again: the connection was
// closed before anything was written, the server said GOAWAY and the request
// came after the last it would process, or refused the stream. That happens at
// most mostResends times for a call, and is counted. After that, and for
// whatever may have been processed, the error goes to the caller; NeverSent
// tells the two apart.
//
// A connection of HTTP/2 that has gone dead without a word is found by the call
// that times out on it: if nothing at all has arrived since that call was sent,
// the connection is in doubt, takes no new calls, and is closed if it then says
// nothing for PingTimeout. One that is alive answers the ping that goes with
// the cancellation, and is in use again.
//
// # Locking
//
// Pool.mu guards the lanes and the settings, lane.mu the connections of one
// address; a lane is never locked while another is. net/http tells of changes
// from within calls of ours, so what changed is put on a list, and whoever
// holds the lane looks at it before leaving (lane.leave). Connections are closed
// after the unlock.
package connpool
