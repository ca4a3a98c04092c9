package proxy

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core/fault"
)

// FaultOrder starts a fault.
type FaultOrder struct {
	Dependency string          `json:"dependency,omitempty"` // empty: behind the door
	Force      bool            `json:"force,omitempty"`      // beyond the share that the file allows
	DryRun     bool            `json:"dry_run,omitempty"`    // only see whether it could begin
	Fault      json.RawMessage `json:"fault"`                // with the keys and words of the file
}

// FaultsView is what hurts, and has hurt, requests on purpose.
type FaultsView struct {
	Faults []FaultView       `json:"faults"`
	Bounds []FaultBoundsView `json:"bounds"` // of each place that may be hurt
}

// FaultBoundsView are the bounds of what may be hurt in one place, and how near they are.
type FaultBoundsView struct {
	Dependency string          `json:"dependency,omitempty"` // empty: behind the door
	Allow      bool            `json:"allow"`                // by order
	Share      float64         `json:"share"`                // of the requests, at most
	Concurrent int             `json:"concurrent"`           // at the same time, at most
	Hurting    int             `json:"hurting"`              // now
	Abort      *FaultAbortView `json:"abort,omitempty"`
}

// FaultAbortView is when all faults of a place end by themselves.
type FaultAbortView struct {
	Success  float64 `json:"success"` // fewer calls than this share succeed
	WindowMS float64 `json:"window_ms"`
	Minimum  int     `json:"calls"` // that the window must hold
	// Judged and Succeeded are the calls of the window, while a fault runs.
	Judged    int64 `json:"judged"`
	Succeeded int64 `json:"succeeded"`
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
	if err := readJSON(w, r, &o); err != nil {
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

// Faults shows what hurts, and has hurt, requests on purpose.
func (op Operator) Faults(dependency *string) FaultsView {
	v := FaultsView{Faults: []FaultView{}, Bounds: []FaultBoundsView{}}
	op.eachFaults(dependency, func(name string, f *seakeep.Faults) {
		now := f.Snapshot()
		v.Bounds = append(v.Bounds, boundsOf(name, &now))
		for _, s := range now.Rules {
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

func boundsOf(name string, s *fault.Snapshot) FaultBoundsView {
	c := &s.Config
	b := FaultBoundsView{Dependency: name, Allow: c.Allow, Share: c.Share, Concurrent: c.Concurrent,
		Hurting: s.Active}
	if a := c.Abort; a.Success > 0 {
		b.Abort = &FaultAbortView{Success: a.Success, WindowMS: millis(a.Window), Minimum: a.Minimum,
			Judged: s.Calls, Succeeded: s.Good}
	}
	return b
}
