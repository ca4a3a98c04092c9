package seakeephttp

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/seakeep/seakeep/core/balance"
)

// TiedHeader ties two copies of a request that wait at two doors. Each says by
// it where the other is, so that the door which serves one of them first can
// call the other off: id=0f…; peer=10.0.0.7:8080. In an answer it says that the
// request was called off so.
const TiedHeader = "X-Seakeep-Tied"

// twinStarted is TiedHeader's value in an answer.
const twinStarted = "twin-started"

// errTwinStarted stands for the answer to an attempt that was called off.
var errTwinStarted = errors.New("seakeephttp: the request was called off, for its twin is served")

const (
	// patience is how many copies in a row may be sent of which none is called
	// off before it is clear that the endpoints do not do that.
	patience = 64
	// suspicion is one in how many calls is then still tied, to see whether they
	// do by now.
	suspicion = 64
)

// tieID names a tie. It is drawn by chance, so that nobody can call off a
// request that he did not send.
type tieID [16]byte

// tie is two attempts of one request at two endpoints, of which one is to be
// served.
type tie struct {
	id            tieID
	first, second string // where they are, as host:port
	to            uint64 // the second's endpoint, as a bit
}

// tied reports whether copies of the request are tied to it.
func (x *exchange) tied() bool {
	s := x.file
	return s != nil && s.Tied && x.pool.dir != nil
}

// choose picks the endpoint of an attempt. A first attempt that is tied has its
// copy's picked as well, since each must know of the other.
func (r *race) choose(ctx context.Context, y *exchange, copied bool) (t *tie, ok bool) {
	r.mu.Lock()
	t = r.tie
	r.mu.Unlock()
	switch {
	case copied && t != nil:
		r.mu.Lock()
		r.paired = true
		r.mu.Unlock()
		r.x.pool.of.untied.Add(1)
		return t, y.at.choose(ctx, y.pool, balance.Choice{Only: t.to})
	case !y.choose(ctx):
		return nil, false
	case !r.tied || copied || r.paired:
		return nil, true
	}
	t, ok = y.pair(ctx)
	r.mu.Lock()
	r.tie = t
	r.mu.Unlock()
	return t, ok
}

// pair picks the endpoint of the copy to come. Without one, or if Seakeep cannot
// speak to it as its doors do to each other, there is no tie. Nor is there for
// most calls if no copy is ever called off: the endpoints are no doors then, or
// none that trust us, and serve each call twice.
func (x *exchange) pair(ctx context.Context) (t *tie, ok bool) {
	c := x.choice()
	c.Tried |= x.at.bit()
	if !x.pool.elsewhere(c) || x.pool.of.untied.Load() >= patience &&
		x.pool.of.family.draws()*suspicion >= 1 {
		return nil, true
	}
	var second visit
	if !second.choose(ctx, x.pool, c) {
		return nil, true
	}
	second.left() // the copy picks it again, if it is sent
	if x.pool.config.Balance.Policy == balance.RoundRobin && x.pool.of.family.draws() < 0.5 {
		// Of two endpoints whose turns come in pairs the same one would always
		// be the first.
		first := x.at
		x.at.left()
		if !x.at.choose(ctx, x.pool, balance.Choice{Only: second.bit()}) {
			return nil, x.choose(ctx)
		}
		second = first
	}
	t = &tie{first: hostPort(x.at.to.url), second: hostPort(second.to.url), to: second.bit()}
	if t.first == "" || t.second == "" || t.to == x.at.bit() {
		return nil, true
	}
	_, _ = rand.Read(t.id[:]) // never fails
	return t, true
}

// hostPort is where an endpoint listens; empty if it does not speak plain HTTP.
func hostPort(u *url.URL) string {
	switch {
	case u.Scheme != "http":
		return ""
	case u.Port() == "":
		return net.JoinHostPort(u.Hostname(), "80")
	}
	return u.Host
}

// mark puts into a request what its server needs to know.
func (t *tie) mark(s *sending, copied bool) {
	if t == nil {
		return
	}
	peer := t.second
	if copied {
		peer = t.first
	}
	s.header()[TiedHeader] = []string{"id=" + hex.EncodeToString(t.id[:]) + "; peer=" + peer}
}

// lost reports whether an answer says that the attempt was called off.
func (t *tie) lost(resp *http.Response) bool {
	if t == nil {
		return false
	}
	said := resp.Header[TiedHeader]
	return len(said) == 1 && said[0] == twinStarted
}

// parseTied reads what a request says of its twin.
func parseTied(values []string) (id tieID, peer string, ok bool) {
	const longest = 300 // a host's name has 253 characters at most
	if len(values) != 1 || len(values[0]) > longest {
		return id, "", false
	}
	name, rest, _ := strings.Cut(values[0], ";")
	said, isID := strings.CutPrefix(strings.TrimSpace(name), "id=")
	peer, isPeer := strings.CutPrefix(strings.TrimSpace(rest), "peer=")
	if id, ok = parseTieID(said); !ok || !isID || !isPeer || !isAddress(peer) {
		return tieID{}, "", false
	}
	return id, peer, true
}

func parseTieID(text string) (id tieID, ok bool) {
	if len(text) != hex.EncodedLen(len(id)) {
		return id, false
	}
	_, err := hex.Decode(id[:], []byte(text))
	return id, err == nil
}

// isAddress reports whether a text is a host and a port, and no more: it becomes
// part of a URL.
func isAddress(text string) bool {
	host, port, err := net.SplitHostPort(text)
	if err != nil || host == "" || port == "" {
		return false
	}
	for _, c := range port {
		if c < '0' || c > '9' {
			return false
		}
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Zone() == ""
	}
	return !strings.ContainsFunc(host, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') &&
			c != '.' && c != '-' && c != '_'
	})
}
