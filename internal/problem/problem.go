// Package problem writes the answers that Seakeep itself gives over HTTP: what
// went wrong, who decided, and when to come back, as a problem document (RFC
// 9457), in Proxy-Status (RFC 9209), in Retry-After and in the mark that asks
// not to be tried again.
package problem

import (
	"cmp"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/seakeep/seakeep/core/retry"
)

// Pseudonym is what Seakeep calls itself in Via and Proxy-Status.
const Pseudonym = "seakeep"

// The error types of Proxy-Status that are used in more than one place.
const (
	InternalError   = "proxy_internal_error"
	RequestError    = "http_request_error"
	RequestDenied   = "http_request_denied"
	Unavailable     = "destination_unavailable"
	LimitReached    = "connection_limit_reached"
	ResponseTimeout = "http_response_timeout"
)

// The problem types of the IANA registry that the RateLimit fields' draft
// defines. Anything else is about:blank, which says no more than the status.
const (
	QuotaExceeded   = "https://iana.org/assignments/http-problem-types#quota-exceeded"
	ReducedCapacity = "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity"
)

// Problem is an answer that the application, or the dependency, did not give.
// Only Status must be set.
type Problem struct {
	Status int
	Type   string // empty: about:blank
	Title  string // empty: the status in words
	Detail string // for people, in sentences
	Error  string // the error type of Proxy-Status
	Policy string // who refused; empty: no policy
	Reason string // by which rule, in one word
	Cause  string // the error behind it, for Proxy-Status
	// Attempts is how many attempts were made; negative: it makes no sense to
	// say so.
	Attempts int
	// RetryAfter is when to come back; zero: unknown.
	RetryAfter time.Duration
	// Spread is the time over which those who are sent away are spread when
	// they come back, beyond RetryAfter; zero: a fifth of RetryAfter.
	Spread time.Duration
	// NoRetry says that a repetition by the layers above would do harm.
	NoRetry bool
}

// Document is the body of the answer.
type Document struct {
	Type         string   `json:"type"`
	Title        string   `json:"title"`
	Status       int      `json:"status"`
	Detail       string   `json:"detail,omitempty"`
	Error        string   `json:"error,omitempty"`
	Policy       string   `json:"policy,omitempty"`
	Reason       string   `json:"reason,omitempty"`
	Attempts     *int     `json:"attempts,omitempty"`
	RetryAfterMS *float64 `json:"retry_after_ms,omitempty"`
}

// Answer is a Problem that was worked out once, to be sent many times: whoever
// refuses because there is too much to do must do it cheaply. It is never
// changed.
type Answer struct {
	problem             Problem
	body                []byte
	length, proxyStatus string
}

// Prepare works out everything about the answer but when to come back, which is
// drawn each time.
func (p Problem) Prepare() *Answer {
	body := Document{Type: cmp.Or(p.Type, "about:blank"), Title: cmp.Or(p.Title, http.StatusText(p.Status)),
		Status: p.Status, Detail: p.Detail, Error: p.Error, Policy: p.Policy, Reason: p.Reason}
	if p.Attempts >= 0 {
		body.Attempts = &p.Attempts
	}
	if p.RetryAfter > 0 {
		ms := float64(p.RetryAfter.Microseconds()) / 1000
		body.RetryAfterMS = &ms
	}
	text, _ := json.Marshal(body) // cannot fail
	text = append(text, '\n')
	return &Answer{p, text, strconv.Itoa(len(text)), p.proxyStatus()}
}

// Write sends the answer. Header fields that are set already stay.
func Write(w http.ResponseWriter, p Problem) { p.Prepare().Write(w) }

// Write sends the answer. Header fields that are set already stay.
func (a *Answer) Write(w http.ResponseWriter) {
	h, p := w.Header(), &a.problem
	values := [...]string{"application/problem+json", a.length, "no-store", a.proxyStatus, "", "1"}
	set := func(name string, i int) { h[name] = values[i : i+1 : i+1] }
	set("Content-Type", 0)
	set("Content-Length", 1)
	set("Cache-Control", 2)
	set("Proxy-Status", 3)
	if p.tellsWhen() {
		values[4] = strconv.Itoa(p.Seconds())
		set("Retry-After", 4)
	}
	if p.NoRetry {
		set(retry.NoRetryHeader, 5)
	}
	w.WriteHeader(p.Status)
	_, _ = w.Write(a.body)
}

// tellsWhen reports whether the answer says when to come back.
func (p *Problem) tellsWhen() bool {
	return p.RetryAfter > 0 || p.Spread > 0 || p.Status == http.StatusServiceUnavailable
}

// proxyStatus is the value of Proxy-Status.
func (p Problem) proxyStatus() string {
	var b strings.Builder
	b.WriteString(Pseudonym)
	if p.Error != "" {
		b.WriteString("; error=" + p.Error)
	}
	if p.Error == RequestError {
		b.WriteString("; status-code=" + strconv.Itoa(p.Status))
	}
	details := p.Reason
	if p.Cause != "" {
		details = strings.TrimPrefix(details+": "+p.Cause, ": ")
	}
	if details != "" {
		b.WriteString("; details=" + Quote(details))
	}
	return b.String()
}

// Quote writes a string of a structured field (RFC 8941), at most 200
// characters of it.
func Quote(text string) string {
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

// Seconds draws a Retry-After, in seconds.
func (p Problem) Seconds() int { return p.comeBack(rand.Float64()) }

// comeBack turns a wait into whole seconds: rounded up, at least 1, and later
// by a draw from [0, 1), because all who are refused now would otherwise return
// in the same second.
func (p Problem) comeBack(draw float64) int {
	const share = 0.2
	after, spread := max(p.RetryAfter, 0).Seconds(), p.Spread.Seconds()
	if after == 0 && spread == 0 {
		spread = 2 // nobody knows: one second or two
	}
	if spread == 0 {
		spread = share * after
	}
	seconds := after + spread*draw
	whole := int(seconds)
	if float64(whole) < seconds || whole == 0 {
		whole++
	}
	return whole
}
