package seakeephttp

import (
	"net/http"
	"net/url"

	"github.com/seakeep/seakeep/config"
)

// PlainPool stands in front of a transport's own pool and sends what goes to
// servers of plain HTTP/1.1 over connections of its own.
type PlainPool interface {
	http.RoundTripper
	// Use says what the policy file has for the dependency from now on, and to
	// which endpoints connections are kept ahead if it wants that. It returns
	// those that are not the pool's own.
	Use(d *config.Dependency, endpoints []*url.URL) (others []*url.URL)
	// Snapshot reads the state of its connections, by their servers.
	Snapshot() []Connections
	// CloseIdleConnections closes what is idle, also in the pool behind.
	CloseIdleConnections()
}
