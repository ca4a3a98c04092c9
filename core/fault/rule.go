package fault

import (
	"errors"
	"strings"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Validate reports every field that cannot be used, one error a field, joined.
func (r Rule) Validate() error {
	var errs []error
	if !goodName(r.Name) {
		errs = append(errs, bad("Name", "is %q; give up to %d letters, digits, dots, hyphens and "+
			"underscores, such as slow-search", r.Name, longestName))
	}
	if !(r.Share > 0 && r.Share <= 1) {
		errs = append(errs, bad("Share", "is %v; give a share such as 0.1, at most 1", r.Share))
	}
	if r.For != 0 && (r.For < minFor || r.For > MaxFor) {
		errs = append(errs, bad("For", "is %v; give a time such as 5m, from %v to %v: "+
			"what nobody ends must end", r.For, minFor, MaxFor))
	}
	errs = append(errs, r.Scope.validate(), r.Hurt.validate())
	return errors.Join(errs...)
}

func (s Scope) validate() error {
	var errs []error
	if s.Path != "" && (s.Path[0] != '/' || strings.IndexByte(s.Path, '*') >= 0 &&
		strings.IndexByte(s.Path, '*') != len(s.Path)-1) {
		errs = append(errs, bad("Path", "is %q; give a path such as /search, or a prefix such as "+
			"/api/*", s.Path))
	}
	for _, f := range [...]struct{ name, value string }{{"Operation", s.Operation},
		{"Endpoint", s.Endpoint}, {"Method", s.Method}, {"Path", s.Path}} {
		if len(f.value) > longestScope {
			errs = append(errs, bad(f.name, "has %d bytes; give at most %d", len(f.value),
				longestScope))
		}
	}
	return errors.Join(errs...)
}

func (h Hurt) validate() error {
	delays := h.Kind == Latency || h.Kind == Reset || h.Kind == SlowBody
	switch {
	case h.Kind < Latency || h.Kind > Bandwidth:
		return bad("Kind", "is %v; give %s", h.Kind, strings.Join(kindNames[1:], ", "))
	case h.Delay < 0 || h.Delay > maxDelay || h.Delay > 0 && !delays:
		return bad("Delay", "is %v; give a time up to %v, and only to latency, reset and slow-body",
			h.Delay, maxDelay)
	case h.Delay == 0 && (h.Kind == SlowBody || h.Kind == Latency && h.Jitter == 0):
		return bad("Delay", "is 0s, which does nothing; give a time such as 100ms")
	case h.Jitter < 0 || h.Jitter > maxDelay || h.Jitter > 0 && h.Kind != Latency:
		return bad("Jitter", "is %v; give a time up to %v, and only to latency", h.Jitter, maxDelay)
	case h.Normal && h.Jitter == 0:
		return bad("Normal", "needs a standard deviation; give a jitter such as 20ms")
	case h.Status != 0 && (h.Kind != Error || h.GRPC != 0 || h.Status < 400 || h.Status > 599):
		return bad("Status", "is %d; give one from 400 to 599, only to error, "+
			"and no GRPC beside it", h.Status)
	case h.GRPC != 0 && (h.Kind != Error || h.GRPC < 1 || h.GRPC > 16):
		return bad("GRPC", "is %d; give a code from 1 to 16, and only to error", h.GRPC)
	case h.Kind == Error && h.Status == 0 && h.GRPC == 0:
		return bad("Status", "is 0; give one such as 503, or a GRPC code")
	case h.Bytes < 0 || h.Bytes > mostBytes || h.Bytes > 0 && h.Kind < SlowBody:
		return bad("Bytes", "is %d; give a number up to %d, and only to slow-body and bandwidth",
			h.Bytes, int64(mostBytes))
	case h.Bytes == 0 && h.Kind >= SlowBody:
		return bad("Bytes", "is 0; give a number such as 1024")
	}
	return nil
}

func goodName(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && (i == 0 || c != '.' && c != '-' && c != '_') {
			return false
		}
	}
	return name != "" && len(name) <= longestName
}

func (r Rule) filled() Rule {
	if r.For == 0 {
		r.For = defaultFor
	}
	return r
}

// reach is the share of all requests that the rule may hurt. One for marked
// requests hurts only those whose sender has asked for it.
func (r Rule) reach() float64 {
	if r.Scope.Marked {
		return 0
	}
	return r.Share
}

// covers reports whether the rule is about this request.
func (r *Rule) covers(t *Target) bool {
	s := &r.Scope
	if s.Operation != "" && s.Operation != t.Operation ||
		s.Endpoint != "" && s.Endpoint != t.Endpoint ||
		s.Method != "" && s.Method != t.Method || s.Marked && !named(t.Marks, r.Name) {
		return false
	}
	if prefix, all := strings.CutSuffix(s.Path, "*"); all {
		return strings.HasPrefix(t.Path, prefix)
	}
	return s.Path == "" || s.Path == t.Path
}

// named reports whether a list with commas has the name.
func named(list, name string) bool {
	for list != "" {
		var one string
		one, list, _ = strings.Cut(list, ",")
		if strings.TrimSpace(one) == name {
			return true
		}
	}
	return false
}

// draws are the random numbers of one request for one rule.
type draws struct{ key, next uint64 }

// keyOf begins a stream that no other rule has.
func keyOf(seed uint64, name string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return mix(seed ^ mix(h))
}

// drawsOf returns the draws of the request with this number.
func drawsOf(key, number uint64) draws { return draws{key: mix(key + mix(number))} }

// uniform returns a number in [0, 1).
func (d *draws) uniform() float64 {
	d.next++
	return float64(mix(d.key+d.next)>>11) / (1 << 53)
}

// normal returns a number with mean 0 and deviation 1, at most 6 from it: the
// sum of twelve, which every processor rounds alike.
func (d *draws) normal() float64 {
	sum := -6.0
	for range 12 {
		sum += d.uniform()
	}
	return sum
}

// mix is the output function of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Result is what an attempt that was hurt so means to the policies. Of a kind
// that lets the attempt go on it is zero.
func (h Hurt) Result() core.Result {
	failure := func(c core.Cause) core.Result {
		return core.Result{Outcome: core.Failure, Cause: c}
	}
	overload := func(c core.Cause) core.Result {
		return core.Result{Outcome: core.Overloaded, Cause: c}
	}
	switch {
	case h.Kind == Refused:
		return failure(core.Unsent)
	case h.Kind == Reset:
		return failure(core.Reset)
	case h.Kind == NoAnswer:
		return core.Result{Outcome: core.Timeout, Cause: core.TimedOut}
	case h.Kind != Error:
		return core.Result{}
	case h.GRPC == grpcExhausted, h.Status == 429:
		return overload(core.TooMany)
	case h.Status == 503:
		return overload(core.Unavailable)
	case h.GRPC == grpcUnavailable: // perhaps a breakdown: it names no time to come back
		return failure(core.Unavailable)
	case h.GRPC == grpcUnknown:
		return failure(core.Unknown)
	case h.GRPC == grpcDeadline:
		return core.Result{Outcome: core.Timeout, Cause: core.TimedOut}
	case h.Status == 502, h.Status == 504:
		return failure(core.BadGateway)
	case h.GRPC == grpcInternal, h.GRPC == grpcDataLoss, h.Status >= 500:
		return failure(core.ServerError)
	}
	return core.Result{Outcome: core.Ignored, Cause: core.ClientError}
}

// The codes of gRPC that are not the caller's own mistake.
const (
	grpcUnknown     = 2
	grpcDeadline    = 4
	grpcExhausted   = 8
	grpcInternal    = 13
	grpcUnavailable = 14
	grpcDataLoss    = 15
)

// latency draws how long a request waits.
func (h *Hurt) latency(d *draws) time.Duration {
	if h.Jitter == 0 {
		return h.Delay
	}
	by := 2*d.uniform() - 1
	if h.Normal {
		by = d.normal()
	}
	return max(0, h.Delay+time.Duration(by*float64(h.Jitter)))
}
