package proxy

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/wire"
	"github.com/seakeep/seakeep/core/retry"
)

// pseudonym is what the proxy is called in Via and Proxy-Status.
const pseudonym = "seakeep"

// made is an answer that no dependency gave. It says what went wrong, who
// decided, and when to come back.
type made struct {
	status   int
	kind     string // the error type of Proxy-Status (RFC 9209)
	policy   string // who refused; empty: no policy
	reason   string // by which rule, in one word
	cause    string // the last attempt's error
	detail   string // for people, in sentences
	attempts int
	after    time.Duration // when to come back; zero: unknown
	noRetry  bool          // a repetition from above would do harm
}

// The error types that are used in more than one place.
const (
	internalError   = "proxy_internal_error"
	requestError    = "http_request_error"
	unavailable     = "destination_unavailable"
	limitReached    = "connection_limit_reached"
	responseTimeout = "http_response_timeout"
)

var (
	noTunnels = made{status: http.StatusNotImplemented, kind: requestError, reason: "connect",
		detail: "CONNECT is not offered: this address stands for one dependency."}
	looping = made{status: http.StatusBadGateway, kind: "proxy_loop_detected", reason: "loop",
		detail: "The request has come through this proxy before: " +
			"an endpoint of the dependency leads back to the proxy."}
)

// problem is the body (RFC 9457).
type problem struct {
	Type         string   `json:"type"`
	Title        string   `json:"title"`
	Status       int      `json:"status"`
	Detail       string   `json:"detail,omitempty"`
	Error        string   `json:"error"`
	Policy       string   `json:"policy,omitempty"`
	Reason       string   `json:"reason,omitempty"`
	Attempts     int      `json:"attempts"`
	RetryAfterMS *float64 `json:"retry_after_ms,omitempty"`
}

// make answers a request that no dependency has answered.
func (x *exchange) make(m made) {
	if done, touched := x.body.done(); !done {
		rc := http.NewResponseController(x.w)
		if waits := x.r.Header["Expect"] != nil && !touched; !waits {
			x.body.drop(rc)
		}
		if done, _ = x.body.done(); !done {
			x.w.Header().Set("Connection", "close")
		}
	}
	x.answer(m)
}

// answer sends it.
func (x *exchange) answer(m made) {
	x.log("answered here", "status", m.status, "error", m.kind, "reason", m.reason,
		"detail", m.detail)
	x.sent = true
	m.write(x.w)
}

// refuse answers a request that package wire did not let through.
func (p *Proxy) refuse(w http.ResponseWriter, r *http.Request, why *wire.Refusal) {
	p.local.info("a request was refused", "client", r.RemoteAddr, "rule", why.Rule)
	refusal(why).write(w)
}

func refusal(why *wire.Refusal) made {
	return made{status: why.Status, kind: requestError, reason: why.Rule,
		detail: strings.ToUpper(why.Detail[:1]) + why.Detail[1:] + "."}
}

// write sends the answer.
func (m made) write(w http.ResponseWriter) {
	body := problem{Type: "about:blank", Title: http.StatusText(m.status), Status: m.status,
		Detail: m.detail, Error: m.kind, Policy: m.policy, Reason: m.reason, Attempts: m.attempts}
	if m.after > 0 {
		ms := millis(m.after)
		body.RetryAfterMS = &ms
	}
	text, _ := json.Marshal(body) // cannot fail
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Content-Length", strconv.Itoa(len(text)+1))
	h.Set("Cache-Control", "no-store")
	h.Set("Proxy-Status", m.proxyStatus())
	if m.after > 0 || m.status == http.StatusServiceUnavailable {
		h.Set("Retry-After", strconv.Itoa(comeBack(m.after, rand.Float64())))
	}
	if m.noRetry {
		h.Set(retry.NoRetryHeader, "1")
	}
	w.WriteHeader(m.status)
	_, _ = w.Write(append(text, '\n'))
}

// proxyStatus is the value of Proxy-Status.
func (m made) proxyStatus() string {
	var b strings.Builder
	b.WriteString(pseudonym + "; error=" + m.kind)
	if m.kind == requestError {
		b.WriteString("; status-code=" + strconv.Itoa(m.status))
	}
	details := m.reason
	if m.cause != "" {
		details = strings.TrimPrefix(details+": "+m.cause, ": ")
	}
	if details != "" {
		b.WriteString("; details=" + quoted(details))
	}
	return b.String()
}

// quoted writes a string of a structured field (RFC 8941).
func quoted(text string) string {
	const longest = 200
	out := []byte{'"'}
	for i := 0; i < len(text) && i < longest; i++ {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c < ' ' || c > '~':
			out = append(out, '?')
		default:
			out = append(out, c)
		}
	}
	return string(append(out, '"'))
}

// comeBack turns a wait into whole seconds: rounded up, at least 1, and up to a
// fifth more by a draw from [0, 1), because all who are refused now would
// otherwise return in the same second.
func comeBack(after time.Duration, draw float64) int {
	const spread = 0.2
	seconds := max(after, 0).Seconds() * (1 + spread*draw)
	whole := int(seconds)
	if float64(whole) < seconds {
		whole++
	}
	if after <= 0 && draw >= 0.5 { // nobody knows: one second or two
		return 2
	}
	return max(whole, 1)
}

// millis is a duration as a number of milliseconds, to the microsecond.
func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
