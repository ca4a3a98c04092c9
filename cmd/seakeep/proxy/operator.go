package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/fault"
)

// Operator carries out what somebody orders by hand: at the admin address, on the
// command line or on the dashboard. Each order that is carried out is logged.
type Operator struct {
	Set *seakeep.Set
	Log *slog.Logger
}

// OrderError is why an order was not carried out, with the status that says so
// over HTTP.
type OrderError struct {
	Status int
	Err    error
}

// Error says why.
func (e *OrderError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *OrderError) Unwrap() error { return e.Err }

func refuse(status int, format string, args ...any) error {
	return &OrderError{status, fmt.Errorf(format, args...)}
}

// tellRefusal answers with why an order was not carried out.
func tellRefusal(w http.ResponseWriter, err error) {
	status := http.StatusBadRequest
	if e := (*OrderError)(nil); errors.As(err, &e) {
		status = e.Status
	}
	say(w, status, err.Error())
}

// BreakerOrder is what an operator wants of a breaker: one of Mode and Reset.
type BreakerOrder struct {
	// Policy is a dependency, or dependency/operation. An operation that shares
	// its dependency's breaker changes that one.
	Policy string  `json:"policy"`
	Mode   *string `json:"mode,omitempty"`
	Reset  bool    `json:"reset,omitempty"`
	Key    string  `json:"key,omitempty"` // of a breaker kept per key; empty: the dependency's own
}

var errOrder = errors.New(
	`give {"mode": "force-open"}, {"mode": "force-closed"}, {"mode": "auto"} or {"reset": true}, ` +
		`and for a breaker kept per key also "key"`)

func (o *BreakerOrder) parse() (mode breaker.Mode, err error) {
	if o.Reset == (o.Mode != nil) {
		return 0, errOrder
	}
	if o.Mode == nil {
		return 0, nil
	}
	for _, mode := range [...]breaker.Mode{breaker.Auto, breaker.ForceOpen, breaker.ForceClosed} {
		if mode.String() == *o.Mode {
			return mode, nil
		}
	}
	return 0, errOrder
}

// Breaker changes a breaker by hand, and returns what it is like after that.
func (op Operator) Breaker(o BreakerOrder, client string) (*breaker.Snapshot, error) {
	policy, err := op.Set.Policy(o.Policy)
	if err != nil {
		return nil, refuse(http.StatusNotFound, "the policy file has no such dependency or operation")
	}
	mode, err := o.parse()
	if err != nil {
		return nil, err
	}
	plan := policy.Plan()
	if plan.Config().Breaker == nil {
		return nil, refuse(http.StatusConflict, "%s has no breaker", o.Policy)
	}
	found := false
	if o.Reset {
		found = plan.Reset(seakeep.Now(), o.Key)
	} else {
		found = plan.Force(seakeep.Now(), o.Key, mode)
	}
	s := plan.Why(seakeep.Now(), o.Key, core.CircuitOpen).Breaker
	if !found || s == nil {
		return nil, refuse(http.StatusNotFound, "%s has no breaker for this key", o.Policy)
	}
	op.Log.Warn("breaker changed by hand", "policy", o.Policy, "key", o.Key, "mode", s.Mode.String(),
		"state", s.State.String(), "client", client)
	return s, nil
}

// Admit lets in a share of the demand: the operator's way back from an overload
// that feeds itself.
func (op Operator) Admit(o AdmissionOrder, client string) error {
	door := op.Set.Door()
	if door == nil {
		return refuse(http.StatusNotFound, "%w", errNoServe)
	}
	share, ramp, err := o.Parse()
	if err != nil {
		return err
	}
	op.Log.Warn("admission changed by hand", "share", share, "ramp", ramp, "client", client)
	return door.Admit(share, ramp)
}

// Degrade sets what is left out.
func (op Operator) Degrade(o DegradeOrder, client string) error {
	door := op.Set.Door()
	switch {
	case door == nil:
		return refuse(http.StatusNotFound, "%w", errNoServe)
	case o.Auto == (o.Level != nil):
		return errDegrade
	case door.Door().Config().Degrade == nil:
		return errNoFeatures
	case o.Auto:
		door.DegradeAuto()
		op.Log.Warn("degradation left to the pressure", "client", client)
		return nil
	}
	if err := door.Degrade(*o.Level); err != nil {
		return err
	}
	op.Log.Warn("degradation changed by hand", "level", *o.Level, "client", client)
	return nil
}

// StartFault begins a fault. It takes hold of the next attempt.
func (op Operator) StartFault(o FaultOrder, client string) error {
	if len(o.Fault) == 0 {
		return errFault
	}
	file := op.Set.File()
	d := file.Dependency(o.Dependency)
	if o.Dependency != "" && d == nil || o.Dependency == "" && file.Serve == nil {
		return refuse(http.StatusNotFound, "the policy file has no such dependency, or no serve section")
	}
	rule, err := config.ReadFault(o.Fault, d)
	if err != nil {
		return err
	}
	f := op.Set.Faults(o.Dependency)
	if f == nil {
		return refuse(http.StatusConflict, "%w", errUnfaulted)
	}
	begin := f.Start
	if o.DryRun {
		begin = f.Check
	}
	if err := begin(rule, o.Force); errors.Is(err, fault.ErrRefused) {
		return refuse(http.StatusConflict, "%w", err)
	} else if err != nil {
		return err
	}
	if o.DryRun {
		return nil
	}
	op.Log.Warn("fault started by hand", "dependency", o.Dependency, "fault", rule.Name,
		"kind", rule.Hurt.Kind.String(), "share", rule.Share, "for", rule.For, "forced", o.Force,
		"client", client)
	return nil
}

// StopFaults ends a fault by its name, or all of them if it is empty: of the
// dependency, of the door if that name is empty, or everywhere if there is none.
func (op Operator) StopFaults(dependency *string, name, client string) error {
	stopped := 0
	op.eachFaults(dependency, func(_ string, f *seakeep.Faults) { stopped += f.Stop(name) })
	if stopped == 0 && name != "" {
		return refuse(http.StatusNotFound, "no fault of that name is running")
	}
	op.Log.Warn("faults stopped by hand", "fault", name, "stopped", stopped, "client", client)
	return nil
}

// eachFaults visits the door and the dependencies, or the one that is named.
func (op Operator) eachFaults(dependency *string, visit func(name string, f *seakeep.Faults)) {
	all := []string{""}
	for _, d := range op.Set.File().Dependencies {
		all = append(all, d.Name)
	}
	if dependency != nil {
		all = []string{*dependency}
	}
	for _, name := range all {
		if f := op.Set.Faults(name); f != nil {
			visit(name, f)
		}
	}
}

// StopOrder ends faults: see Operator.StopFaults.
type StopOrder struct {
	Dependency *string `json:"dependency,omitempty"`
	Name       string  `json:"name"`
}

var errLever = errors.New("there is no such lever; there are breaker, admit, degrade and fault")

// Order carries out an order that is written as JSON. For a fault it is
// {"start": FaultOrder} or {"stop": StopOrder}; the others are as their types.
func (op Operator) Order(lever string, order []byte, client string) error {
	switch lever {
	case "breaker":
		var o BreakerOrder
		if err := strictly(bytes.NewReader(order), &o); err != nil {
			return errors.Join(errOrder, err)
		}
		_, err := op.Breaker(o, client)
		return err
	case "admit":
		var o AdmissionOrder
		if err := strictly(bytes.NewReader(order), &o); err != nil {
			return errors.Join(errAdmission, err)
		}
		return op.Admit(o, client)
	case "degrade":
		var o DegradeOrder
		if err := strictly(bytes.NewReader(order), &o); err != nil {
			return errors.Join(errDegrade, err)
		}
		return op.Degrade(o, client)
	case "fault":
		return op.orderFault(order, client)
	}
	return refuse(http.StatusNotFound, "%w", errLever)
}

var errFaultOrder = errors.New(`give {"start": {"dependency": "pricing", "fault": {...}}} or ` +
	`{"stop": {"name": "slow"}}`)

func (op Operator) orderFault(order []byte, client string) error {
	var o struct {
		Start *FaultOrder `json:"start"`
		Stop  *StopOrder  `json:"stop"`
	}
	if err := strictly(bytes.NewReader(order), &o); err != nil || (o.Start == nil) == (o.Stop == nil) {
		return errors.Join(errFaultOrder, err)
	}
	if o.Start != nil {
		return op.StartFault(*o.Start, client)
	}
	return op.StopFaults(o.Stop.Dependency, o.Stop.Name, client)
}
