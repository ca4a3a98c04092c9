package otel

import (
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
)

// Sending implements seakeephttp.RequestTrace.
func (a *attempt) Sending(r *http.Request) {
	a.of.of.text.Inject(a.ctx, propagation.HeaderCarrier(r.Header))
	if !a.span.IsRecording() && a.of.of.meters.client == nil {
		return
	}
	method, original := methodOf(r.Method)
	host, port := addressOf(r.URL)
	a.sent = []attribute.KeyValue{attribute.String("http.request.method", method),
		attribute.String("server.address", host), attribute.Int("server.port", port)}
	if !a.span.IsRecording() {
		return
	}
	a.span.SetName(spanName(method))
	all := append(a.sent[:3:3], attribute.String("url.full", shown(r.URL)))
	if original != "" {
		all = append(all, attribute.String("http.request.method_original", original))
	}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
		all = append(all, attribute.String("rpc.system.name", "grpc"),
			attribute.String("rpc.method", strings.TrimPrefix(r.URL.Path, "/")))
	}
	if a.number > 0 {
		all = append(all, attribute.Int("http.request.resend_count", a.number))
	}
	a.span.SetAttributes(all...)
}

// Answered implements seakeephttp.RequestTrace.
func (a *attempt) Answered(resp *http.Response) {
	a.status = resp.StatusCode
	if !a.span.IsRecording() {
		return
	}
	a.span.SetAttributes(attribute.Int("http.response.status_code", resp.StatusCode))
	if version := versionOf(resp.ProtoMajor, resp.ProtoMinor); version != "" {
		a.span.SetAttributes(attribute.String("network.protocol.version", version))
	}
}

// Failed implements seakeephttp.RequestTrace.
func (a *attempt) Failed(err error) { a.err = err }

// methods are those that the conventions know. Any other is "_OTHER", or clients
// could make as many names of spans as they like.
var methods = map[string]bool{"GET": true, "HEAD": true, "POST": true, "PUT": true, "DELETE": true,
	"CONNECT": true, "OPTIONS": true, "TRACE": true, "PATCH": true, "QUERY": true}

// methodOf returns the method as a span has it, and as it was if that is
// another.
func methodOf(m string) (method, original string) {
	switch {
	case m == "":
		return http.MethodGet, ""
	case methods[m]:
		return m, ""
	}
	return "_OTHER", m
}

func spanName(method string) string {
	if method == "_OTHER" {
		return "HTTP"
	}
	return method
}

func addressOf(u *url.URL) (host string, port int) {
	host = u.Hostname()
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		port = 80
		if u.Scheme == "https" {
			port = 443
		}
	}
	return host, port
}

// shown is a URL without what may be a secret: the user, and the values of its
// query.
func shown(u *url.URL) string {
	v := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return v.String()
}

func versionOf(major, minor int) string {
	switch {
	case major == 1:
		return "1." + strconv.Itoa(minor)
	case major > 1:
		return strconv.Itoa(major)
	}
	return ""
}

func statusText(status int) string { return strconv.Itoa(status) }

// hostOf splits what may have a port.
func hostOf(address string) (host string, port int) {
	host, p, err := net.SplitHostPort(address)
	if err != nil {
		return address, 0
	}
	port, _ = strconv.Atoi(p)
	return host, port
}
