package proxy

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/fault"
)

// FaultOrder starts a fault.
type FaultOrder struct {
	Dependency string          `json:"dependency,omitempty"` // empty: behind the door
	Force      bool            `json:"force,omitempty"`      // beyond the share that the file allows
	Fault      json.RawMessage `json:"fault"`                // with the keys and words of the file
}

// FaultsView is what hurts, and has hurt, requests on purpose.
type FaultsView struct {
	Faults []FaultView `json:"faults"`
}

// FaultView is one fault.
type FaultView struct {
	Dependency string  `json:"dependency,omitempty"` // empty: behind the door
	Name       string  `json:"name"`
	Kind       string  `json:"kind"`
	Share      float64 `json:"share"`
	Running    bool    `json:"running"`
	LeftMS     float64 `json:"left_ms,omitempty"`
	Over       string  `json:"over,omitempty"` // why it has ended
	Order      bool    `json:"order"`          // an operator's; otherwise the file's
	Operation  string  `json:"operation,omitempty"`
	Endpoint   string  `json:"endpoint,omitempty"`
	Method     string  `json:"method,omitempty"`
	Path       string  `json:"path,omitempty"`
	Marked     bool    `json:"marked,omitempty"`
	Seen       uint64  `json:"seen"`   // requests in its scope
	Hurt       uint64  `json:"hurt"`   // of them
	Spared     uint64  `json:"spared"` // let pass, because too many were being hurt
}

var (
	errFault = errors.New(`give {"dependency": "pricing", "fault": {"name": "slow", "kind": "latency", ` +
		`"delay": "100ms", "share": "10%", "for": "5m"}}; without a dependency it is behind the door`)
	errUnfaulted = errors.New("the policy file does not allow faults here; add faults: {allow: true}")
)

// startFault begins a fault by an operator's order. It takes hold of the next
// attempt.
func (p *Proxy) startFault(w http.ResponseWriter, r *http.Request) {
	var o FaultOrder
	if err := readJSON(w, r, &o); err != nil || len(o.Fault) == 0 {
		say(w, http.StatusBadRequest, errors.Join(errFault, err).Error())
		return
	}
	file := p.set.File()
	d := file.Dependency(o.Dependency)
	if o.Dependency != "" && d == nil || o.Dependency == "" && file.Serve == nil {
		say(w, http.StatusNotFound, "the policy file has no such dependency, or no serve section")
		return
	}
	rule, err := config.ReadFault(o.Fault, d)
	if err != nil {
		say(w, http.StatusBadRequest, err.Error())
		return
	}
	f := p.set.Faults(o.Dependency)
	if f == nil {
		say(w, http.StatusConflict, errUnfaulted.Error())
		return
	}
	switch err := f.Start(rule, o.Force); {
	case errors.Is(err, fault.ErrRefused):
		say(w, http.StatusConflict, err.Error())
		return
	case err != nil:
		say(w, http.StatusBadRequest, err.Error())
		return
	}
	p.log.Warn("fault started by hand", "dependency", o.Dependency, "fault", rule.Name,
		"kind", rule.Hurt.Kind.String(), "share", rule.Share, "for", rule.For, "forced", o.Force,
		"client", r.RemoteAddr)
	show(w, http.StatusOK, p.faultsView(r))
}

// stopFaults ends a fault, or all of them.
func (p *Proxy) stopFaults(w http.ResponseWriter, r *http.Request) {
	name, stopped := r.PathValue("name"), 0
	p.eachFaults(r, func(_ string, f *seakeep.Faults) { stopped += f.Stop(name) })
	if stopped == 0 && name != "" {
		say(w, http.StatusNotFound, "no fault of that name is running")
		return
	}
	p.log.Warn("faults stopped by hand", "fault", name, "stopped", stopped, "client", r.RemoteAddr)
	show(w, http.StatusOK, p.faultsView(r))
}

func (p *Proxy) showFaults(w http.ResponseWriter, r *http.Request) {
	show(w, http.StatusOK, p.faultsView(r))
}

// eachFaults visits the door and the dependencies, or the one that the request
// names: ?dependency=pricing, and with an empty name the door.
func (p *Proxy) eachFaults(r *http.Request, visit func(name string, f *seakeep.Faults)) {
	all := []string{""}
	for _, d := range p.set.File().Dependencies {
		all = append(all, d.Name)
	}
	if q := r.URL.Query(); q.Has("dependency") {
		all = []string{q.Get("dependency")}
	}
	for _, name := range all {
		if f := p.set.Faults(name); f != nil {
			visit(name, f)
		}
	}
}

func (p *Proxy) faultsView(r *http.Request) FaultsView {
	v := FaultsView{Faults: []FaultView{}}
	p.eachFaults(r, func(name string, f *seakeep.Faults) {
		for _, s := range f.Snapshot().Rules {
			c := s.Rule.Scope
			v.Faults = append(v.Faults, FaultView{Dependency: name, Name: s.Rule.Name,
				Kind: s.Rule.Hurt.Kind.String(), Share: s.Rule.Share, Running: s.Over == "",
				LeftMS: millis(s.Left), Over: s.Over, Order: s.Order, Operation: c.Operation,
				Endpoint: c.Endpoint, Method: c.Method, Path: c.Path, Marked: c.Marked, Seen: s.Seen,
				Hurt: s.Hurt, Spared: s.Spared})
		}
	})
	return v
}
