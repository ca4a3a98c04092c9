package config

import (
	"bytes"
	"net/url"
	"strings"
	"time"

	"github.com/seakeep/seakeep/core/balance"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/stale"
)

// File is a policy file that holds no mistake. Every default is filled in.
type File struct {
	Version      int
	Service      string
	Admin        Admin
	Serve        *Serve        // nil: the service takes what comes
	Dependencies []*Dependency // as written
	SLO          *SLO          // nil: nothing is promised

	warnings []Warning
	name     string
	text     []byte
}

// Admin is where the program offers its own state.
type Admin struct {
	Listen string // host:port; empty: nowhere
}

// Name is what the file was called when it was read.
func (f *File) Name() string { return f.name }

// Text returns a copy of the file's text.
func (f *File) Text() []byte { return bytes.Clone(f.text) }

// Dependency returns the dependency of that name, or nil.
func (f *File) Dependency(name string) *Dependency {
	for _, d := range f.Dependencies {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// Warnings returns what the file says but hardly can mean, in the order of the
// text.
func (f *File) Warnings() []Warning { return append([]Warning(nil), f.warnings...) }

// Kind says whether the service can do without a dependency.
type Kind uint8

const (
	// Critical: without it there is no honest answer.
	Critical Kind = iota
	// Optional: the answer may leave it out.
	Optional
	// Async: it is called from a queue, after the answer, so that nobody waits
	// for it.
	Async
)

// String returns "critical", "optional" or "async".
func (k Kind) String() string {
	switch k {
	case Critical:
		return "critical"
	case Optional:
		return "optional"
	case Async:
		return "async"
	}
	return "invalid"
}

// Dependency is one thing the service calls.
type Dependency struct {
	Name         string
	Kind         Kind
	Policy       string         // the file of its own policy, from the folder of this one; empty: unknown
	Availability float64        // the share of calls it is to answer, from 0 to 1; 0: unknown
	WhenDown     string         // what the user then sees, in words; empty: not said
	Listen       string         // where the proxy offers it; empty: nowhere
	ListenTLS    *ListenTLS     // nil: there is no TLS
	Endpoints    []*url.URL     // origins, without a path; as written
	Peers        []balance.Peer // of each endpoint, its weight and its zone
	Resolve      *Resolve       // where the endpoints are found instead; nil: nowhere
	Balance      balance.Config // filled: how one of them is chosen
	Outlier      *Outlier       // nil: no endpoint is taken out for what it answers
	Health       *Health        // nil: no endpoint is checked
	Measured     Measured
	Settings
	Connections Connections // filled: how connections to each endpoint are kept
	Protocol    Protocol
	TLS         *TLS        // nil: the system's authorities, no certificate of our own
	Operations  []Operation // the first that matches a request is its policy
	Shards      *Shards     // nil: every request may go to every endpoint
	Failover    *Failover   // nil: there is no second provider
	Faults      *Faults     // nil: it may not be hurt
}

// Operation returns the operation of that name, or nil.
func (d *Dependency) Operation(name string) *Operation {
	for i := range d.Operations {
		if d.Operations[i].Name == name {
			return &d.Operations[i]
		}
	}
	return nil
}

// Measured is what was seen of a dependency in production. A zero field was
// not given.
type Measured struct {
	Rate           float64 // calls per second
	P50, P99, P999 time.Duration
	Errors         float64 // the share of calls that fails on a usual day
}

// Empty reports whether nothing was seen.
func (m Measured) Empty() bool { return m == Measured{} }

// UsualFalseTimeouts is the share of healthy calls that an attempt's limit may cut
// off if the file does not say.
const UsualFalseTimeouts = 0.001

// Settings is how calls are protected: those of a dependency, or of one of its
// operations.
type Settings struct {
	Connect time.Duration // for a new connection; 0: no limit of its own
	Acquire time.Duration // for a pooled connection; also Call.Bulkhead.Wait; 0: not given
	// FalseTimeouts is the share of healthy calls that an attempt's limit may cut
	// off; 0: not given, and UsualFalseTimeouts. Reviews go by it, and no call does.
	FalseTimeouts float64

	Replay    int64 // bodies up to this many bytes are kept for another try
	Call      call.Config
	Tied      bool   // a copy by Call.Hedge is tied to its call
	KeyHeader string // the header that holds the breaker's key; empty: the Go caller gives it
	Response  Response
	Fallback  Fallback
}

// Operation is a part of a dependency with settings of its own: what the file
// gives, laid over the dependency's.
type Operation struct {
	Name  string
	Match Match
	Settings
	// Own are the rungs with a state of their own: RungBreaker its own
	// breaker, RungBulkhead its own slots, RungRetry its own retry budget. All
	// others are shared with the dependency. A rung is the operation's own if
	// the operation writes it (for retry: its budget), and the breaker also
	// with "per: operation".
	Own call.Rungs
}

// Match says which requests are an operation's. What is empty matches every
// request; a Match that is empty as a whole matches none, because its
// operation is chosen by name.
type Match struct {
	Methods []string
	Path    string // exact, or a prefix if it ends in *
	Host    string // lower case; without a port it matches every port
	Headers []Header
}

// Header is a field of a request or an answer.
type Header struct{ Name, Value string }

// Empty reports whether the operation is chosen by name only.
func (m Match) Empty() bool {
	return len(m.Methods) == 0 && m.Path == "" && m.Host == "" && len(m.Headers) == 0
}

// Matches reports whether a request is this operation's. Path is as it came
// over the wire, without the query; header returns the first value of a field.
func (m Match) Matches(method, host, path string, header func(name string) string) bool {
	if m.Empty() || !m.method(method) || !m.host(host) {
		return false
	}
	if prefix, ok := strings.CutSuffix(m.Path, "*"); ok {
		if !strings.HasPrefix(path, prefix) {
			return false
		}
	} else if m.Path != "" && path != m.Path {
		return false
	}
	for _, h := range m.Headers {
		if header(h.Name) != h.Value {
			return false
		}
	}
	return true
}

func (m Match) method(method string) bool {
	if method == "" {
		method = "GET" // as in net/http
	}
	for _, allowed := range m.Methods {
		if method == allowed {
			return true
		}
	}
	return len(m.Methods) == 0
}

func (m Match) host(host string) bool {
	if m.Host == "" || strings.EqualFold(m.Host, host) {
		return true
	}
	// An IPv6 address has colons of its own, but ends in ] without a port.
	if i := strings.LastIndexByte(host, ':'); i > 0 && !strings.HasSuffix(host, "]") {
		return strings.EqualFold(m.Host, host[:i])
	}
	return false
}

// Fallback is what answers when the dependency does not. Without an Order
// there is none.
type Fallback struct {
	Order []Answer // tried in order; the first that can answer does
	// Exercise is the share of healthy calls, from 0 to 1, that also run the
	// fallback and throw its answer away, so that a path which otherwise runs in
	// incidents only is known to work.
	Exercise float64
	Limit    int           // how many may run at once; 0 in a literal is 100
	Timeout  time.Duration // of a Go function; 0 in a literal is 1s
}

// Answer is one step of a Fallback. Exactly one field is set.
type Answer struct {
	Cache      *stale.Config // the last good answer
	Static     *Static       // always the same answer
	Dependency string        // ask another dependency of the file
	Omit       *Omit         // an empty answer: leave it out
}

// Static is an answer written in the file.
type Static struct {
	Status  int
	Headers []Header
	Body    string
}

// Omit is an empty answer.
type Omit struct {
	Status int
}
