package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/cmd/seakeep/upstream"
	"github.com/seakeep/seakeep/cmd/seakeep/wire"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/internal/problem"
	"github.com/seakeep/seakeep/seakeephttp"
)

// fail answers a request for which there is no answer.
func (x *exchange) fail(err error) {
	x.doubt()
	x.markInjected()
	var bad *wire.Refusal
	fault := x.body.fault()
	if fault != nil && !errors.As(fault, &bad) {
		bad = wire.Doubt(x.r)
	}
	switch {
	case bad != nil:
		x.make(refusal(bad))
		return
	case errors.Is(fault, os.ErrDeadlineExceeded):
		x.unread(fault)
		return
	case x.gone():
		x.leave()
	case fault != nil:
		x.make(problem.Problem{Status: http.StatusBadRequest, Error: problem.RequestError, Reason: "body",
			Detail: "The request's body cannot be read: " + fault.Error() + "."})
		return
	}
	x.make(x.explain(err))
}

// explain says why there is no answer.
func (x *exchange) explain(err error) problem.Problem {
	m := problem.Problem{Policy: x.report.Policy, Attempts: len(x.report.Attempts), RetryAfter: x.report.RetryAfter}
	if x.report.Reason != core.NoReason {
		m.Reason = x.report.Reason.String()
	}
	m.NoRetry = (retry.Config{}).MarkNoRetry(x.report.Reason, m.Attempts)
	var r *seakeep.Rejection
	refused := errors.As(err, &r)
	if refused {
		m.Policy, m.Reason, m.RetryAfter = r.Policy, r.Reason.String(), r.RetryAfter
		m.Status, m.Error = ofReason(r.Reason)
		m.Detail = x.p.reasons.of(r)
	}
	last := err
	if refused {
		last = r.Last
	}
	var fb *seakeep.FallbackError
	if errors.As(err, &fb) && !refused {
		last = fb.Call
	}
	if m.Status == 0 {
		m.Status, m.Error = ofError(last)
	}
	if !refused {
		m.Detail = "The dependency gave no answer: " + plainly(last) + "."
	}
	if last != nil {
		m.Cause = plainly(last)
	}
	if x.route.transport.Panics() {
		m.Detail += " So few of its endpoints are up that all are used."
	}
	if fb != nil && fb.Fallback != nil {
		m.Detail += " No fallback answered: " + fb.Fallback.Error() + "."
	}
	return m
}

// odd is for an answer that came and cannot be passed on.
func (x *exchange) odd(kind, detail string) problem.Problem {
	return problem.Problem{Status: http.StatusBadGateway, Error: kind, Detail: detail,
		Policy: x.report.Policy, Attempts: len(x.report.Attempts)}
}

// ofReason returns the status and the error type for a rung's refusal. The
// status is 0 for a rung that only refused another attempt: then the last one's
// failure tells more.
func ofReason(r core.Reason) (status int, kind string) {
	switch r {
	case core.CircuitOpen, core.TrialsTaken, core.Ramping, core.ForcedOpen, core.KeysExhausted,
		core.Throttled:
		return http.StatusServiceUnavailable, problem.Unavailable
	case core.BulkheadFull, core.QueueTimeout:
		return http.StatusServiceUnavailable, problem.LimitReached
	case core.DeadlineExceeded, core.DeadlineTooShort:
		return http.StatusGatewayTimeout, problem.ResponseTimeout
	}
	return 0, ""
}

// ofError returns the status and the error type for a failed attempt.
func ofError(err error) (status int, kind string) {
	var dns *net.DNSError
	var op *net.OpError
	var own *upstream.Error
	var full *seakeephttp.AcquireError
	switch {
	case err == nil:
		return http.StatusBadGateway, problem.InternalError
	case errors.As(err, &own):
		return ofKind(own.Kind)
	case errors.As(err, &full):
		return http.StatusServiceUnavailable, problem.LimitReached
	case errors.Is(err, seakeephttp.ErrBodyTooLarge):
		return http.StatusBadGateway, "http_response_body_size"
	case errors.Is(err, seakeephttp.ErrNotHTTP2):
		return http.StatusBadGateway, "tls_protocol_error"
	case errors.Is(err, seakeephttp.ErrNoEndpoint):
		return http.StatusServiceUnavailable, problem.Unavailable
	case errors.As(err, &dns):
		if dns.IsTimeout {
			return http.StatusGatewayTimeout, "dns_timeout"
		}
		return http.StatusBadGateway, "dns_error"
	case errors.As(err, &op) && op.Op == "dial":
		return ofDial(err)
	case isTLS(err) != "":
		return http.StatusBadGateway, isTLS(err)
	case timedOut(err):
		return http.StatusGatewayTimeout, problem.ResponseTimeout
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF),
		errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return http.StatusBadGateway, "connection_terminated"
	}
	return http.StatusBadGateway, ofText(err.Error())
}

// ofKind returns them for an answer that is not whole.
func ofKind(k upstream.Kind) (status int, kind string) {
	switch k {
	case upstream.Lost:
		return http.StatusBadGateway, "connection_terminated"
	case upstream.Incomplete:
		return http.StatusBadGateway, "http_response_incomplete"
	case upstream.HeadTooLarge:
		return http.StatusBadGateway, "http_response_header_section_size"
	case upstream.BadCoding:
		return http.StatusBadGateway, "http_response_transfer_coding"
	}
	return http.StatusBadGateway, "http_protocol_error"
}

// ofDial tells the ways apart in which no connection came about.
func ofDial(err error) (status int, kind string) {
	switch {
	case timedOut(err):
		return http.StatusGatewayTimeout, "connection_timeout"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return http.StatusBadGateway, "destination_ip_unroutable"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE),
		errors.Is(err, syscall.EADDRNOTAVAIL):
		return http.StatusServiceUnavailable, problem.LimitReached
	case errors.Is(err, syscall.ECONNREFUSED):
		return http.StatusBadGateway, "connection_refused"
	}
	return http.StatusBadGateway, "connection_terminated"
}

func timedOut(err error) bool {
	var t interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) ||
		errors.As(err, &t) && t.Timeout()
}

func isTLS(err error) string {
	var cert *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var alert tls.AlertError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &cert), errors.As(err, &unknown), errors.As(err, &host):
		return "tls_certificate_error"
	case errors.As(err, &alert):
		return "tls_alert_received"
	case errors.As(err, &record):
		return "tls_protocol_error"
	}
	return ""
}

// texts are what net/http says where it has no error values.
var texts = []struct{ text, kind string }{
	{"server response headers exceeded", "http_response_header_section_size"},
	{"response header list larger", "http_response_header_section_size"},
	{"http2: server sent GOAWAY", "connection_terminated"},
	{"http2: Transport received", "connection_terminated"}, // GOAWAY
	{"http2: client conn", "connection_terminated"},
	{"stream error: ", "http_protocol_error"},
	{"transfer encoding", "http_response_transfer_coding"},
	{"server closed idle connection", "connection_terminated"},
	{"server gave HTTP response to HTTPS client", "tls_protocol_error"},
	{"malformed", "http_protocol_error"},
	{"bad Content-Length", "http_protocol_error"},
	{errInterim.Error(), "http_protocol_error"},
	{"HTTP/1.x transport connection broken", "http_protocol_error"}, // by what is read
}

func ofText(text string) (kind string) {
	for _, t := range texts {
		if strings.Contains(text, t.text) {
			return t.kind
		}
	}
	return problem.InternalError
}

// fallbackStatus is Proxy-Status for a fallback's answer: who stood in, and for
// what.
func (x *exchange) fallbackStatus() string {
	text := problem.Pseudonym
	if _, kind := ofReason(x.report.Reason); kind != "" {
		text += "; error=" + kind
	}
	details := "fallback=" + x.report.Fallback
	if r := x.report.Reason; r != core.NoReason {
		details = r.String() + ", " + details
	}
	return text + "; details=" + problem.Quote(details)
}

// plainly is an error in words for people.
func plainly(err error) string {
	if err == context.DeadlineExceeded {
		return "its time limit passed"
	}
	return err.Error()
}

// log writes a line about an answer that is not just the dependency's.
func (x *exchange) log(what string, more ...any) {
	x.p.local.Info(what, append([]any{"for", x.route.name, "method", x.r.Method,
		"path", x.r.URL.Path, "attempts", len(x.report.Attempts)}, more...)...)
}
