// Package incoming reads from a request that comes in, over HTTP or gRPC, what
// the door wants to know of it: who asks, how important it is, by when the
// answer is wanted, and whether it is a repetition. What is malformed is as good
// as absent.
package incoming

import (
	"math/rand/v2"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/core/shed"
)

// grpcAttempts counts the attempts before this one. It is written as HTTP has it,
// which costs nothing to look up there.
const grpcAttempts = "Grpc-Previous-Rpc-Attempts"

// Request is what there is to read from.
type Request struct {
	// Fields returns the values of a field, in whatever case its name is
	// written.
	Fields func(name string) []string
	Remote string // the sender's address, with or without a port
}

// Get returns the first value of a field, or "".
func (r Request) Get(name string) string {
	if values := r.Fields(name); len(values) > 0 {
		return values[0]
	}
	return ""
}

// Left returns how much time there is by the sender's word, less a margin for
// the way that the request has come; false if it does not say.
func (r Request) Left() (left time.Duration, found bool) {
	if r.Fields(deadline.Header) == nil && r.Fields(deadline.EnvoyHeader) == nil &&
		r.Fields(deadline.GRPCHeader) == nil {
		return 0, false
	}
	left, found, _ = deadline.Read(r.Get)
	return left - deadline.Margin(left), found
}

// Class returns how important the request is. Only those whom the file trusts
// may say that theirs is more important than usual.
func (r Request) Class(c *config.Criticality) core.Criticality {
	values := r.Fields(c.Header)
	if len(values) != 1 {
		return c.Default
	}
	claimed, ok := core.ParseCriticality(strings.TrimSpace(values[0]))
	if !ok || claimed > c.Default && !r.trusted(c) {
		return c.Default
	}
	return claimed
}

func (r Request) trusted(c *config.Criticality) bool {
	if len(c.Trust) == 0 {
		return false
	}
	addr, err := Addr(r.Remote)
	return err == nil && c.Trusts(addr)
}

// Addr returns the address in a host and port, or in a host alone.
func Addr(remote string) (netip.Addr, error) {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	return netip.ParseAddr(host)
}

// Retried reports whether whoever sent the request is trying again.
func (r Request) Retried() bool {
	for _, name := range [...]string{retry.AttemptHeader, retry.EnvoyAttemptHeader} {
		if n, ok := retry.ParseAttempt(r.Get(name)); ok && n > 1 {
			return true
		}
	}
	n, err := strconv.Atoi(r.Get(grpcAttempts))
	return err == nil && n > 0
}

// Tenant returns the tenant that the file's header names; empty: none.
func (r Request) Tenant(s *config.Serve) string {
	if s.Tenant == "" {
		return ""
	}
	return r.Get(s.Tenant)
}

// Cohort returns the part of a class that the request belongs to: its user's,
// so that one user sees all or nothing, or any if it names none. The hour deals
// the users anew, so that nobody is last for ever.
func (r Request) Cohort(s *config.Serve) uint8 {
	if s.User != "" {
		if user := r.Get(s.User); user != "" {
			return shed.CohortOf(user, uint64(time.Now().Unix()/3600))
		}
	}
	return uint8(rand.Uint32N(shed.Cohorts))
}

// Refused is what a refusal is to whoever was promised an answer. Who asks for
// more than his share has not been promised that.
func Refused(r core.Reason) core.Outcome {
	if r == core.TenantLimit {
		return core.Ignored
	}
	return core.Overloaded
}

// Exempt reports whether a path is one of those that are never refused. A health
// check that is shed takes a healthy instance out, and its load to the others.
func Exempt(health []string, path string) bool {
	for _, h := range health {
		prefix, all := strings.CutSuffix(h, "*")
		if h == path || all && strings.HasPrefix(path, prefix) && plain(path) {
			return true
		}
	}
	return false
}

// plain reports whether a path leads where it seems to: /health/../orders is
// no health check to a server that tidies up.
func plain(path string) bool {
	return !strings.Contains(path, "/.") && !strings.Contains(path, "//") &&
		!strings.Contains(path, `\`)
}
