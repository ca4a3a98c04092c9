package proxy

import (
	"context"
	"net/http"
	"net/url"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/adapters/bolt"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/core/idempotency"
	"github.com/seakeep/seakeep/seakeephttp"
)

// upstreamName is what the program behind the door is called where dependencies
// have their names.
const upstreamName = "upstream"

// serve lets a request in, or not, and carries it to the program behind.
func (x *exchange) serve() {
	if s := x.p.beaconOf(x.r); s != nil {
		if x.small != nil {
			x.r.Body, _ = x.small.body()
		}
		x.sent = true
		x.p.beaconAtDoor(x.w, x.r, s)
		return
	}
	if x.route.gate.CallOff(x.w, x.r) {
		x.sent = true
		return
	}
	in, refused := x.route.gate.Enter(x.r)
	switch {
	case refused != nil:
		if x.small != nil {
			x.r.Body = http.NoBody // it was read
		}
		x.sent, x.refused = true, refused.Status()
		refused.Write(x.w, x.r)
		if refused.Rejection.Reason == core.TwinStarted { // it is served, elsewhere
			return
		}
		x.p.local.Info("a request was refused", "for", x.route.name, "method", x.r.Method,
			"path", x.r.URL.Path, "reason", refused.Rejection.Reason.String())
		return
	case in == nil:
		x.leave()
	}
	defer func() {
		x.pace()
		in.End(x.status)
	}()
	x.passage, x.degraded = in, x.r.Header[seakeephttp.DegradedHeader]
	ctx, left, limited := in.Open()
	x.r = x.r.WithContext(ctx)
	if limited {
		h := x.r.Header
		h[deadline.Header] = []string{deadline.EncodeMillis(left)}
		delete(h, deadline.EnvoyHeader)
		if h[deadline.GRPCHeader] != nil && x.grpc {
			h[deadline.GRPCHeader] = []string{deadline.EncodeGRPC(left)}
		} else {
			delete(h, deadline.GRPCHeader)
		}
	}
	cfg := x.p.set.File().Serve
	if cfg == nil || cfg.Idempotency == nil {
		x.carry()
		return
	}
	if x.small != nil { // it was read; whoever makes its fingerprint reads it again
		x.r.Body, _ = x.small.body()
	}
	ctx = context.WithValue(x.r.Context(), exchangeKey{}, x)
	x.p.keys.Serve(&answering{x.w, x}, x.r.WithContext(ctx), cfg.Idempotency)
}

// answering takes down the status of an answer that a key gives in place of the
// program: without it the door would take the request for one that nobody
// answered in time.
type answering struct {
	http.ResponseWriter
	x *exchange
}

// WriteHeader implements http.ResponseWriter.
func (w *answering) WriteHeader(status int) {
	if w.x.status == 0 && status >= http.StatusOK {
		w.x.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *answering) Write(p []byte) (int, error) {
	if w.x.status == 0 {
		w.x.status = http.StatusOK
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach what is beneath.
func (w *answering) Unwrap() http.ResponseWriter { return w.ResponseWriter }

type exchangeKey struct{}

// keyed carries a request whose key has been seen to. The writer takes the
// answer down, and the context no longer ends when the client leaves.
func keyed(w http.ResponseWriter, r *http.Request) {
	x := r.Context().Value(exchangeKey{}).(*exchange)
	x.w, x.r = w, r
	x.carry()
}

// doubt tells the keeper of keys what an answer of our own leaves open. The
// write ran if anything may have been sent.
func (x *exchange) doubt() {
	k := seakeephttp.KeyedWriteOf(x.r.Context())
	for _, a := range x.report.Attempts {
		if a.Result.Cause != core.Unsent {
			k.NotAnswered()
			return
		}
	}
	k.NotSent()
}

// upstreamSet is the policy by which the program behind the door is called: the
// door has done all that there is to do.
func (p *Proxy) upstreamSet(service string, to *config.Serve) (*seakeep.Set, error) {
	d := &config.Dependency{Name: upstreamName, Endpoints: []*url.URL{to.Upstream}, Protocol: to.Protocol,
		Connections: to.Connections, TLS: to.UpstreamTLS}
	d.Response = to.Response
	d.Call.Name = upstreamName
	return seakeep.NewSet(&config.File{Version: 1, Service: service,
		Dependencies: []*config.Dependency{d}}, p.withTracer(seakeep.Options{Faults: p.set.Faults("")}))
}

// behind sends a listener's requests through the door to the program behind it.
func (p *Proxy) behind(f *front, w wanted, file *config.File) error {
	to := wayOf(file.Serve)
	if p.upstream.transport == nil || p.upstream.to != to {
		set, err := p.upstreamSet(file.Service, file.Serve)
		if err != nil {
			return err
		}
		t, err := p.transport(set, upstreamName)
		if err != nil {
			return err
		}
		if old := p.upstream.transport; old != nil {
			defer drop(old)
		}
		p.upstream.to, p.upstream.transport = to, t
	}
	if p.upstream.gate == nil {
		gate, err := seakeephttp.NewGate(p.set)
		if err != nil {
			return err
		}
		p.upstream.gate = gate
	}
	f.route.Store(p.newRoute(w.name, p.upstream.transport, p.upstream.gate))
	return nil
}

// behindDoor is the program behind the door.
type behindDoor struct {
	to        way
	transport *seakeephttp.Transport
	gate      *seakeephttp.Gate // it outlives reloads, with what it knows of tied requests
}

// way is where the program behind the door is and how it is asked: another
// transport goes another.
type way struct {
	url         string
	protocol    config.Protocol
	connections config.Connections
	tls         config.TLS
	response    config.Response
}

func wayOf(s *config.Serve) way {
	w := way{s.Upstream.String(), s.Protocol, s.Connections, config.TLS{}, s.Response}
	if s.UpstreamTLS != nil {
		w.tls = s.UpstreamTLS.Settings()
	}
	return w
}

// openStore opens the file that keeps idempotency keys.
func openStore(path string, c idempotency.Config) (idempotency.Store, error) {
	return bolt.Open(path, c)
}
