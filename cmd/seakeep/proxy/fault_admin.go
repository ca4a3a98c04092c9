package proxy

import (
	"encoding/json"
	"errors"
	"net/http"
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

// startFault begins a fault by an operator's order.
func (p *Proxy) startFault(w http.ResponseWriter, r *http.Request) {
	var o FaultOrder
	if err := readJSON(w, r, &o); err != nil || len(o.Fault) == 0 {
		say(w, http.StatusBadRequest, errors.Join(errFault, err).Error())
		return
	}
	if err := p.Operator().StartFault(o, r.RemoteAddr); err != nil {
		tellRefusal(w, err)
		return
	}
	p.showFaults(w, r)
}

// stopFaults ends a fault, or all of them.
func (p *Proxy) stopFaults(w http.ResponseWriter, r *http.Request) {
	if err := p.Operator().StopFaults(asked(r), r.PathValue("name"), r.RemoteAddr); err != nil {
		tellRefusal(w, err)
		return
	}
	p.showFaults(w, r)
}

func (p *Proxy) showFaults(w http.ResponseWriter, r *http.Request) {
	show(w, http.StatusOK, p.Operator().Faults(asked(r)))
}

// asked is whose faults a request is about: ?dependency=pricing, and with an
// empty name the door's; nil: everybody's.
func asked(r *http.Request) *string {
	if q := r.URL.Query(); q.Has("dependency") {
		name := q.Get("dependency")
		return &name
	}
	return nil
}
