package proxy

import (
	"maps"
	"net/http"
	"net/http/httptrace"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/internal/grpcstatus"
	"github.com/seakeep/seakeep/internal/problem"
	"github.com/seakeep/seakeep/seakeephttp"
)

// exchange is one request on its way through the proxy, and its answer.
type exchange struct {
	p       *Proxy
	front   *front
	route   *route
	w       http.ResponseWriter
	r       *http.Request
	body    *inbound  // nil: the request has none, or it is small
	small   *gathered // nil: the request has none, or it streams
	upgrade string    // the protocol that the client wants to change to
	report  seakeep.Report
	interim interim
	trace   httptrace.ClientTrace
	fields  fieldValues
	left    []string // of the caller's deadline, in milliseconds; nil: it named none
	grpc    bool     // the client expects a status of gRPC
	sent    bool     // the answer has begun
	status  int      // ... with this; 0: with none
	refused int      // ... by the door, with this

	passage  *seakeephttp.Passage // through the door; nil: there is none
	degraded []string             // what the program is told of features that are off
}

// exchange handles one request.
func (p *Proxy) exchange(f *front, w http.ResponseWriter, r *http.Request) {
	f.active.Add(1)
	defer f.active.Add(-1)
	x := &exchange{p: p, front: f, route: f.route.Load(), w: w, r: r, upgrade: upgradeOf(r.Header)}
	x.grpc = grpcstatus.Speaks(r.Header)
	if r.ContentLength == 0 { // with HTTP/2 net/http does not say so in this way
		r.Body = http.NoBody
	}
	x.interim.w = w
	if !r.ProtoAtLeast(1, 1) {
		x.old()
	}
	defer x.recovered()
	defer func() { x.small.drop() }()
	if p.draining.Load() {
		w.Header().Set("Connection", "close")
	}
	x.unmark()
	x.identify()
	defer x.follow()()
	switch {
	case r.Method == http.MethodConnect:
		x.last() // the client may have sent what is for the tunnel
		x.make(noTunnels)
	case x.loops():
		x.make(looping)
	case x.farthest():
	case !x.gather():
	case x.route.gate != nil:
		x.serve()
	default:
		x.carry()
	}
}

// recovered turns a panic into an honest end. The one that breaks the
// connection on purpose passes.
func (x *exchange) recovered() {
	v := recover()
	if v == nil {
		return
	}
	x.interim.close() // an attempt may be under way still
	if v == http.ErrAbortHandler {
		panic(v)
	}
	x.p.log.Error("panic while handling a request", "for", x.route.name, "panic", v,
		"stack", string(debug.Stack()))
	if x.sent {
		panic(http.ErrAbortHandler)
	}
	x.make(problem.Problem{Status: http.StatusInternalServerError, Error: problem.InternalError,
		Reason: "panic", Detail: "The proxy has made a mistake, which is in its log."})
}

// carry sends the request through the ladder and answers it.
func (x *exchange) carry() {
	streams := x.small == nil && x.r.Body != nil && x.r.Body != http.NoBody
	ctx, cancel := x.context(streams)
	defer cancel()
	if streams {
		rc := http.NewResponseController(x.w)
		x.body = &inbound{src: x.r.Body, rc: rc, cancel: cancel, began: time.Now(),
			behind: trailerOf(x.r)}
		if x.passage != nil && !x.grpc {
			x.passage.Paced()
		}
		// If something is left of it the connection ends with the answer, which
		// says so. Nobody may wait for the rest.
		defer x.body.cut(rc)
	}
	resp, err := x.route.transport.RoundTrip(x.outgoing(ctx))
	x.interim.close()
	if err != nil {
		x.fail(err)
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusSwitchingProtocols {
		x.switchTo(resp)
		return
	}
	if resp.StatusCode < 100 { // net/http takes any three digits, and sends no such
		x.make(x.odd("http_protocol_error", "The dependency's answer has a status that is none."))
		return
	}
	x.pass(resp)
}

// old takes out what a client of HTTP/1.0 cannot mean (RFC 9110, sections 7.8 and
// 10.1.1).
func (x *exchange) old() {
	x.interim.old, x.upgrade = true, ""
	delete(x.r.Header, "Expect")
}

// pass sends an answer on as it comes.
func (x *exchange) pass(resp *http.Response) {
	if x.grpc && !grpcstatus.Speaks(resp.Header) {
		x.foreign(resp)
		return
	}
	h := x.w.Header()
	passFields(h, resp.Header)
	if back := viaBack(resp); h["Via"] == nil {
		h["Via"] = x.fields.one(&x.fields.back, back)
	} else {
		h["Via"] = append(h["Via"], back)
	}
	if x.report.Fallback != "" {
		h.Add("Proxy-Status", x.fallbackStatus())
		x.log("a fallback answers", "fallback", x.report.Fallback, "status", resp.StatusCode,
			"reason", x.report.Reason.String())
	}
	announced := len(resp.Trailer)
	if announced > 0 && !x.interim.old {
		h["Trailer"] = []string{strings.Join(slices.Sorted(maps.Keys(resp.Trailer)), ", ")}
	}
	if done, _ := x.body.done(); !done {
		// The request goes on while the answer comes, and whatever is left of
		// it then must not be taken for the next one.
		_ = http.NewResponseController(x.w).EnableFullDuplex()
		x.last()
	}
	size := sizeOf(resp)
	if size < 0 {
		x.chunk(h)
	}
	x.begin(resp.StatusCode)
	if size < 0 && x.interim.old { // its end is the connection's
		_ = http.NewResponseController(x.w).Flush()
	}
	if err := copyBody(x.w, resp.Body, size, x.p.options.stallTime); err != nil {
		x.broken(resp, err)
		return
	}
	x.trailer(resp, announced)
	x.settle(resp)
}

// chunk keeps an answer of no stated length as it is. Without a word the server
// would give it one, if all of it happens to be there in time.
func (x *exchange) chunk(h http.Header) {
	if x.r.ProtoMajor == 1 && !x.interim.old && seakeephttp.KeyedWriteOf(x.r.Context()) == nil {
		h["Transfer-Encoding"] = chunked
	}
}

var chunked = []string{"chunked"}

// last makes the answer the last one on its connection, because what follows the
// request is in doubt. With HTTP/2 it is not: only the stream ends.
func (x *exchange) last() {
	if x.r.ProtoMajor == 1 {
		x.w.Header().Set("Connection", "close")
	}
}

// sizeOf returns how long the answer's body will be, or -1.
func sizeOf(resp *http.Response) int64 {
	if resp.Request != nil && resp.Request.Method == http.MethodHead {
		return 0
	}
	return resp.ContentLength
}

// begin sends the answer's head.
func (x *exchange) begin(status int) {
	x.sent, x.status = true, status
	x.answered()
	x.w.WriteHeader(status)
}

// answered tells the door that what follows goes at the client's pace.
func (x *exchange) answered() {
	if x.passage != nil {
		x.passage.Aged(x.w.Header())
		x.passage.Answered()
	}
}

// trailer sends what came behind the body.
func (x *exchange) trailer(resp *http.Response, announced int) {
	if len(resp.Trailer) == 0 || x.interim.old {
		return
	}
	h := x.w.Header()
	_ = http.NewResponseController(x.w).Flush() // a short body would get a length instead
	prefix := ""
	if len(resp.Trailer) != announced {
		prefix = http.TrailerPrefix
	}
	for name, values := range resp.Trailer {
		h[prefix+name] = values
	}
}
