package config

import (
	"fmt"
	"strings"
	"time"

	"github.com/seakeep/seakeep/core/limit"
)

// Connections says how connections to a dependency's endpoints are kept. All
// of it is of one endpoint. Both pools go by it: that of seakeephttp, and the
// one that the proxy has for plain HTTP/1.1. What they wait for is
// Settings.Connect and Settings.Acquire.
type Connections struct {
	// Max is the most connections there may be, idle ones too. 0: as many as
	// the calls in flight need, which is the bulkhead's to limit.
	Max int
	// Idle is how many may wait for the next call. The default is 128, or the
	// bulkhead's limit if that is more: then calls that come at the same time
	// again find what they have left. net/http's two would mean a new
	// connection for most calls.
	Idle int
	// IdleTime is how long one may wait. The default is 90s: shorter than the
	// idle limits of most servers and load balancers, so that it is we who
	// close, and no call goes out on a connection that is closing.
	IdleTime time.Duration
	// Lifetime is how long a connection takes new calls. 0: for ever, the
	// default, because a new one costs a handshake and gains nothing, unless
	// something between us and the servers shares out connections.
	Lifetime time.Duration
	// Jitter is the share of Lifetime by which that of each connection is drawn
	// shorter, so that those opened together do not go together. 0 in a
	// literal: all live equally long. The file's default is 10%.
	Jitter float64
	// Warm is how many connections are opened before anybody asks, and kept.
	// With HTTP/2, which carries many calls on one, it is rarely above 1. The
	// default is none: it is a load that no call has asked for.
	Warm int
	// Ping is after how long without a frame an HTTP/2 connection is asked
	// whether it is alive. 0: never, the default, because servers of gRPC hang
	// up on whoever asks more often than every five minutes. A connection that
	// has gone dead is found without it, by the first call that times out on it.
	Ping time.Duration
	// PingTimeout is how long a connection in doubt may say nothing before it
	// is given up. The default is 5s, several retransmissions of TCP.
	PingTimeout time.Duration
}

const (
	defaultIdle        = 128
	defaultIdleTime    = 90 * time.Second
	defaultPingTimeout = 5 * time.Second
	mostConnections    = 100_000
)

// Filled returns c with the defaults in place of what is zero, for calls of
// which at most limit are in flight; 0: any number.
func (c Connections) Filled(limit int) Connections {
	if c.Idle == 0 {
		c.Idle = max(defaultIdle, limit)
		if c.Max > 0 {
			c.Idle = min(c.Idle, c.Max)
		}
	}
	if c.IdleTime == 0 {
		c.IdleTime = defaultIdleTime
	}
	if c.PingTimeout == 0 {
		c.PingTimeout = defaultPingTimeout
	}
	return c
}

// connections comes after the rungs, because as many are kept as the bulkhead
// lets through.
func (o *object) connections(c *Connections, limit int) {
	s := o.section("connections", "a section such as {max: 100, lifetime: 10m}")
	defer s.close()
	most := within(1, mostConnections, "100")
	most.off = "as many as calls need"
	s.integer("max", &c.Max, most)
	*c = c.Filled(limit)
	c.Jitter = 0.1
	s.integer("idle", &c.Idle, within(1, mostConnections, "32"))
	s.duration("idle-time", &c.IdleTime, within(time.Millisecond, 24*time.Hour, "90s"))
	life := within(time.Second, longest, "10m")
	life.off = "off"
	s.duration("lifetime", &c.Lifetime, life)
	if s.switchedOff("jitter") {
		c.Jitter = 0
	} else {
		s.share("jitter", &c.Jitter, within(0.001, 0.5, "10%"))
	}
	s.integer("warm", &c.Warm, within(0, 1000, "2"))
	ping := within(time.Millisecond, 24*time.Hour, "10m")
	ping.off = "off"
	s.duration("ping", &c.Ping, ping)
	s.duration("ping-timeout", &c.PingTimeout, within(time.Millisecond, time.Hour, "5s"))
	if c.Max > 0 && c.Idle > c.Max {
		s.refuse("idle", fmt.Sprintf("%d is above max, %d", c.Idle, c.Max), "give at most max")
	}
	if c.Warm > c.Idle {
		s.refuse("warm", fmt.Sprintf("%d is above idle, %d", c.Warm, c.Idle),
			"give at most idle, or raise idle")
	}
}

// limit returns how many calls may be in flight; 0: any number.
func (d *Dependency) limit() int {
	if b := d.Call.Bulkhead; b != nil {
		return b.Limit
	}
	return 0
}

// warnWaits warns of connections that are fewer than the calls that need one
// each, where nothing limits the wait for one.
func (o *object) warnWaits(dep *Dependency) {
	c, limit, n := dep.Connections, dep.limit(), len(dep.Endpoints)
	if o.d.failures > 0 || c.Max == 0 || n == 0 || c.Max*n >= limit || dep.Acquire > 0 ||
		dep.Protocol == HTTP2 || dep.Protocol == H2C {
		return
	}
	o.warn([]string{"connections.max", "bulkhead.limit"},
		fmt.Sprintf("%d connections for %d calls: the others wait for one, and nothing says how long",
			c.Max*n, limit), "add timeout.acquire, such as 20ms")
}

// warnWaitsBehind warns of connections to the program behind the proxy that are
// fewer than the requests that are let in: those then wait in a line that no rung
// of the door sees, until their deadline.
func (o *object) warnWaitsBehind(v *Serve) {
	most := v.Connections.Max
	if o.d.failures > 0 || most == 0 || v.Upstream == nil ||
		v.Protocol == HTTP2 || v.Protocol == H2C {
		return
	}
	requests := "as many requests as come"
	if s := v.Door.Slots; s != nil {
		n := s.Limit.Max
		if s.Limit.Algorithm == limit.Fixed {
			n = s.Limit.Initial
		}
		switch {
		case n == 0:
			requests = "as many requests as the algorithm finds"
		case n <= most:
			return
		default:
			requests = fmt.Sprintf("%d requests", n)
		}
	}
	o.warn([]string{"connections.max"},
		fmt.Sprintf("%d connections for %s: the others wait for one behind the door, until "+
			"their deadline and in no order of importance", most, requests),
		fmt.Sprintf("let concurrency have a max of at most %d, or leave connections.max out", most))
}

// Protocol says which HTTP is spoken with endpoints.
type Protocol uint8

const (
	// AnyProtocol is HTTP/1.1 in the clear, and over TLS what the server
	// chooses of HTTP/2 and HTTP/1.1.
	AnyProtocol Protocol = iota
	// HTTP1 is HTTP/1.1.
	HTTP1
	// HTTP2 is HTTP/2 over TLS, and nothing else.
	HTTP2
	// H2C is HTTP/2 in the clear, without asking first (prior knowledge).
	H2C
)

var protocols = []option[Protocol]{{"auto", AnyProtocol}, {"http1", HTTP1}, {"http2", HTTP2},
	{"h2c", H2C}}

// String returns the protocol as the file has it.
func (p Protocol) String() string {
	if int(p) < len(protocols) {
		return protocols[p].word
	}
	return "invalid"
}

// protocol reads which HTTP is spoken. It must fit all endpoints.
func (o *object) protocol(p *Protocol, has func(scheme string) bool) {
	choose(o, "protocol", p, protocols...)
	f := o.find("protocol")
	switch {
	case f == nil:
	case *p == HTTP2 && has("http"):
		f.fail("an endpoint is of http, and http2 is over TLS", "use h2c, or endpoints of https")
	case *p == H2C && has("https"):
		f.fail("an endpoint is of https, and h2c is in the clear", "use http2, or endpoints of http")
	}
}

// has reports whether an endpoint has the scheme.
func (d *Dependency) has(scheme string) bool {
	if d.Resolve != nil {
		return d.Resolve.Scheme == scheme
	}
	for _, u := range d.Endpoints {
		if strings.EqualFold(u.Scheme, scheme) {
			return true
		}
	}
	return false
}
