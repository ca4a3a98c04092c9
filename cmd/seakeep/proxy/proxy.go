package proxy

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/adapters/otel"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/seakeephttp"
	"github.com/seakeep/seakeep/telemetry"
)

// Options say how to run a proxy. The zero value of each field is its default.
type Options struct {
	// Admin is where the proxy offers its own state, as host:port. It wins
	// over the file's; empty: what the file says, or nowhere.
	Admin string
	// Hosts are names by which the admin address may be asked; see Hosts.
	Hosts Hosts
	// DrainDelay is how long the proxy goes on accepting after it was told to
	// end and has said on /readyz that it will: until load balancers have
	// noticed. The default is zero, which suits a proxy beside one program.
	DrainDelay time.Duration
	// Grace is how long requests under way may take to end after that. The
	// default is 30s, as in Kubernetes.
	Grace time.Duration
	// MaxHead is the most bytes of a request's line and fields together. The
	// default is 64 KiB.
	MaxHead int
	// MaxConns is the most connections open at once at one listener; the next
	// one waits. The default is 10,000.
	MaxConns int
	// NativeHistograms has /metrics offer durations in fine buckets too, for a
	// Prometheus that takes native histograms.
	NativeHistograms bool
	// Standard has net/http serve all clients, and send what is plain HTTP/1.1. It
	// is the reference for the proxy's own fronts and pool, and costs about twice
	// as much.
	Standard bool
	// Trace, if set, returns what makes spans, for the service that the policy
	// file names; Metrics is where exemplars go.
	Trace func(service string, m *telemetry.Metrics) (*otel.Tracer, error)
	// Pages, if set, returns what the admin address serves beside the proxy's own
	// paths, with a guard of its own against pages of others. It is called for
	// each admin listener.
	Pages func(*Proxy) http.Handler
	// Observer, if set, hears of every decision too.
	Observer core.Observer
	// Log receives what happens. The default is slog.Default.
	Log *slog.Logger

	bodyTime  time.Duration // for a small body to come; zero: 10s
	stallTime time.Duration // for a client to take some of an answer; zero: 60s
}

const (
	defaultGrace    = 30 * time.Second
	defaultMaxHead  = 64 << 10
	defaultMaxConns = 10_000
	// defaultBodyTime is as generous as headTime, for the same reasons.
	defaultBodyTime = 10 * time.Second
	// defaultStallTime is that of most servers. It runs anew with every piece.
	defaultStallTime = 60 * time.Second
	// linesPerSecond bounds the log of answers made here. When a dependency is
	// down they come by the thousand, and all say the same.
	linesPerSecond = 10
)

// Proxy carries requests to the dependencies of one policy file. Make it with
// Open or New, then Run it.
type Proxy struct {
	options Options
	log     *slog.Logger
	set     *seakeep.Set
	id      string // in Via, to know our own requests
	started time.Time
	local   *telemetry.Sampler // of log lines about answers made here
	changes *telemetry.Logger  // of states
	metrics *telemetry.Metrics
	tracer  *otel.Tracer // nil: no spans are made
	reasons explanations
	beacons beaconLimit // at the door
	// gathered is how many bytes of request bodies are held.
	gathered atomic.Int64

	draining atomic.Bool
	closing  context.Context // ended: nothing is waited for any more
	kill     context.CancelFunc
	failed   chan error // a listener that broke
	// drainBegun and adminEnds tell those who watch: that the proxy takes no new
	// work, and that nobody will tell them anything any more.
	drainBegun, adminEnds context.Context
	beginDrain, endAdmin  context.CancelFunc
	watches               atomic.Int32

	mu         sync.Mutex // for what follows; held while a file is put to use
	fronts     map[string]*front
	transports map[string]*seakeephttp.Transport
	upstream   behindDoor
	keys       *seakeephttp.Keys
	budgets    budgets
	restored   map[string][]byte // of budgets, until they are put to use
	file       fileState
	retired    sync.WaitGroup // listeners that are being drained
	serving    bool
	ended      bool
}

// New returns a proxy for a set of policies, with all its listeners open: from
// here on connections wait until Run accepts them. Without a path there is no
// file to reload; see Open. Nor are there counts of what the policies decide,
// unless the set was made with an observer that counts.
func New(set *seakeep.Set, o Options) (*Proxy, error) {
	p := newProxy(o)
	p.set = set
	return p, p.begin(set.File())
}

// begin opens the listeners of the first file.
func (p *Proxy) begin(file *config.File) error {
	p.mu.Lock()
	err := p.arrange(file, func() error { return nil })
	p.mu.Unlock()
	if err == nil {
		p.metrics.Watch(p)
	}
	return err
}

func newProxy(o Options) *Proxy {
	o.Grace = cmp.Or(o.Grace, defaultGrace)
	o.MaxHead = cmp.Or(o.MaxHead, defaultMaxHead)
	o.MaxConns = cmp.Or(o.MaxConns, defaultMaxConns)
	o.bodyTime = cmp.Or(o.bodyTime, defaultBodyTime)
	o.stallTime = cmp.Or(o.stallTime, defaultStallTime)
	o.Log = cmp.Or(o.Log, slog.Default())
	p := &Proxy{options: o, log: o.Log, started: time.Now(), local: telemetry.NewSampler(o.Log, linesPerSecond),
		id:     strconv.FormatUint(rand.Uint64(), 36),
		failed: make(chan error, 1), fronts: map[string]*front{},
		transports: map[string]*seakeephttp.Transport{}}
	p.metrics = newMetrics(o)
	p.changes = telemetry.NewLogger(o.Log, telemetry.LogOptions{})
	p.keys = seakeephttp.NewKeys(http.HandlerFunc(keyed), seakeephttp.HandlerOptions{
		OpenStore: openStore, Observer: p.metrics})
	p.drainBegun, p.beginDrain = context.WithCancel(context.Background())
	p.adminEnds, p.endAdmin = context.WithCancel(context.Background())
	p.closing, p.kill = context.WithCancel(context.Background())
	return p
}

// ErrClosed is returned by Run when Close cut the drain short.
var ErrClosed = errors.New("the proxy was ended with requests under way")

// Run serves until ctx ends, then drains and returns. The error is nil if the
// proxy came to its planned end, even if the grace time was over before the
// last request was.
func (p *Proxy) Run(ctx context.Context) error {
	defer p.kill()
	watching, stop := context.WithCancel(ctx)
	defer stop()
	p.serve()
	var watcher sync.WaitGroup
	watcher.Go(func() { p.watch(watching) })
	counting, done := context.WithCancel(context.WithoutCancel(ctx)) // until nothing is under way
	var counter sync.WaitGroup
	counter.Go(func() { p.set.Run(counting, p.saveBudgets) })
	defer func() {
		done()
		counter.Wait()
		p.closeBudgets()
	}()
	var err error
	select {
	case <-ctx.Done():
	case <-p.closing.Done():
	case err = <-p.failed:
	}
	stop()
	watcher.Wait()
	return cmp.Or(err, p.drain())
}

// Close ends Run at once, with whatever is under way.
func (p *Proxy) Close() { p.kill() }

// Ready reports whether the proxy takes new work. It does not depend on how
// the dependencies are: if it did, one bad dependency would take all replicas
// of the service out of their load balancer.
func (p *Proxy) Ready() bool { return !p.draining.Load() && p.closing.Err() == nil }

// Addr returns where a dependency is offered, or nil. The name "admin" is the
// admin address.
func (p *Proxy) Addr(name string) net.Addr {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.fronts {
		if f.name() == name {
			return f.listener.Addr()
		}
	}
	return nil
}

// serve begins to accept at every listener.
func (p *Proxy) serve() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.serving = true
	for _, f := range p.fronts {
		f.start()
	}
}

// drain ends the proxy: it says so, waits for the delay, stops accepting and
// waits for what is under way.
func (p *Proxy) drain() error {
	p.draining.Store(true)
	p.beginDrain()
	p.log.Info("draining", "delay", p.options.DrainDelay, "grace", p.options.Grace)
	if d := p.options.DrainDelay; d > 0 {
		select {
		case <-time.After(d):
		case <-p.closing.Done():
		}
	}
	p.mu.Lock()
	p.ended = true
	fronts := p.fronts
	p.fronts = map[string]*front{}
	p.mu.Unlock()
	for _, f := range fronts {
		if f.kind != adminFront {
			p.retire(f, p.options.Grace)
		}
	}
	p.retired.Wait()
	p.endAdmin()
	for _, f := range fronts {
		if f.kind == adminFront { // it answers probes until everything else has ended
			p.retire(f, time.Second)
		}
	}
	p.retired.Wait()
	for _, t := range p.transports {
		t.Close()
		t.CloseIdleConnections()
	}
	if t := p.upstream.transport; t != nil {
		t.Close()
		t.CloseIdleConnections()
	}
	if g := p.upstream.gate; g != nil {
		g.Close()
	}
	if err := p.keys.Close(); err != nil {
		p.log.Error("the store of idempotency keys", "error", err)
	}
	p.local.Flush()
	p.changes.Flush()
	if p.closing.Err() != nil {
		return ErrClosed
	}
	p.log.Info("drained")
	return nil
}

// retire drains a listener in the background.
func (p *Proxy) retire(f *front, grace time.Duration) {
	p.retired.Go(func() {
		ctx, cancel := context.WithTimeout(p.closing, grace)
		defer cancel()
		if cut := f.drain(ctx); cut > 0 {
			p.log.Warn("requests were cut off", "for", f.name(), "requests", cut)
		}
	})
}
