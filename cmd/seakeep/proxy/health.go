package proxy

import (
	"io"
	"net/http"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/balance"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/internal/grpchealth"
	"github.com/seakeep/seakeep/internal/grpcstatus"
)

const (
	// watchEvery is how often a watched status is looked at: breakers and
	// endpoints change without telling.
	watchEvery = 500 * time.Millisecond
	// maxWatches bounds them, since each looks by itself.
	maxWatches = 256
)

// healthOf is grpc.health.v1's word for what the admin address says: of the proxy
// as a whole by the empty name, of a dependency by its own.
func (p *Proxy) healthOf(service string) grpchealth.Status {
	d := p.set.File().Dependency(service)
	switch {
	case service != "" && d == nil:
		return grpchealth.ServiceUnknown
	case !p.Ready(), d != nil && !p.dependencyReady(d):
		return grpchealth.NotServing
	}
	return grpchealth.Serving
}

// dependencyReady reports whether a call to a dependency has a chance: its
// breaker does not keep it out, and an endpoint of those that are known may be
// used. An open breaker whose time is up waits for a call, so it is no reason to
// send none.
func (p *Proxy) dependencyReady(d *config.Dependency) bool {
	if policy, err := p.set.Policy(d.Name); err == nil {
		b := policy.Snapshot().Breaker
		if b != nil && (b.Mode == breaker.ForceOpen || b.State == breaker.Open && b.RetryAfter > 0) {
			return false
		}
	}
	p.mu.Lock()
	t := p.transports[d.Name]
	p.mu.Unlock()
	if t == nil || len(d.Endpoints) == 0 && d.Resolve == nil {
		return true
	}
	s := t.Snapshot()
	up := s.Panic && len(s.Endpoints) > 0 // all are used then
	for i := range s.Endpoints {
		up = up || s.Endpoints[i].State == balance.Up
	}
	return up
}

// health answers grpc.health.v1 at the admin address.
func (p *Proxy) health(mux *http.ServeMux) {
	asked := func(answer func(http.ResponseWriter, *http.Request, string)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if !grpcstatus.Speaks(r.Header) {
				say(w, http.StatusUnsupportedMediaType, "ask in gRPC")
				return
			}
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, grpchealth.MostRequest))
			service := ""
			if err == nil {
				service, err = grpchealth.ParseRequest(body)
			}
			if err != nil {
				grpcstatus.Write(w, grpcstatus.InvalidArgument, err.Error(), "")
				return
			}
			answer(w, r, service)
		}
	}
	mux.HandleFunc("POST "+grpchealth.Check, asked(p.checkHealth))
	mux.HandleFunc("POST "+grpchealth.List, asked(p.listHealth))
	mux.HandleFunc("POST "+grpchealth.Watch, asked(p.watchHealth))
}

// replies sends messages of gRPC; end comes behind the last.
type replies struct {
	w     http.ResponseWriter
	begun bool
}

func (r *replies) send(message []byte) error {
	if !r.begun {
		r.w.Header().Set("Content-Type", grpcstatus.ContentType)
		r.begun = true
	}
	if _, err := r.w.Write(message); err != nil {
		return err
	}
	return http.NewResponseController(r.w).Flush()
}

func (r *replies) end(code grpcstatus.Code, message string) {
	trailer := http.Header{}
	grpcstatus.Set(trailer, code, message, "")
	for name, values := range trailer {
		r.w.Header()[http.TrailerPrefix+name] = values
	}
}

const noSuchService = "the policy file has no such dependency; the empty name is the proxy itself"

func (p *Proxy) checkHealth(w http.ResponseWriter, _ *http.Request, service string) {
	s := p.healthOf(service)
	if s == grpchealth.ServiceUnknown {
		grpcstatus.Write(w, grpcstatus.NotFound, noSuchService, "")
		return
	}
	out := replies{w: w}
	_ = out.send(grpchealth.Response(s))
	out.end(grpcstatus.OK, "")
}

func (p *Proxy) listHealth(w http.ResponseWriter, _ *http.Request, _ string) {
	all := []grpchealth.Named{{Status: p.healthOf("")}}
	for _, d := range p.set.File().Dependencies {
		all = append(all, grpchealth.Named{Service: d.Name, Status: p.healthOf(d.Name)})
	}
	out := replies{w: w}
	_ = out.send(grpchealth.ListResponse(all))
	out.end(grpcstatus.OK, "")
}

// watchHealth tells a status, and each change of it, until the client leaves or
// the proxy ends. A name that is unknown may become known by a reload.
func (p *Proxy) watchHealth(w http.ResponseWriter, r *http.Request, service string) {
	if p.watches.Add(1) > maxWatches {
		p.watches.Add(-1)
		grpcstatus.Write(w, grpcstatus.ResourceExhausted, "too many watch already", "")
		return
	}
	defer p.watches.Add(-1)
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Time{}) // the admin address has limits for short answers
	_ = rc.SetWriteDeadline(time.Time{})
	out := replies{w: w}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	draining, last := p.drainBegun.Done(), grpchealth.Status(1<<32)
	for {
		if s := p.healthOf(service); s != last {
			if last = s; out.send(grpchealth.Response(s)) != nil {
				return
			}
		}
		select {
		case <-r.Context().Done():
			return
		case <-p.adminEnds.Done():
			out.end(grpcstatus.Unavailable, "the proxy ends")
			return
		case <-draining:
			draining = nil
		case <-tick.C:
		}
	}
}
