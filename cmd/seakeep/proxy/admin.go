package proxy

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/internal/grpchealth"
)

// maxOrder bounds a request's body at the admin address.
const maxOrder = 4 << 10

// adminHandler offers the proxy's own state. It is plain HTTP: nothing here
// goes through a policy, so that it answers when everything else does not.
func (p *Proxy) adminHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { say(w, 200, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if p.Ready() {
			say(w, http.StatusOK, "ok")
		} else {
			say(w, http.StatusServiceUnavailable, "draining")
		}
	})
	mux.Handle("GET /metrics", p.metricsHandler())
	p.health(mux)
	mux.HandleFunc("GET /v1/status", func(w http.ResponseWriter, _ *http.Request) {
		show(w, http.StatusOK, p.status())
	})
	mux.HandleFunc("GET /v1/dependencies", func(w http.ResponseWriter, _ *http.Request) {
		show(w, http.StatusOK, p.allView())
	})
	mux.HandleFunc("GET /v1/dependencies/{name}", p.showDependency)
	mux.HandleFunc("GET /v1/dependencies/{name}/shard", p.showShard)
	mux.HandleFunc("POST /v1/dependencies/{name}/breaker", p.orderBreaker)
	mux.HandleFunc("POST /v1/dependencies/{name}/operations/{operation}/breaker", p.orderBreaker)
	mux.HandleFunc("GET /v1/serve", p.withDoor(
		func(http.ResponseWriter, *http.Request) error { return nil }))
	mux.HandleFunc("POST /v1/serve/admission", p.withDoor(p.orderAdmission))
	mux.HandleFunc("POST /v1/serve/degrade", p.withDoor(p.orderDegrade))
	mux.HandleFunc("GET /v1/slo", func(w http.ResponseWriter, _ *http.Request) {
		show(w, http.StatusOK, SLOViewOf(p.set))
	})
	mux.HandleFunc("POST /v1/slo/beacon", func(w http.ResponseWriter, r *http.Request) {
		p.beacon(w, r, maxCounts)
	})
	mux.HandleFunc("GET /v1/faults", p.showFaults)
	mux.HandleFunc("POST /v1/faults", p.startFault)
	mux.HandleFunc("DELETE /v1/faults", p.stopFaults)
	mux.HandleFunc("DELETE /v1/faults/{name}", p.stopFaults)
	// A page in somebody's browser must not be able to open a breaker.
	apart := http.NewCrossOriginProtection().Handler(mux)
	guarded := p.options.Hosts.Guard(apart)
	outer := http.NewServeMux()
	// Probes say only whether the proxy lives, and call it what they like.
	for _, path := range []string{"/livez", "/readyz", grpchealth.Check, grpchealth.List, grpchealth.Watch} {
		outer.Handle(path, apart)
	}
	if p.options.Pages == nil {
		outer.Handle("/", guarded)
		return outer
	}
	// What has its own guard is told of what it refuses, to write it down.
	outer.Handle("/v1/", guarded)
	outer.Handle("/metrics", guarded)
	outer.Handle("/", p.options.Pages(p))
	return outer
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n")
}

func show(w http.ResponseWriter, status int, v any) {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		say(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n'))
}

func (p *Proxy) showDependency(w http.ResponseWriter, r *http.Request) {
	d := p.set.File().Dependency(r.PathValue("name"))
	if d == nil {
		say(w, http.StatusNotFound, "the policy file has no such dependency")
		return
	}
	show(w, http.StatusOK, p.dependencyView(d))
}

// orderBreaker changes a breaker by hand. An operation that shares its
// dependency's breaker changes that one.
func (p *Proxy) orderBreaker(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if op := r.PathValue("operation"); op != "" {
		name += "/" + op
	}
	if _, err := p.set.Policy(name); err != nil {
		say(w, http.StatusNotFound, "the policy file has no such dependency or operation")
		return
	}
	var o struct {
		Mode  *string `json:"mode"`
		Reset bool    `json:"reset"`
		Key   string  `json:"key"`
	}
	if err := readJSON(w, r, &o); err != nil {
		say(w, http.StatusBadRequest, errors.Join(errOrder, err).Error())
		return
	}
	s, err := p.Operator().Breaker(BreakerOrder{Policy: name, Mode: o.Mode, Reset: o.Reset, Key: o.Key},
		r.RemoteAddr)
	if err != nil {
		tellRefusal(w, err)
		return
	}
	show(w, http.StatusOK, breakerOf(s))
}

// Operator returns what carries out orders by hand.
func (p *Proxy) Operator() Operator { return Operator{p.set, p.log} }

// statusView is the proxy itself.
type statusView struct {
	Service   string         `json:"service"`
	Ready     bool           `json:"ready"`
	StartedAt time.Time      `json:"started_at"`
	UptimeMS  float64        `json:"uptime_ms"`
	File      fileView       `json:"policy_file"`
	Listeners []listenerView `json:"listeners"`
}

type fileView struct {
	Path     string     `json:"path,omitempty"`
	LoadedAt *time.Time `json:"loaded_at,omitempty"`
	Reloads  int        `json:"reloads"`
	Refused  *refused   `json:"refused,omitempty"`
}

// refused is why the latest text of the file is not in use.
type refused struct {
	At     time.Time `json:"at"`
	Errors []any     `json:"errors"`
}

type listenerView struct {
	For         string   `json:"for"`
	Address     string   `json:"address"`
	Connections int      `json:"connections"`
	Requests    int64    `json:"requests"`
	Tunnels     int      `json:"tunnels"`
	TLS         *tlsView `json:"tls,omitempty"`
}

func (p *Proxy) status() statusView {
	file := p.set.File()
	v := statusView{Service: file.Service, Ready: p.Ready(), StartedAt: p.started,
		UptimeMS: millis(time.Since(p.started)), Listeners: []listenerView{}}
	p.mu.Lock()
	defer p.mu.Unlock()
	v.File = p.file.view()
	for _, w := range must(p.wanted(file)) {
		if f := p.fronts[w.key()]; f != nil {
			v.Listeners = append(v.Listeners, listenerView{f.name(), f.listener.Addr().String(),
				f.listener.Open(), f.active.Load(), f.tunnels.len(), f.tls.Load().view()})
		}
	}
	return v
}

// must is for a file that is in use: it has listeners.
func must(all []wanted, _ error) []wanted { return all }

func (s *fileState) view() fileView {
	v := fileView{Path: s.path, Reloads: s.reloads}
	if s.path != "" {
		loaded := s.loaded
		v.LoadedAt = &loaded
	}
	if s.err == nil {
		return v
	}
	v.Refused = &refused{At: s.errAt}
	var errs config.Errors
	if !errors.As(s.err, &errs) {
		v.Refused.Errors = []any{map[string]string{"problem": s.err.Error()}}
		return v
	}
	for _, e := range errs {
		v.Refused.Errors = append(v.Refused.Errors, e)
	}
	return v
}
