// Command proxy measures what seakeep proxy costs: processor time per request,
// read from /proc, beside a plain httputil.ReverseProxy in a process of its
// own, and beside HAProxy, nginx and Caddy where they are installed.
//
// Every proxy and the backend are processes; the load comes from this one. In a
// row all proxies take turns, a burst each, for some rounds, so that whatever
// else the machine does falls on all alike. A ratio is taken within each round
// and its median and quartiles are what counts. README.md has the method and
// the last table.
package main
