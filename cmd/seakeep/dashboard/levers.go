package dashboard

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
	"github.com/seakeep/seakeep/cmd/seakeep/proxy"
)

// maxOrder bounds a request, and maxWhy a reason.
const (
	maxOrder = 8 << 10
	maxWhy   = 500
)

// Request is what a lever takes. Order is what the lever's own address on the
// admin listener takes; see docs/dashboard-api.md.
type Request struct {
	Reason string          `json:"reason"`
	By     string          `json:"by,omitempty"` // who; the address is written down in any case
	Nonce  string          `json:"nonce"`
	AtMS   float64         `json:"at_ms"`
	Order  json.RawMessage `json:"order"`
}

// pull carries out an order, or says why not. Either is written down.
func (d *Dashboard) pull(w http.ResponseWriter, r *http.Request, p *Program) {
	now := time.Now()
	entry := schema.Event{Kind: schema.KindLever, Lever: schema.Text(r.PathValue("lever")),
		By: schema.Text(r.RemoteAddr), AtMS: unixMS(now)}
	refused := ofHere(r, d.options.Hosts)
	if refused == nil {
		refused = d.guard.known(r)
	}
	if d.stormy(w, now, refused) {
		return
	}
	var request *Request
	if refused == nil {
		request, refused = d.judge(w, r, now)
	}
	if request != nil {
		entry.Why = request.Reason
		if request.By != "" {
			entry.By = schema.Text(request.By) + " at " + schema.Text(r.RemoteAddr)
		}
		entry.Order, entry.Policy = ordered(request.Order)
	}
	if refused == nil {
		op := proxy.Operator{Set: p.Set, Log: d.log}
		if err := op.Order(r.PathValue("lever"), request.Order, r.RemoteAddr); err != nil {
			refused = &refusal{http.StatusBadRequest, "not-possible", err.Error()}
			if e := (*proxy.OrderError)(nil); errors.As(err, &e) {
				refused.status = e.Status
			}
		}
	}
	d.answer(w, entry, refused)
}

// stormy answers an attempt that is one of too many.
func (d *Dashboard) stormy(w http.ResponseWriter, now time.Time, stranger *refusal) bool {
	if !d.guard.busy(now, stranger) {
		return false
	}
	d.audit.tooMany(now)
	w.Header().Set("Retry-After", "1")
	fail(w, http.StatusTooManyRequests, "too many orders; wait a second")
	return true
}

// answer writes an attempt down and says what became of it.
func (d *Dashboard) answer(w http.ResponseWriter, entry schema.Event, refused *refusal) {
	if entry.Accepted = refused == nil; !entry.Accepted {
		entry.Detail = refused.word
	}
	d.audit.write(entry)
	d.cached.forget() // who orders sees at once what came of it
	if refused != nil {
		if refused.status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", `Bearer realm="seakeep"`)
		}
		fail(w, refused.status, refused.text)
		return
	}
	show(w, map[string]any{"done": true})
}

// judge reads the order of somebody who may give one.
func (d *Dashboard) judge(w http.ResponseWriter, r *http.Request, now time.Time) (*Request, *refusal) {
	var q Request
	if err := readJSON(w, r, &q); err != nil {
		return nil, &refusal{http.StatusBadRequest, "unreadable",
			`give {"reason": "...", "nonce": "...", "at_ms": ..., "order": {...}}: ` + err.Error()}
	}
	if q.Reason = strings.TrimSpace(q.Reason); q.Reason == "" || len(q.Reason) > maxWhy {
		q.Reason = schema.Text(q.Reason)
		return &q, &refusal{http.StatusBadRequest, "no-reason", "reason: say why, in 1 to 500 bytes"}
	}
	return &q, d.guard.once(q.Nonce, q.AtMS, now)
}

// ordered is an order as the audit log has it, and whose policy it is about.
func ordered(text json.RawMessage) (order any, policy string) {
	var v struct {
		Policy string `json:"policy"`
		Start  struct {
			Dependency string `json:"dependency"`
		} `json:"start"`
	}
	_ = json.Unmarshal(text, &v) // what is not an order is refused by the lever
	if v.Policy == "" {
		v.Policy = v.Start.Dependency
	}
	if len(text) == 0 {
		return nil, ""
	}
	return text, schema.Text(v.Policy)
}

// demo pulls a lever of the demo, which is harmless and needs no token.
func (d *Dashboard) demo(w http.ResponseWriter, r *http.Request, p *Program) {
	lever := p.Demo[r.PathValue("lever")]
	if lever == nil {
		fail(w, http.StatusNotFound, "there is no such lever here")
		return
	}
	now := time.Now()
	refused := ofHere(r, d.options.Hosts)
	if d.stormy(w, now, refused) {
		return
	}
	entry := schema.Event{Kind: schema.KindLever, Lever: "demo/" + schema.Text(r.PathValue("lever")),
		By: schema.Text(r.RemoteAddr), AtMS: unixMS(now)}
	if refused == nil {
		var order json.RawMessage
		err := readJSON(w, r, &order)
		if err == nil {
			entry.Order = order
			err = lever(order)
		}
		if err != nil {
			refused = &refusal{http.StatusBadRequest, "not-possible", err.Error()}
		}
	}
	d.answer(w, entry, refused)
}

// readJSON reads one JSON value without unknown keys, and nothing else.
func readJSON(w http.ResponseWriter, r *http.Request, into any) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxOrder))
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("there is more than one value")
	}
	return nil
}
