package schema

import (
	"time"

	"github.com/seakeep/seakeep/core"
)

// MaxText is how many bytes a word has at most that comes from traffic, such as
// a tenant or the key of a breaker. What is longer is cut, and ends with "…".
const MaxText = 128

// KindLever is the kind of an Event that no policy decided: an operator's order,
// as the audit log has it. It was carried out, or refused for Detail.
const KindLever = "lever"

// Event is one decision.
type Event struct {
	// ID rises with each event of a source; 0: the source does not number them.
	ID       uint64  `json:"id,omitempty"`
	AtMS     float64 `json:"at_ms"`
	Kind     string  `json:"kind"`
	Policy   string  `json:"policy,omitempty"` // the dependency, or dependency/operation
	Key      string  `json:"key,omitempty"`
	Reason   string  `json:"reason,omitempty"`
	Outcome  string  `json:"outcome,omitempty"`
	Cause    string  `json:"cause,omitempty"`
	Attempt  int     `json:"attempt,omitempty"` // 0 is the first
	Observed bool    `json:"observed,omitempty"`
	TookMS   float64 `json:"took_ms,omitempty"`
	LeftMS   float64 `json:"left_ms,omitempty"` // negative: the deadline has passed
	From     string  `json:"from,omitempty"`
	To       string  `json:"to,omitempty"`
	Seq      uint64  `json:"seq,omitempty"`
	Detail   string  `json:"detail,omitempty"`

	Criticality string `json:"criticality,omitempty"` // of a request that came in

	// Calls are the latest attempts before a breaker changed that failed or were
	// slow, in their order.
	Calls []Event `json:"calls,omitempty"`

	// Of a lever: which, by whom, why, and what was ordered.
	Lever    string `json:"lever,omitempty"`
	By       string `json:"by,omitempty"`
	Why      string `json:"why,omitempty"`
	Order    any    `json:"order,omitempty"`
	Accepted bool   `json:"accepted,omitempty"`
}

// EventOf writes a decision that was made at a moment, in milliseconds of the
// source's time.
func EventOf(e *core.Event, atMS float64) Event {
	v := Event{AtMS: atMS, Kind: e.Kind.String(), Policy: Text(e.Policy), Key: Text(e.Key),
		Attempt: int(e.Attempt), Observed: e.Observed, TookMS: Millis(e.Took), LeftMS: Millis(e.Left),
		From: Text(e.From), To: Text(e.To), Seq: e.Seq, Detail: Text(e.Detail)}
	if e.Reason != core.NoReason {
		v.Reason = e.Reason.String()
	}
	if e.Outcome != 0 {
		v.Outcome = e.Outcome.String()
	}
	if e.Cause != core.NoCause {
		v.Cause = e.Cause.String()
	}
	if ofRequest(e.Kind) {
		v.Criticality = e.Criticality.String()
	}
	return v
}

// ofRequest reports whether an event is about a request that came in: its zero
// criticality then is a class and not a gap.
func ofRequest(k core.EventKind) bool {
	return k >= core.RequestQueued && k <= core.RequestEnded
}

// Millis writes a duration, to the microsecond.
func Millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Text bounds a word that may come from traffic, between two of its characters.
func Text(s string) string {
	if len(s) <= MaxText {
		return s
	}
	end := MaxText - len("…")
	for end > 0 && s[end]&0xC0 == 0x80 {
		end--
	}
	return s[:end] + "…"
}
