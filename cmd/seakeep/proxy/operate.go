package proxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// MaxRamp is the longest way back to full admission that an operator may ask
// for.
const MaxRamp = 24 * time.Hour

// AdmissionOrder lets in a share of the demand, and everything again over the
// ramp.
type AdmissionOrder struct {
	Share *float64 `json:"share"` // from 0 to 1
	Ramp  string   `json:"ramp"`  // such as 60s; empty or 0s: until the next order
}

// DegradeOrder sets how many features of the list are off, or leaves it to the
// pressure.
type DegradeOrder struct {
	Level *int `json:"level,omitempty"`
	Auto  bool `json:"auto,omitempty"`
}

var (
	errNoServe   = errors.New("the policy file has no serve section")
	errAdmission = errors.New(
		`give {"share": 0.4} or {"share": 0.4, "ramp": "60s"}, with a share from 0 to 1`)
	errNoFeatures = errors.New("serve has no list of features to leave out; add degrade, " +
		"such as [prefetch, personalization]")
	errDegrade = errors.New(`give {"level": 2} or {"auto": true}`)
)

// readJSON reads a request's body, as strictly does.
func readJSON(w http.ResponseWriter, r *http.Request, into any) error {
	return strictly(http.MaxBytesReader(w, r.Body, maxOrder), into)
}

// strictly reads one JSON value without unknown keys, and nothing else.
func strictly(text io.Reader, into any) error {
	d := json.NewDecoder(text)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more than one value")
	}
	return nil
}

// Parse checks the order.
func (o *AdmissionOrder) Parse() (share float64, ramp time.Duration, err error) {
	if o.Share == nil || !(*o.Share >= 0 && *o.Share <= 1) {
		return 0, 0, errAdmission
	}
	if o.Ramp != "" {
		if ramp, err = time.ParseDuration(o.Ramp); err != nil || ramp < 0 || ramp > MaxRamp {
			return 0, 0, fmt.Errorf("%q is not a ramp; give a time such as 60s, at most %v",
				o.Ramp, MaxRamp)
		}
	}
	return *o.Share, ramp, nil
}

// withDoor answers with the state of the door after an order.
func (p *Proxy) withDoor(order func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if p.set.Door() == nil {
			say(w, http.StatusNotFound, errNoServe.Error())
			return
		}
		if err := order(w, r); err != nil {
			tellRefusal(w, err)
			return
		}
		v, _ := p.serveView()
		show(w, http.StatusOK, v)
	}
}

// orderAdmission is the operator's way back from an overload that feeds itself.
func (p *Proxy) orderAdmission(w http.ResponseWriter, r *http.Request) error {
	var o AdmissionOrder
	if err := readJSON(w, r, &o); err != nil {
		return errors.Join(errAdmission, err)
	}
	return p.Operator().Admit(o, r.RemoteAddr)
}

// orderDegrade sets what is left out.
func (p *Proxy) orderDegrade(w http.ResponseWriter, r *http.Request) error {
	var o DegradeOrder
	if err := readJSON(w, r, &o); err != nil {
		return errors.Join(errDegrade, err)
	}
	return p.Operator().Degrade(o, r.RemoteAddr)
}
