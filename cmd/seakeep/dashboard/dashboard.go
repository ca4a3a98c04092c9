package dashboard

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
	"github.com/seakeep/seakeep/cmd/seakeep/proxy"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/seakeephttp"
	"github.com/seakeep/seakeep/telemetry"
)

// Options are settings of a Dashboard. The zero value of each is its default.
type Options struct {
	// History is the file that keeps the last day over a restart; empty: memory
	// alone does.
	History string
	// Keep is how long history is kept, MinKeep to MaxKeep. The default is 24h.
	Keep time.Duration
	// Token is what levers need; empty: there are no levers. See ReadToken.
	Token string
	// Audit is the file that attempts to use a lever are added to, a JSON object
	// a line; empty: the log and the page have them.
	Audit string
	// Hosts are names by which the address may be asked; see proxy.Hosts.
	Hosts proxy.Hosts
	// Log receives what happens. The default is slog.Default.
	Log *slog.Logger
}

// Program is what a Dashboard shows. What is nil is left out.
type Program struct {
	Set     *seakeep.Set
	Metrics *telemetry.Metrics
	// Ready reports whether the program takes new work.
	Ready func() bool
	// Endpoints returns the endpoints of a dependency, if there are any.
	Endpoints func(dependency string) (seakeephttp.Snapshot, bool)
	// File returns where the policies came from; see proxy.Proxy.File.
	File func() (path string, loaded time.Time, refused error)
	// Ends ends streams, before the server waits for them.
	Ends context.Context
	// Demo are levers without a token, by name. They must be harmless.
	Demo map[string]func(order []byte) error
	// DemoViews answer questions about the demo, by name.
	DemoViews map[string]func(url.Values) (any, error)
}

// Dashboard shows one program. Make it with New, give it to the program as an
// observer, mount a Handler, and Run it.
type Dashboard struct {
	options Options
	log     *slog.Logger
	hub     *hub
	meters  meters
	audit   *audit
	store   *store // nil: there is no file
	rings   rings
	guard   guard
	cached  cached
	on      atomic.Bool

	program atomic.Pointer[Program]

	mu      sync.Mutex // for what follows
	last    *reading   // what the last frame reached to; nil: none was made
	recent  []*frame   // of the window, the oldest first
	file    *config.File
	values  []schema.Value // of the file in use
	changes []schema.ValueChange
}

const (
	tick   = time.Second
	span   = 10 // frames that a snapshot is over
	coarse = 10 // frames that are added up for the long history

	defaultKeep = 24 * time.Hour
)

// MinKeep and MaxKeep bound how long history is kept.
const (
	MinKeep = time.Minute
	MaxKeep = 31 * 24 * time.Hour
)

// New returns a dashboard, with its files open. Close must follow, which Run does.
func New(o Options) (*Dashboard, error) {
	o.Keep = min(max(cmp.Or(o.Keep, defaultKeep), MinKeep), MaxKeep)
	o.Log = cmp.Or(o.Log, slog.Default())
	d := &Dashboard{options: o, log: o.Log, hub: newHub(time.Now())}
	d.meters.init()
	d.guard = newGuard(o.Token)
	d.rings = newRings(o.Keep)
	var err error
	if d.audit, err = openAudit(o.Audit, d.log, d.hub); err != nil {
		return nil, err
	}
	if o.History != "" {
		if d.store, err = openStore(o.History, o.Keep); err != nil {
			d.audit.close()
			return nil, err
		}
		d.hub.saves = true
		if err = d.store.load(&d.rings.long, d.hub); err != nil {
			d.Close()
			return nil, err
		}
	}
	return d, nil
}

// Observe implements core.Observer.
func (d *Dashboard) Observe(e core.Event) {
	if !d.on.Load() {
		return
	}
	d.meters.observe(&e)
	d.hub.observe(&e, &d.meters)
}

// ForProxy is proxy.Options.Pages.
func (d *Dashboard) ForProxy(p *proxy.Proxy) http.Handler {
	return d.Handler(Program{Set: p.Set(), Metrics: p.Metrics(), Ready: p.Ready, Endpoints: p.Endpoints,
		File: p.File, Ends: p.Ends()})
}

// Run makes a frame each second until ctx ends, and closes the files.
func (d *Dashboard) Run(ctx context.Context) {
	defer d.Close()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if p := d.program.Load(); p != nil {
				d.frame(p, time.Now())
			}
		}
	}
}

// Close closes the files. Nothing is written after it.
func (d *Dashboard) Close() {
	d.audit.close()
	if d.store != nil {
		if err := d.store.close(); err != nil {
			d.log.Error("the file of history", "error", err)
		}
	}
}

// frame takes what was added since the last one.
func (d *Dashboard) frame(p *Program, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.noticeReload(p)
	next := d.read(p, now)
	if d.last != nil {
		f := next.since(d.last)
		d.recent = append(d.recent, f)
		if len(d.recent) >= span {
			d.recent = append([]*frame(nil), d.recent[len(d.recent)-span+1:]...)
		}
		if long := d.rings.add(f); long != nil && d.store != nil {
			if err := d.store.save(long, d.hub); err != nil {
				d.log.Warn("history could not be saved", "error", err)
			}
		}
	}
	d.last = next
}
