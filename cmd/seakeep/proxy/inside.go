package proxy

import (
	"context"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/seakeephttp"
	"github.com/seakeep/seakeep/telemetry"
)

// What follows is for pages at the admin address; see Options.Pages.

// Set returns the policies in use.
func (p *Proxy) Set() *seakeep.Set { return p.set }

// Metrics returns what counts decisions.
func (p *Proxy) Metrics() *telemetry.Metrics { return p.metrics }

// Ends is over when those who watch are told nothing any more, because all else
// has ended.
func (p *Proxy) Ends() context.Context { return p.adminEnds }

// Endpoints returns the endpoints of a dependency; false if the proxy does not
// reach it.
func (p *Proxy) Endpoints(dependency string) (seakeephttp.Snapshot, bool) {
	p.mu.Lock()
	t := p.transports[dependency]
	p.mu.Unlock()
	if t == nil {
		return seakeephttp.Snapshot{}, false
	}
	return t.Snapshot(), true
}

// File returns where the policies came from, since when they are in use, and why
// a newer text is not; nil: there is none, or it is in use.
func (p *Proxy) File() (path string, loaded time.Time, refused error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.file.path, p.file.loaded, p.file.err
}
